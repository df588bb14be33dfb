// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/parameters.h"
#include "data/transform/transform.h"
#include "include/dataset/transforms.h"

namespace mindspore {
namespace dataset {

// A transform of ours, or why there is none: constructors cannot say that something is wrong.
class TensorOperation {
 public:
  using Arguments = std::map<std::string, mycel::data::Parameters::Value, std::less<>>;

  explicit TensorOperation(mycel::data::TransformPtr transform);
  explicit TensorOperation(Status failure) : failure_(std::move(failure)) {}

  // The transform that Python knows by this name.
  static std::shared_ptr<TensorOperation> make(const std::string& name, Arguments arguments = {});
  static std::shared_ptr<TensorOperation> missing(const std::string& name, const std::string& why);
  static std::shared_ptr<TensorOperation> composed(
      const std::vector<std::shared_ptr<TensorOperation>>& operations);
  // Of a transform that a user handed over; null ones too.
  static std::shared_ptr<TensorOperation> of(TensorTransform* transform);

  const mycel::data::TransformPtr& transform() const { return transform_; }  // null: a failure
  const Status& failure() const { return failure_; }

 private:
  mycel::data::TransformPtr transform_;
  Status failure_;
};

}  // namespace dataset
}  // namespace mindspore
