// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "api/boundary.h"
#include "api/dataset/tensor_operation.h"
#include "api/tensor_impl.h"
#include "platform/error/error.h"

namespace mindspore {
namespace dataset {

namespace {

using mycel::platform::ErrorKind;
using mycel::tensor::Shape;
using mycel::tensor::Tensor;

// Brings arrays to a shape: what is too long is cut, what is too short filled at its end.
class Padding final : public mycel::data::Transform {
 public:
  Padding(std::vector<std::int64_t> wanted, Tensor value)
      : wanted_(std::move(wanted)), value_(std::move(value)) {}
  std::string name() const override { return "PadEnd"; }

  void apply(mycel::data::Items& items, mycel::data::TransformContext& /*context*/) const override {
    for (mycel::data::Item& item : items) {
      mycel::platform::require(item.is_array(), ErrorKind::Runtime,
                               "PadEnd: arrays can be padded here, but got ", item.type_name());
      item = padded(mycel::tensor::contiguous(item.array()));
    }
  }

 private:
  Tensor padded(const Tensor& array) const {
    mycel::platform::require(array.rank() == static_cast<std::int64_t>(wanted_.size()),
                             ErrorKind::Runtime, "PadEnd: the array has ", array.rank(),
                             " axes, but the shape to pad to has ", wanted_.size());
    mycel::platform::require(!value_.defined() || value_.dtype() == array.dtype(),
                             ErrorKind::Runtime, "PadEnd: the value to pad with must be ",
                             array.dtype(), " as the array is");
    Shape shape = array.shape();
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      if (wanted_[axis] != kAsItIs) shape[axis] = wanted_[axis];
    Tensor result = Tensor::empty(shape, array.dtype());
    const std::size_t element = mycel::tensor::size_of(array.dtype());
    auto* const bytes = static_cast<char*>(result.raw());
    std::memset(bytes, 0, result.bytes());
    if (value_.defined())
      for (std::size_t place = 0; place < result.bytes(); place += element)
        std::memcpy(bytes + place, value_.raw(), element);
    copy(array, 0, static_cast<const char*>(array.raw()), result, bytes);
    return result;
  }

  // What both have of an axis and those within it.
  static void copy(const Tensor& from, std::size_t axis, const char* source, const Tensor& to,
                   char* target) {
    const std::size_t element = mycel::tensor::size_of(from.dtype());
    if (axis == from.shape().size()) {
      std::memcpy(target, source, element);
      return;
    }
    const std::int64_t both = std::min(from.shape()[axis], to.shape()[axis]);
    std::size_t step_from = element, step_to = element;
    for (std::size_t inner = axis + 1; inner < from.shape().size(); ++inner) {
      step_from *= static_cast<std::size_t>(from.shape()[inner]);
      step_to *= static_cast<std::size_t>(to.shape()[inner]);
    }
    for (std::int64_t i = 0; i < both; ++i, source += step_from, target += step_to)
      copy(from, axis + 1, source, to, target);
  }

  static constexpr std::int64_t kAsItIs = -1;
  std::vector<std::int64_t> wanted_;
  Tensor value_;  // undefined: zero
};

std::shared_ptr<TensorOperation> padding(const std::vector<std::int64_t>& shape,
                                         const MSTensor& value) {
  try {
    mycel::platform::require(
        !shape.empty() &&
            std::all_of(shape.begin(), shape.end(),
                        [](std::int64_t length) { return length > 0 || length == -1; }),
        ErrorKind::Value, "the lengths of 'pad_shape' must be positive, or -1");
    const bool is_given = value != nullptr && value.DataSize() > 0;
    mycel::platform::require(!is_given || value.ElementNum() == 1, ErrorKind::Value,
                             "'pad_value' must have one element, but has ", value.ElementNum());
    return std::make_shared<TensorOperation>(std::make_shared<Padding>(
        shape, is_given ? mycel::api::as_tensor(value) : mycel::tensor::Tensor()));
  } catch (const std::exception& error) {
    return std::make_shared<TensorOperation>(
        Status(kMDSyntaxError, mycel::platform::join("PadEnd: ", error.what())));
  }
}

}  // namespace

namespace transforms {

PadEnd::PadEnd(const std::vector<std::int64_t>& pad_shape, const MSTensor& pad_value)
    : TensorTransform(padding(pad_shape, pad_value)) {}

}  // namespace transforms
}  // namespace dataset
}  // namespace mindspore
