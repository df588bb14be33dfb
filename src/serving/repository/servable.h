// SPDX-License-Identifier: Apache-2.0
// What a servable_config.py says, as data: whoever read it is not needed any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/error/error.h"
#include "platform/json/json.h"

namespace mycel::serving {

enum class ModelFormat : std::uint8_t { MindIR, Onnx };

// One model, of one file or of several that are called as its sub-graphs.
struct ModelSpec {
  std::vector<std::string> files;  // relative to the version's folder
  ModelFormat format = ModelFormat::MindIR;
  bool has_batch = true;  // the first length of inputs and outputs counts rows
  std::vector<std::size_t> inputs_without_batch;  // but for these inputs
  std::string config_file;                        // empty: none
  int thread_count = 0;                           // 0: as many as there are processors
  bool use_float16 = false;
};

enum class StageKind : std::uint8_t { Model, Function };

// A value in a method: an input of the request (stage 0), or a result of the stage before in
// order, counted from 1.
struct Source {
  std::size_t stage = 0;
  std::size_t index = 0;
};

struct Stage {
  StageKind kind = StageKind::Model;
  std::size_t target = 0;    // which model, or which function
  std::size_t subgraph = 0;  // of a model
  // Of a function: nothing: one instance a call. 0: as many as models take. Else so many.
  std::optional<std::uint32_t> batch_size;
  std::vector<Source> inputs;
  std::size_t output_count = 1;
  std::string tag;  // how errors name the stage
};

struct Method {
  std::string name;
  std::vector<std::string> inputs, outputs;
  std::vector<Stage> stages;
  std::vector<Source> results;

  // The stage whose batches and runs are the method's: the first that is a model, else the first.
  // Null: there are none.
  const Stage* main_stage() const;
};

struct Servable {
  std::string name;
  std::string folder;  // that holds servable_config.py and the versions
  std::vector<ModelSpec> models;
  std::vector<std::string> functions;
  std::vector<Method> methods;

  const Method* find(std::string_view method) const;  // null: no such method
  // The one the Open Inference Protocol means when it names the servable alone; null: none.
  const Method* usual_method() const;
  bool needs_functions() const { return !functions.empty(); }
};

// Every number in it is in range afterwards. RuntimeError that names the field.
Servable read_servable(const platform::Json& text);

}  // namespace mycel::serving
