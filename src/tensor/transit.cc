// SPDX-License-Identifier: Apache-2.0
#include "tensor/transit.h"

#include <memory>

#include "device/current.h"
#include "device/pinned.h"

namespace mycel::tensor {
namespace {

struct PinnedOwner {
  std::uint8_t backend;
  device::Block block;
};

void give_back(void* owner) {
  const std::unique_ptr<PinnedOwner> held(static_cast<PinnedOwner*>(owner));
  device::release_pinned(held->backend, held->block);
}

}  // namespace

Tensor empty_in_transit(const Shape& shape, DType dtype) {
  const Device device = device::leaves_host() ? device::current_device() : Device{};
  if (device.backend == device::kHostBackend) return Tensor::empty(shape, dtype);
  const auto bytes = static_cast<std::size_t>(element_count(shape)) * size_of(dtype);
  const device::Block block = device::allocate_pinned(device.backend, bytes);
  if (block.data == nullptr) return Tensor::empty(shape, dtype);
  auto owner = std::make_unique<PinnedOwner>(PinnedOwner{device.backend, block});
  return Tensor::from_storage(Storage::borrow({}, block.data, bytes, give_back, owner.release()),
                              shape, dtype);
}

Tensor handed_over(const Tensor& tensor) {
  if (!device::leaves_host() || tensor.device().backend != device::kHostBackend) return tensor;
  Storage& lender = tensor.storage();
  lender.retain();
  auto storage = Storage::borrow(
      {}, lender.data(), lender.bytes(), [](void* held) { static_cast<Storage*>(held)->release(); },
      &lender);
  const Tensor base = Tensor::from_storage(std::move(storage), {0}, tensor.dtype());
  return Tensor::view(base, tensor.shape(), tensor.strides(), tensor.body().offset);
}

}  // namespace mycel::tensor
