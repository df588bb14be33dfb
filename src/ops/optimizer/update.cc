// SPDX-License-Identifier: Apache-2.0
#include "ops/optimizer/update.h"

#include <algorithm>

namespace mycel::ops {

void infer_update(InferContext& op, std::initializer_list<std::size_t> states,
                  std::size_t gradient) {
  const TensorSpec& parameter = op.input(0);
  const std::vector<InputDef>& inputs = op.definition().inputs;
  DType state_type = parameter.dtype;
  if (states.size() > 0) state_type = op.input(*states.begin()).dtype;
  op.require(
      state_type == parameter.dtype || (is_half(parameter.dtype) && state_type == DType::Float32),
      ErrorKind::Type, "the states must have the type of '", inputs[0].name, "', ", parameter.dtype,
      ", or float32 beside a half type, but got ", state_type, ".");
  for (std::size_t i = 1; i < op.input_count(); ++i) {
    const bool state = std::find(states.begin(), states.end(), i) != states.end();
    if (state || i == gradient) {
      op.require(op.input(i).shape == parameter.shape, ErrorKind::Value, "the shape of '",
                 inputs[i].name, "' must be that of '", inputs[0].name, "', ",
                 to_string(parameter.shape), ", but got ", to_string(op.input(i).shape), ".");
    } else {
      op.require(element_count(op.input(i).shape) == 1, ErrorKind::Value, "'", inputs[i].name,
                 "' must be one number, but got shape ", to_string(op.input(i).shape), ".");
    }
    op.require(!state || op.input(i).dtype == state_type, ErrorKind::Type,
               "all states must have one type, but got ", state_type, " and ", op.input(i).dtype,
               ".");
  }
  if (op.input(gradient).dtype != parameter.dtype) op.cast_input(gradient, parameter.dtype);
  for (std::size_t i = 0; i < op.definition().outputs.size(); ++i) {
    const int alias = op.definition().outputs[i].alias_of;
    op.set_output(i, op.input(static_cast<std::size_t>(alias)));
  }
}

}  // namespace mycel::ops
