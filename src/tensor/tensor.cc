// SPDX-License-Identifier: Apache-2.0
#include "tensor/tensor.h"

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "platform/error/error.h"
#include "tensor/live_report.h"

namespace mycel::tensor {
namespace {

using platform::ErrorKind;

// Bodies come and go with every operator call; a per-thread list saves the general allocator's
// cost. Trivially destructible on purpose: objects may be freed after the thread's destructors ran.
struct FreeList {
  static constexpr std::size_t kLimit = 256;
  void* items[kLimit];
  std::size_t count;
  enum class State : std::uint8_t { New, Open, Closed } state;
};
thread_local FreeList free_bodies;
thread_local FreeList free_storages;

// Empties the lists when the thread ends; what is freed after that goes straight back.
struct FreeListKeeper {
  ~FreeListKeeper() {
    for (FreeList* list : {&free_bodies, &free_storages}) {
      while (list->count > 0) ::operator delete(list->items[--list->count]);
      list->state = FreeList::State::Closed;
    }
  }
  void open() {
    for (FreeList* list : {&free_bodies, &free_storages}) list->state = FreeList::State::Open;
  }
};
thread_local FreeListKeeper free_list_keeper;

void* take(FreeList& list, std::size_t bytes) {
  return list.count > 0 ? list.items[--list.count] : ::operator new(bytes);
}

void give(FreeList& list, void* memory) {
  if (list.state == FreeList::State::New) [[unlikely]]
    free_list_keeper.open();  // its first use also arranges its destruction
  if (list.state == FreeList::State::Open && list.count < FreeList::kLimit) [[likely]] {
    list.items[list.count++] = memory;
  } else {
    ::operator delete(memory);
  }
}

std::size_t checked_bytes(const Shape& shape, DType dtype) {
  std::size_t bytes = 0;
  const bool overflow = __builtin_mul_overflow(static_cast<std::size_t>(element_count(shape)),
                                               size_of(dtype), &bytes);
  platform::require(!overflow, ErrorKind::Value, "a tensor of shape ", shape, " and type ", dtype,
                    " does not fit the address space");
  return bytes;
}

Ref<Storage> allocate_for(const Shape& shape, DType dtype, Device device) try {
  return Storage::allocate(device, checked_bytes(shape, dtype));
} catch (const platform::Error& error) {
  if (error.kind() != ErrorKind::Memory) throw;
  platform::fail(ErrorKind::Memory, "no room for a tensor of shape ", shape, " and type ", dtype,
                 ". ", error.message());
}

}  // namespace

void* TensorBody::operator new(std::size_t bytes) { return take(free_bodies, bytes); }
void TensorBody::operator delete(void* memory) noexcept { give(free_bodies, memory); }

thread_local std::uint32_t Storage::birth_mark = 0;

Ref<Storage> Storage::allocate(Device device, std::size_t bytes) {
  const device::Block block = device::allocate(device, bytes);
  auto* storage = new (take(free_storages, sizeof(Storage))) Storage();
  storage->birth_ = birth_mark;
  storage->block_ = block;
  storage->bytes_ = bytes;
  storage->device_ = device;
  if (bytes >= LiveStorages::kNotedBytes) [[unlikely]]
    LiveStorages::add(*storage);
  return Ref<Storage>(storage);
}

Ref<Storage> Storage::borrow(Device device, void* data, std::size_t bytes, Release release,
                             void* owner) {
  auto* storage = new (take(free_storages, sizeof(Storage))) Storage();
  storage->block_ = {data, bytes};
  storage->bytes_ = bytes;
  storage->device_ = device;
  storage->release_ = release;
  storage->owner_ = owner;
  storage->birth_ = birth_mark;
  return Ref<Storage>(storage);
}

Ref<Storage> Storage::promise(Device device, std::size_t bytes, StorageWatcher& watcher) {
  Ref<Storage> storage = borrow(
      device, nullptr, bytes, [](void*) {}, nullptr);
  storage->watcher_ = &watcher;
  return storage;
}

void Storage::fulfil(const Ref<Storage>& content, std::size_t skip) {
  content->retain();
  if (release_ != nullptr) release_(owner_);
  block_ = {static_cast<char*>(content->block_.data) + skip, bytes_};
  device_ = content->device();
  content->note_export();
  release_ = [](void* held) { static_cast<Storage*>(held)->release(); };
  owner_ = lender_ = content.get();
}

void Storage::destroy(const Storage* storage) {
  if (storage->release_ != nullptr) {
    storage->release_(storage->owner_);
  } else {
    if (storage->bytes_ >= LiveStorages::kNotedBytes) [[unlikely]] {
      LiveStorages::remove(*const_cast<Storage*>(storage));
    }
    device::release(storage->device(), storage->block_);
  }
  storage->~Storage();
  give(free_storages, const_cast<Storage*>(storage));
}

namespace {

// Of a storage that has moved although somebody has the address of where it was.
struct MovedMemory {
  Device device;
  device::Block block;
  Ref<Storage> before;
};

void release_moved(void* owner) {
  const std::unique_ptr<MovedMemory> moved(static_cast<MovedMemory*>(owner));
  device::release(moved->device, moved->block);
}

}  // namespace

// The other one, fresh from the pool, has what this one had afterwards.
void Storage::take_memory(const Ref<Storage>& other) {
  const auto is_listed = [](const Storage& storage) {
    return storage.release_ == nullptr && storage.bytes_ >= LiveStorages::kNotedBytes;
  };
  for (Storage* storage : {this, other.get()}) {
    if (is_listed(*storage)) LiveStorages::remove(*storage);
  }
  std::swap(block_, other->block_);
  std::swap(release_, other->release_);
  std::swap(owner_, other->owner_);
  std::swap(lender_, other->lender_);
  if (is_exported_) {
    owner_ = std::make_unique<MovedMemory>(MovedMemory{other->device(), block_, other}).release();
    release_ = release_moved;
  }
  other->device_ = device_.exchange(other->device(), std::memory_order_acq_rel);
  for (Storage* storage : {this, other.get()}) {
    if (is_listed(*storage)) LiveStorages::add(*storage);
  }
}

Tensor Tensor::empty(const Shape& shape, DType dtype, Device device) {
  auto* body = new TensorBody();
  Ref<TensorBody> owner(body);
  body->storage = allocate_for(shape, dtype, device);
  body->shape = shape;
  body->strides = contiguous_strides(shape);
  body->dtype = dtype;
  return Tensor(std::move(owner));
}

Tensor Tensor::view(const Tensor& base, const Shape& shape, const Strides& strides,
                    std::int64_t offset) {
  auto* body = new TensorBody();
  Ref<TensorBody> owner(body);
  body->storage = base.body().storage;
  body->shape = shape;
  body->strides = strides;
  body->offset = offset;
  body->dtype = base.dtype();
  body->seen_version = body->storage->version();
  return Tensor(std::move(owner));
}

Tensor Tensor::from_storage(Ref<Storage> storage, const Shape& shape, DType dtype) {
  auto* body = new TensorBody();
  Ref<TensorBody> owner(body);
  body->storage = std::move(storage);
  body->shape = shape;
  body->strides = contiguous_strides(shape);
  body->dtype = dtype;
  return Tensor(std::move(owner));
}

double Tensor::as_double() const {
  if (storage().watcher() != nullptr) [[unlikely]] {
    if (const Tensor seen = readable(); !(seen == *this)) return seen.as_double();
  }
  if (device().backend != device::kHostBackend) return copy_to_device(*this, Device{}).as_double();
  platform::require(size() == 1, ErrorKind::Value,
                    "Only one element tensors can be converted to Python ",
                    "scalars, but got shape ", shape());
  return with_any_type(dtype(), [&]<class T>() -> double {
    if constexpr (std::is_same_v<T, std::complex<float>> ||
                  std::is_same_v<T, std::complex<double>>) {
      return static_cast<double>(data<T>()->real());
    } else {
      return static_cast<double>(*data<T>());
    }
  });
}

std::int64_t Tensor::as_int() const {
  if (storage().watcher() != nullptr) [[unlikely]] {
    if (const Tensor seen = readable(); !(seen == *this)) return seen.as_int();
  }
  if (device().backend != device::kHostBackend) return copy_to_device(*this, Device{}).as_int();
  platform::require(size() == 1, ErrorKind::Value,
                    "Only one element tensors can be converted to Python ",
                    "scalars, but got shape ", shape());
  if (!is_integral(dtype()) && dtype() != DType::Bool)
    return static_cast<std::int64_t>(as_double());
  return with_real_type(dtype(), [&]<class T>() { return static_cast<std::int64_t>(*data<T>()); });
}

}  // namespace mycel::tensor
