// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "api/dataset/tensor_operation.h"
#include "platform/json/json.h"

namespace mindspore {
namespace dataset {

// The transform that a model file describes: its name and the arguments of its constructor in
// Python. One that is not there, or whose arguments are not, is a failure.
std::shared_ptr<TensorOperation> stored_operation(const mycel::platform::Json& described);

}  // namespace dataset
}  // namespace mindspore
