// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "api/boundary.h"
#include "include/api/types.h"

namespace mindspore {

class Buffer::Impl {
 public:
  std::vector<unsigned char> bytes;
};

Buffer::Buffer() : impl_(std::make_shared<Impl>()) {}

Buffer::Buffer(const void* data, size_t data_len) : Buffer() {
  mycel::api::guarded_value("Buffer::Buffer", 0, [&] {
    impl_->bytes.resize(data_len);
    if (data != nullptr)
      std::copy_n(static_cast<const unsigned char*>(data), data_len, impl_->bytes.begin());
    return 0;
  });
}

Buffer::~Buffer() = default;

const void* Buffer::Data() const { return impl_->bytes.data(); }
void* Buffer::MutableData() { return impl_->bytes.data(); }
size_t Buffer::DataSize() const { return impl_->bytes.size(); }

bool Buffer::ResizeData(size_t data_len) {
  return mycel::api::guarded_value("Buffer::ResizeData", false, [&] {
    impl_->bytes.resize(data_len);
    return true;
  });
}

bool Buffer::SetData(const void* data, size_t data_len) {
  if ((data == nullptr) != (data_len == 0)) return false;
  return mycel::api::guarded_value("Buffer::SetData", false, [&] {
    const auto* const bytes = static_cast<const unsigned char*>(data);
    impl_->bytes = std::vector<unsigned char>(bytes, bytes + data_len);
    return true;
  });
}

Buffer Buffer::Clone() const { return {impl_->bytes.data(), impl_->bytes.size()}; }

Key::Key(const char* dec_key, size_t key_len) {
  if (dec_key == nullptr || key_len > max_key_len) {
    mycel::api::failure(kMEInvalidInput, "Key::Key",
                        "a key has at most 32 bytes and is not null; it stays empty");
    return;
  }
  len = key_len;
  std::memcpy(key, dec_key, key_len);
}

}  // namespace mindspore
