// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "include/api/types.h"
#include "tensor/tensor.h"

namespace mindspore {

// What the copies of a tensor's handle share. Memory that nobody has written yet is made when it is
// first asked for: the inputs of a model are often looked at for their shapes alone.
class MSTensor::Impl {
 public:
  using Storage = mycel::platform::Ref<mycel::tensor::Storage>;

  Impl() = default;
  // Zeros.
  Impl(std::string name, enum DataType type, std::vector<std::int64_t> shape, std::size_t bytes);
  // The first `bytes` of a storage.
  Impl(std::string name, enum DataType type, std::vector<std::int64_t> shape, std::size_t bytes,
       Storage storage);

  // Bytes that others own; they are never freed here.
  static Storage borrowed(const void* data, std::size_t bytes);
  // A copy of bytes.
  static Storage copied(const void* data, std::size_t bytes);

  std::int64_t element_count() const;
  // The bytes that shape and type ask for; nothing for a type of unknown size or open lengths.
  std::optional<std::size_t> wanted_bytes() const;
  std::size_t bytes() const { return bytes_; }
  // Null: there are no bytes.
  Storage storage() const;
  void* data() const;
  void set_storage(Storage storage, std::size_t bytes);
  // The first bytes stay what they are if the memory is our own.
  void set_shape(std::vector<std::int64_t> new_shape);

  std::string name;
  enum DataType type = mindspore::DataType::kTypeUnknown;
  std::vector<std::int64_t> shape;
  mindspore::Format format = mindspore::DEFAULT_FORMAT;
  bool is_device = false;

 private:
  std::size_t bytes_ = 0;
  mutable std::mutex mutex_;  // guards storage_
  mutable Storage storage_;
};

}  // namespace mindspore

namespace mycel::api {

// The tensor's bytes as a handle; the tensor is dense and has its storage for itself.
mindspore::MSTensor as_ms_tensor(std::string name, const tensor::Tensor& tensor);
// The other way round, over the same bytes. Refuses (kMDUnexpectedError, kMDShapeMisMatch) what is
// null, on a device, or not as long as its shape and type say.
tensor::Tensor as_tensor(const mindspore::MSTensor& tensor);

}  // namespace mycel::api
