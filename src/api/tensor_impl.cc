// SPDX-License-Identifier: Apache-2.0
#include "api/tensor_impl.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "api/boundary.h"
#include "api/element_type.h"

namespace mindspore {

namespace {

using Storage = MSTensor::Impl::Storage;

Storage zeros(std::size_t bytes) {
  Storage storage = mycel::tensor::Storage::allocate({}, bytes);
  std::memset(storage->data(), 0, bytes);
  return storage;
}

void keep(void* /*owner*/) {}

}  // namespace

MSTensor::Impl::Impl(std::string name, enum DataType type, std::vector<std::int64_t> shape,
                     std::size_t bytes)
    : name(std::move(name)), type(type), shape(std::move(shape)), bytes_(bytes) {}

MSTensor::Impl::Impl(std::string name, enum DataType type, std::vector<std::int64_t> shape,
                     std::size_t bytes, Storage storage)
    : name(std::move(name)),
      type(type),
      shape(std::move(shape)),
      bytes_(bytes),
      storage_(std::move(storage)) {}

Storage MSTensor::Impl::borrowed(const void* data, std::size_t bytes) {
  return mycel::tensor::Storage::borrow({}, const_cast<void*>(data), bytes, keep, nullptr);
}

Storage MSTensor::Impl::copied(const void* data, std::size_t bytes) {
  Storage storage = mycel::tensor::Storage::allocate({}, bytes);
  if (bytes > 0) std::memcpy(storage->data(), data, bytes);
  return storage;
}

std::int64_t MSTensor::Impl::element_count() const {
  std::int64_t count = 1;
  for (const std::int64_t length : shape) {
    if (__builtin_mul_overflow(count, length, &count)) return -1;
  }
  return count;
}

std::optional<std::size_t> MSTensor::Impl::wanted_bytes() const {
  const std::size_t element = mycel::api::element_bytes(type);
  if (element == 0) return std::nullopt;
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t length) { return length < 0; }))
    return std::nullopt;
  const std::int64_t count = element_count();
  std::size_t bytes = 0;
  if (count < 0 || __builtin_mul_overflow(static_cast<std::size_t>(count), element, &bytes))
    return std::nullopt;
  return bytes;
}

Storage MSTensor::Impl::storage() const {
  const std::lock_guard lock(mutex_);
  if (!storage_ && bytes_ > 0) storage_ = zeros(bytes_);
  return storage_;
}

void* MSTensor::Impl::data() const {
  const Storage held = storage();
  return held && bytes_ > 0 ? held->data() : nullptr;
}

void MSTensor::Impl::set_storage(Storage storage, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  storage_ = std::move(storage);
  bytes_ = bytes;
}

void MSTensor::Impl::set_shape(std::vector<std::int64_t> new_shape) {
  shape = std::move(new_shape);
  const std::optional<std::size_t> wanted = wanted_bytes();
  if (!wanted || *wanted == bytes_) return;
  const std::lock_guard lock(mutex_);
  // Of borrowed memory nobody knows how far it goes: the caller sets other memory next.
  const bool is_own = storage_ && !storage_->may_be_known_otherwise();
  Storage larger;
  if (is_own && *wanted > 0) {
    larger = zeros(*wanted);
    std::memcpy(larger->data(), storage_->data(), std::min(*wanted, bytes_));
  }
  storage_ = std::move(larger);
  bytes_ = *wanted;
}

}  // namespace mindspore

namespace mycel::api {

mindspore::MSTensor as_ms_tensor(std::string name, const tensor::Tensor& tensor) {
  const tensor::Shape& shape = tensor.shape();
  return mindspore::MSTensor(std::make_shared<mindspore::MSTensor::Impl>(
      std::move(name), element_type(tensor.dtype()),
      std::vector<std::int64_t>(shape.begin(), shape.end()), tensor.bytes(),
      tensor.body().storage));
}

tensor::Tensor as_tensor(const mindspore::MSTensor& tensor) {
  require(tensor != nullptr, mindspore::kMDUnexpectedError, "the input is null");
  require(!tensor.IsDevice(), mindspore::kMDUnexpectedError, "the input '", tensor.Name(),
          "' lies on a device");
  const auto dtype = element_type(tensor.DataType());
  const std::optional<std::size_t> wanted = tensor.impl()->wanted_bytes();
  require(dtype.has_value() && wanted == tensor.DataSize(), mindspore::kMDShapeMisMatch,
          "the input '", tensor.Name(), "' has ", tensor.DataSize(),
          " bytes, but its shape and type need others");
  const tensor::Shape shape(tensor.Shape().begin(), tensor.Shape().end());
  if (*wanted == 0) return tensor::Tensor::empty(shape, *dtype);
  return tensor::Tensor::from_storage(tensor.impl()->storage(), shape, *dtype);
}

}  // namespace mycel::api
