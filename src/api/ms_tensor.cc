// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "api/boundary.h"
#include "api/element_type.h"
#include "api/tensor_impl.h"
#include "include/api/allocator.h"
#include "include/api/types.h"

namespace mindspore {

namespace {

using mycel::api::guarded_value;
using mycel::api::note_null_handle;
using mycel::api::require;

std::shared_ptr<MSTensor::Impl> owned(const std::vector<char>& name, enum DataType type,
                                      const std::vector<int64_t>& shape, const void* data,
                                      size_t bytes) {
  if (data == nullptr)
    return std::make_shared<MSTensor::Impl>(CharToString(name), type, shape, bytes);
  return std::make_shared<MSTensor::Impl>(CharToString(name), type, shape, bytes,
                                          MSTensor::Impl::copied(data, bytes));
}

std::shared_ptr<MSTensor::Impl> deep_copy(std::string name, const MSTensor::Impl& other) {
  require(!other.is_device, kMCFailed, "tensor '", other.name, "' lies on a device");
  const MSTensor::Impl::Storage storage = other.storage();
  auto copy = storage ? std::make_shared<MSTensor::Impl>(
                            std::move(name), other.type, other.shape, other.bytes(),
                            MSTensor::Impl::copied(storage->data(), other.bytes()))
                      : std::make_shared<MSTensor::Impl>(std::move(name), other.type, other.shape,
                                                         other.bytes());
  copy->format = other.format;
  return copy;
}

// Making tensors must not throw: null instead.
template <class Body>
MSTensor* made(std::string_view operation, const Body& body) noexcept {
  return guarded_value<MSTensor*>(operation, nullptr, [&] { return new MSTensor(body()); });
}

}  // namespace

MSTensor* MSTensor::CreateTensor(const std::vector<char>& name, mindspore::DataType type,
                                 const std::vector<int64_t>& shape, const void* data,
                                 size_t data_len, const std::vector<char>& /*device*/,
                                 int /*device_id*/) noexcept {
  return made("MSTensor::CreateTensor", [&] { return owned(name, type, shape, data, data_len); });
}

MSTensor* MSTensor::CreateTensor(const std::vector<char>& name, const MSTensor& tensor,
                                 const std::vector<char>& /*device*/, int /*device_id*/) noexcept {
  return made("MSTensor::CreateTensor", [&] {
    require(tensor != nullptr, kMCInvalidInput, "the tensor to copy is null");
    return deep_copy(CharToString(name), *tensor.impl_);
  });
}

MSTensor* MSTensor::CreateRefTensor(const std::vector<char>& name, mindspore::DataType type,
                                    const std::vector<int64_t>& shape, const void* data,
                                    size_t data_len, bool /*own_data*/) noexcept {
  return made("MSTensor::CreateRefTensor", [&] {
    require(data != nullptr || data_len == 0, kMCInvalidInput, "the data is null, but ", data_len,
            " bytes were announced");
    return std::make_shared<Impl>(CharToString(name), type, shape, data_len,
                                  Impl::borrowed(data, data_len));
  });
}

MSTensor MSTensor::CreateDeviceTensor(const std::vector<char>& name, mindspore::DataType type,
                                      const std::vector<int64_t>& shape, void* data,
                                      size_t data_len) noexcept {
  return guarded_value("MSTensor::CreateDeviceTensor", MSTensor(nullptr), [&] {
    auto impl = std::make_shared<Impl>(CharToString(name), type, shape, data_len,
                                       Impl::borrowed(data, data_len));
    impl->is_device = true;
    return MSTensor(impl);
  });
}

MSTensor* MSTensor::CreateTensorFromFile(const std::vector<char>& file, mindspore::DataType type,
                                         const std::vector<int64_t>& shape) noexcept {
  return made("MSTensor::CreateTensorFromFile", [&] {
    const std::filesystem::path path = std::filesystem::absolute(CharToString(file));
    require(std::filesystem::is_regular_file(path), kMDFileNotExist, "the file '", path.string(),
            "' does not exist");
    const auto bytes = static_cast<size_t>(std::filesystem::file_size(path));
    auto impl = std::make_shared<Impl>(
        path.string(), type,
        shape.empty() ? std::vector<int64_t>{static_cast<int64_t>(bytes)} : shape, bytes);
    require(impl->wanted_bytes() == bytes, kMDShapeMisMatch, "the file '", path.string(), "' has ",
            bytes, " bytes, which is not what this shape and type need");
    if (bytes == 0) return impl;
    std::ifstream stream(path, std::ios::binary);
    stream.read(static_cast<char*>(impl->data()), static_cast<std::streamsize>(bytes));
    require(static_cast<size_t>(stream.gcount()) == bytes, kMDUnexpectedError, "the file '",
            path.string(), "' cannot be read");
    return impl;
  });
}

void MSTensor::DestroyTensorPtr(MSTensor* tensor) noexcept { delete tensor; }

MSTensor::MSTensor() : impl_(std::make_shared<Impl>()) {}
MSTensor::MSTensor(std::nullptr_t) {}
MSTensor::MSTensor(const std::shared_ptr<Impl>& impl) : impl_(impl) {}
MSTensor::~MSTensor() = default;

MSTensor::MSTensor(const std::vector<char>& name, mindspore::DataType type,
                   const std::vector<int64_t>& shape, const void* data, size_t data_len)
    : impl_(guarded_value<std::shared_ptr<Impl>>("MSTensor::MSTensor", nullptr, [&] {
        return owned(name, type, shape, data, data_len);
      })) {}

std::vector<char> MSTensor::CharName() const {
  if (impl_) return StringToChar(impl_->name);
  note_null_handle("MSTensor::Name");
  return {};
}

enum DataType MSTensor::DataType() const {
  if (impl_) return impl_->type;
  note_null_handle("MSTensor::DataType");
  return mindspore::DataType::kTypeUnknown;
}

const std::vector<int64_t>& MSTensor::Shape() const {
  static const std::vector<int64_t>& none = *new std::vector<int64_t>();
  if (impl_) return impl_->shape;
  note_null_handle("MSTensor::Shape");
  return none;
}

int64_t MSTensor::ElementNum() const {
  if (impl_) return impl_->element_count();
  note_null_handle("MSTensor::ElementNum");
  return 0;
}

std::shared_ptr<const void> MSTensor::Data() const {
  return guarded_value<std::shared_ptr<const void>>(
      "MSTensor::Data", nullptr, [&]() -> std::shared_ptr<const void> {
        require(impl_ != nullptr, kMCFailed, "the handle is null");
        require(!impl_->is_device, kMCDeviceError, "tensor '", impl_->name,
                "' refers to memory of a device, which no backend of this process can read");
        const Impl::Storage storage = impl_->storage();
        if (!storage || impl_->bytes() == 0) return nullptr;
        return {storage->data(), [storage](const void*) {}};
      });
}

void* MSTensor::MutableData() {
  return guarded_value<void*>("MSTensor::MutableData", nullptr, [&]() -> void* {
    require(impl_ != nullptr, kMCFailed, "the handle is null");
    return impl_->data();
  });
}

size_t MSTensor::DataSize() const {
  if (impl_) return impl_->bytes();
  note_null_handle("MSTensor::DataSize");
  return 0;
}

int MSTensor::GetDeviceId() const { return impl_ && impl_->is_device ? 0 : -1; }
std::vector<char> MSTensor::CharDevice() const {
  return StringToChar(impl_ && impl_->is_device ? "gpu" : "");
}
bool MSTensor::IsConst() const { return false; }
bool MSTensor::IsDevice() const { return impl_ && impl_->is_device; }

MSTensor* MSTensor::Clone() const {
  return made("MSTensor::Clone", [&] {
    require(impl_ != nullptr, kMCFailed, "the handle is null");
    return deep_copy(impl_->name, *impl_);
  });
}

bool MSTensor::operator==(std::nullptr_t) const { return impl_ == nullptr; }
bool MSTensor::operator!=(std::nullptr_t) const { return impl_ != nullptr; }
bool MSTensor::operator==(const MSTensor& tensor) const { return impl_ == tensor.impl_; }
bool MSTensor::operator!=(const MSTensor& tensor) const { return impl_ != tensor.impl_; }

void MSTensor::SetShape(const std::vector<int64_t>& shape) {
  if (!impl_) return note_null_handle("MSTensor::SetShape");
  guarded_value("MSTensor::SetShape", 0, [&] { return impl_->set_shape(shape), 0; });
}

void MSTensor::SetDataType(enum DataType data_type) {
  if (!impl_) return note_null_handle("MSTensor::SetDataType");
  impl_->type = data_type;
  guarded_value("MSTensor::SetDataType", 0, [&] { return impl_->set_shape(impl_->shape), 0; });
}

void MSTensor::SetTensorName(const std::vector<char>& name) {
  if (!impl_) return note_null_handle("MSTensor::SetTensorName");
  impl_->name = CharToString(name);
}

void MSTensor::SetFormat(mindspore::Format format) {
  if (!impl_) return note_null_handle("MSTensor::SetFormat");
  impl_->format = format;
}

mindspore::Format MSTensor::format() const { return impl_ ? impl_->format : DEFAULT_FORMAT; }

void MSTensor::SetData(void* data, bool own_data) {
  if (!impl_) return note_null_handle("MSTensor::SetData");
  guarded_value("MSTensor::SetData", 0, [&] {
    const size_t bytes = impl_->wanted_bytes().value_or(impl_->bytes());
    Impl::Storage storage;
    if (data != nullptr && own_data) {
      storage = mycel::tensor::Storage::borrow({}, data, bytes, std::free, data);
    } else if (data != nullptr) {
      storage = Impl::borrowed(data, bytes);
    }
    impl_->set_storage(std::move(storage), bytes);
    return 0;
  });
}

void MSTensor::SetAllocator(std::shared_ptr<Allocator> /*allocator*/) {}
std::shared_ptr<Allocator> MSTensor::allocator() const { return nullptr; }
void MSTensor::SetDeviceData(void* /*data*/) {}
void* MSTensor::GetDeviceData() { return nullptr; }
std::vector<QuantParam> MSTensor::QuantParams() const { return {}; }
void MSTensor::SetQuantParams(std::vector<QuantParam> /*quant_params*/) {}

}  // namespace mindspore
