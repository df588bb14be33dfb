// SPDX-License-Identifier: Apache-2.0
#include "api/dataset/tensor_operation.h"

#include "data/transform/composite.h"
#include "data/transform/registry.h"
#include "platform/error/error.h"

namespace mindspore {
namespace dataset {

TensorOperation::TensorOperation(mycel::data::TransformPtr transform)
    : transform_(std::move(transform)) {}

std::shared_ptr<TensorOperation> TensorOperation::make(const std::string& name,
                                                       Arguments arguments) {
  try {
    return std::make_shared<TensorOperation>(
        mycel::data::make_transform(name, mycel::data::Parameters(std::move(arguments))));
  } catch (const std::exception& error) {
    return std::make_shared<TensorOperation>(
        Status(kMDSyntaxError, mycel::platform::join(name, ": ", error.what())));
  }
}

std::shared_ptr<TensorOperation> TensorOperation::missing(const std::string& name,
                                                          const std::string& why) {
  return std::make_shared<TensorOperation>(
      Status(kMDNotImplementedYet, mycel::platform::join(name, ": ", why)));
}

std::shared_ptr<TensorOperation> TensorOperation::composed(
    const std::vector<std::shared_ptr<TensorOperation>>& operations) {
  mycel::data::TransformList list;
  for (const auto& operation : operations) {
    if (!operation->transform()) return operation;
    list.push_back(operation->transform());
  }
  return std::make_shared<TensorOperation>(mycel::data::compose(list));
}

std::shared_ptr<TensorOperation> TensorOperation::of(TensorTransform* transform) {
  auto operation = transform == nullptr ? nullptr : transform->Parse();
  if (operation) return operation;
  return std::make_shared<TensorOperation>(Status(kMDSyntaxError, "a transform is null"));
}

TensorTransform::~TensorTransform() = default;
std::shared_ptr<TensorOperation> TensorTransform::Parse() { return operation_; }

}  // namespace dataset
}  // namespace mindspore
