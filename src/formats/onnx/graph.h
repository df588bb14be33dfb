// SPDX-License-Identifier: Apache-2.0
// Graphs of ONNX files, checked: every value is there before it is used, every operator is known.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "operator/stored_call.h"

namespace mycel::formats::onnx {

using op::Datum;
struct Graph;

// Where a value comes from.
struct Source {
  enum class Kind : std::uint8_t { Absent, Slot, Constant, Parameter };
  Kind kind = Kind::Absent;
  std::size_t index = 0;  // of the slot or parameter
  int distance = 0;       // of a slot: how many graphs further out it is
  Datum value;            // of a constant
};

enum class Control : std::uint8_t { None, If, Loop, Scan, Function };

// A node.
struct Step {
  std::string kind, name;
  std::vector<Source> inputs;
  std::vector<std::ptrdiff_t> outputs;  // slots; -1: not wanted
  op::DatumMap attributes;
  Control control = Control::None;
  const op::StoredMapping* mapping = nullptr;  // null: the host is asked
  std::vector<std::unique_ptr<Graph>> graphs;  // the branches when and when not, or the body
  std::vector<std::size_t> released;           // slots that nobody reads afterwards
};

struct Graph {
  std::string name;
  std::size_t input_count = 0;  // the first slots
  std::size_t slot_count = 0;
  std::vector<Step> steps;
  std::vector<Source> outputs;
  std::set<std::pair<int, std::size_t>> outer;  // distance and slot of what it reads further out
};

}  // namespace mycel::formats::onnx
