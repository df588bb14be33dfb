// SPDX-License-Identifier: Apache-2.0
// What a stored program consists of: graphs that call each other, and where their values come from.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/program/host.h"
#include "operator/datum.h"

namespace mycel::formats {

struct Graph;

// Something that computes a value of values.
class Function : public op::Opaque {
 public:
  std::string_view kind() const override { return "function"; }
  virtual Datum call(std::span<const Datum> arguments, Host& host) const = 0;
  virtual std::string_view name() const { return ""; }
  // Passes values on and computes nothing: dropping it after a call changes nothing.
  virtual bool is_passing() const { return false; }
  virtual bool is_depend() const { return false; }  // gives its first argument
};

// Where a value comes from.
struct Operand {
  enum class Kind : std::uint8_t { Constant, Parameter, Slot, GraphValue };
  Kind kind = Kind::Constant;
  Datum value;             // of a constant
  Graph* graph = nullptr;  // that has the slot; or which is the value, used as a function
  std::size_t index = 0;   // of the slot, or of the parameter

  static Operand constant(Datum value) { return {Kind::Constant, std::move(value), nullptr, 0}; }
  static Operand parameter(std::size_t index) { return {Kind::Parameter, {}, nullptr, index}; }
  static Operand slot(Graph& graph, std::size_t index) { return {Kind::Slot, {}, &graph, index}; }
  static Operand graph_value(Graph& graph) { return {Kind::GraphValue, {}, &graph, 0}; }
  bool is_slot_of(const Graph& owner) const { return kind == Kind::Slot && graph == &owner; }
  std::shared_ptr<const Function> function() const {
    return kind == Kind::Constant ? value.opaque<Function>() : nullptr;
  }
};

// A call.
struct Node {
  std::string name;
  Operand callee;
  std::vector<Operand> operands;
  std::size_t slot = 0;
  std::shared_ptr<const Function> function;  // when the callee is one

  bool is_passing() const { return function != nullptr && function->is_passing(); }
};

// An operand as seen from a frame of its graph.
struct Source {
  enum class Kind : std::uint8_t { Constant, Local, Outer, Closure, Parameter };
  Kind kind = Kind::Constant;
  Datum value;
  std::size_t index = 0;         // of the slot or parameter
  int distance = 0;              // how many frames up; of a closure: -1, it needs none
  const Graph* graph = nullptr;  // of a closure
};

struct Step {
  std::string name;
  Source callee;
  std::vector<Source> operands;
  std::size_t slot = 0;
  std::vector<std::size_t> released;  // slots that nobody reads afterwards
  bool is_last = false;               // the result is the graph's
};

struct SlotRef {
  const Graph* graph;
  std::size_t index;
  auto operator<=>(const SlotRef&) const = default;
};

struct Graph {
  std::string name;
  std::size_t input_count = 0;        // the first slots
  std::size_t slot_count = 0;         // of a frame
  std::map<std::size_t, Node> nodes;  // by their slots
  std::vector<Operand> outputs;

  // ---- found by `arrange` ----
  std::set<SlotRef> free;         // of other graphs, that it or a graph it uses needs
  const Graph* parent = nullptr;  // whose frame it needs
  std::vector<Step> steps;
  std::vector<Source> result;              // none: the last step gives it
  std::vector<std::size_t> kept_by_inner;  // slots that graphs inside read

  const Node* node_of(const Operand& operand) const {
    if (!operand.is_slot_of(*this)) return nullptr;
    const auto found = nodes.find(operand.index);
    return found == nodes.end() ? nullptr : &found->second;
  }
};

// Finds which graph lies in which, in what order nodes are computed, and which calls end a graph.
// The program begins with the first. An error (RuntimeError) for what no program can be.
void arrange(std::span<const std::unique_ptr<Graph>> graphs);

}  // namespace mycel::formats
