// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <Python.h>

#include "operator/op_def.h"
#include "tensor/tensor.h"

namespace mycel::bindings {

using op::AttributeValue;
using tensor::Tensor;

// A Python number as a tensor that never widens others; undefined when it is no number.
Tensor number_from(PyObject* object);

// Whatever an operator takes as a tensor: Tensor, number, NumPy scalar, list or tuple of numbers.
// Undefined when the object is none of these.
Tensor operand_from(PyObject* object);

// Converts by the attribute's type; TypeError naming operator and attribute otherwise.
AttributeValue attribute_from(PyObject* object, const op::AttributeDef& definition,
                              std::string_view op);

// The name of the object's type, for messages.
std::string type_name(PyObject* object);

}  // namespace mycel::bindings
