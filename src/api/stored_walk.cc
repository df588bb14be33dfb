// SPDX-License-Identifier: Apache-2.0
#include "api/stored_walk.h"

#include "api/boundary.h"

namespace mycel::api {
namespace {

void flatten(const op::Datum& result, std::vector<tensor::Tensor>& tensors) {
  if (result.is_sequence()) {
    for (const op::Datum& item : result.items()) flatten(item, tensors);
    return;
  }
  const op::Value value = op::tensor_of(result, std::nullopt, eager::emitter());
  require(value.defined(), mindspore::kMCFailed, "a result is no tensor but: ", result.type_name());
  tensors.push_back(value.tensor());
}

}  // namespace

std::vector<tensor::Tensor> flattened(const op::Datum& result) {
  std::vector<tensor::Tensor> tensors;
  flatten(result, tensors);
  return tensors;
}

}  // namespace mycel::api
