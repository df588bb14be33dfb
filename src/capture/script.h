// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "eager/index_window.h"
#include "ir/graph.h"
#include "ir/size_expression.h"
#include "operator/op_def.h"

namespace mycel::capture {

using ir::SizeComparison;
using ir::SizeExpression;
using ir::SizeNumber;
using ir::SizeRef;
using tensor::Tensor;

class Recorder;

// What a step works on: nothing, one of the script's values, or a tensor from outside.
struct ScriptOperand {
  enum class Kind : std::uint8_t { None, Value, Outside };
  Kind kind = Kind::None;
  std::size_t value = 0;
  Tensor tensor;
};

// A part of an attribute that was computed from lengths; element -1 is the whole attribute.
struct AttributeSize {
  std::size_t attribute = 0;
  int element = -1;
  SizeRef size;
};

// The same for an index: `field` 0 is an integer or where a slice starts, 1 where it stops.
struct IndexSize {
  std::size_t part = 0;
  int field = 0;
  SizeRef size;
};

struct ScriptIndex {
  std::vector<eager::IndexPart> parts;
  std::vector<IndexSize> sizes;
};

// A result, which becomes the next value.
struct ScriptResult {
  bool is_defined = false;
  std::size_t rank = 0;  // Python may have asked for it
  tensor::DType dtype = tensor::DType::Float32;
  ScriptOperand same;  // not None: it is this tensor, not a new one
};

namespace step {

// An operator.
struct Call {
  const op::OpDef* definition = nullptr;
  std::vector<ScriptOperand> inputs;
  op::AttributeList attributes;
  std::vector<AttributeSize> sizes;
  std::optional<ScriptIndex> index;  // attributes follow from this and the first input's shape
  std::vector<ScriptResult> results;
};
// A Python number computed from lengths becomes an operand: the next value.
struct Number {
  SizeRef size;
};
// A tensor that Python made itself, the same in every call: the next value.
struct Constant {
  Tensor content;
};
// Python went one of two ways.
struct Require {
  SizeRef a, b;
  SizeComparison how = SizeComparison::Equal;
  bool outcome = true;
};
// Scopes are counted in the order in which they begin.
struct BeginGradient {};
struct Watch {
  std::size_t scope = 0;
  ScriptOperand input;
  bool is_parameter = false;  // otherwise the alias is the next value
};
struct EndForward {
  std::size_t scope = 0;
};
struct Backward {
  std::size_t scope = 0;
  std::vector<ScriptOperand> outputs, seeds;
  bool keep = false;
  std::vector<ScriptResult> results;
};
struct BeginSwitch {
  std::optional<tensor::DType> compute_type;  // otherwise recording
  bool recording = false;
};
struct EndSwitch {
  std::size_t scope = 0;
};
struct Detach {
  ScriptOperand input;  // the result is the next value
};
struct DropHistory {
  ScriptOperand input;
};
struct Overwrite {
  ScriptOperand target, result;
};
struct IsTracked {
  ScriptOperand input;
  bool outcome = false;
};

}  // namespace step

struct ScriptStep {
  std::variant<step::Call, step::Number, step::Constant, step::Require, step::BeginGradient,
               step::Watch, step::EndForward, step::Backward, step::BeginSwitch, step::EndSwitch,
               step::Detach, step::DropHistory, step::Overwrite, step::IsTracked>
      action;
  op::Origin origin;
};

// What Python did in one run of a function, as far as it can be done again without Python for
// arguments of other sizes: its calls, with attributes as expressions over lengths, and the
// comparisons of lengths that decided which way it went. Values are numbered: first the arguments,
// then what the steps give.
struct Script {
  std::vector<ScriptStep> steps;
  std::vector<ScriptOperand> results;
  std::vector<SizeRef> numbers;  // results that are no tensors
  struct Watched {
    Tensor tensor;
    std::string name;
  };
  std::vector<Watched> watched;  // tensors from outside that are read where they are

  struct Results {
    std::vector<Tensor> tensors;  // some may be known already: zeros of a shape
    std::vector<SizeNumber> numbers;
  };
  // Makes the calls again under this recorder, on its arguments. Throws platform::Error where
  // Python could have done something else with these sizes.
  Results replay(Recorder& recorder, std::size_t argument_count, ir::Position& position) const;
};

}  // namespace mycel::capture
