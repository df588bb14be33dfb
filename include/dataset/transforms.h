// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_DATASET_TRANSFORMS_H_
#define MINDSPORE_INCLUDE_DATASET_TRANSFORMS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "include/api/dual_abi_helper.h"
#include "include/api/status.h"
#include "include/api/types.h"
#include "include/dataset/constants.h"

namespace mindspore {
namespace dataset {

class TensorOperation;

// Something that makes a tensor of a tensor: see `Execute`. Arguments that make no sense are
// reported there. What a transform does is what the class of that name does in Python.
class DATASET_API TensorTransform : public std::enable_shared_from_this<TensorTransform> {
 public:
  TensorTransform() = default;
  virtual ~TensorTransform();

 protected:
  friend class Execute;
  friend class TensorOperation;
  explicit TensorTransform(std::shared_ptr<TensorOperation> operation)
      : operation_(std::move(operation)) {}
  virtual std::shared_ptr<TensorOperation> Parse();

 private:
  std::shared_ptr<TensorOperation> operation_;
};

namespace transforms {

// One after the other.
class DATASET_API Compose final : public TensorTransform {
 public:
  explicit Compose(const std::vector<TensorTransform*>& transforms);
  explicit Compose(const std::vector<std::shared_ptr<TensorTransform>>& transforms);
  explicit Compose(const std::vector<std::reference_wrapper<TensorTransform>>& transforms);
};

class DATASET_API Duplicate final : public TensorTransform {
 public:
  Duplicate();
};

// Zeros, and a one at the number of the class.
class DATASET_API OneHot final : public TensorTransform {
 public:
  explicit OneHot(int32_t num_classes, double smoothing_rate = 0.0);
};

class DATASET_API PadEnd final : public TensorTransform {
 public:
  // Lengths of -1 stay as they are; what is too long is cut. The value has one element, of the
  // type that the arrays have; none: zero.
  explicit PadEnd(const std::vector<int64_t>& pad_shape, const MSTensor& pad_value = {});
};

class DATASET_API TypeCast final : public TensorTransform {
 public:
  explicit TypeCast(mindspore::DataType data_type);
};

}  // namespace transforms
}  // namespace dataset
}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_DATASET_TRANSFORMS_H_
