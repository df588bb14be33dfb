// SPDX-License-Identifier: Apache-2.0
#include "data/lent_array.h"

#include <cstring>
#include <utility>

namespace mycel::data {

namespace {

// Says of a storage that it is lent, also to those who see only a view of it.
class Lender : public tensor::StorageNotes {
 public:
  explicit Lender(std::shared_ptr<const void> owner) : owner_(std::move(owner)) {}

 private:
  std::shared_ptr<const void> owner_;
};

}  // namespace

Tensor lent_array(platform::Bytes bytes, DType dtype, const Shape& shape,
                  std::shared_ptr<const void> owner) {
  auto storage = tensor::Storage::borrow(
      {}, const_cast<std::byte*>(bytes.data()), bytes.size(), [](void*) {}, nullptr);
  storage->set_notes(Ref<tensor::StorageNotes>(new Lender(std::move(owner))));
  return Tensor::from_storage(std::move(storage), shape, dtype);
}

bool is_lent(const Tensor& array) {
  const auto& notes = array.storage().notes();
  return notes && dynamic_cast<const Lender*>(notes.get()) != nullptr;
}

Tensor own_array(const Tensor& array) {
  if (!is_lent(array)) return array;
  Tensor copy = Tensor::empty(array.shape(), array.dtype());
  if (copy.bytes() > 0) std::memcpy(copy.raw(), array.raw(), copy.bytes());
  return copy;
}

}  // namespace mycel::data
