// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "device/backend.h"
#include "device/pool.h"
#include "platform/ref.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace mycel::tensor {

using device::Device;
using platform::Ref;

class Storage;
class Tensor;
class TensorBody;

// Whoever wants to know that somebody reads a storage's bytes: a capture, which may still have to
// compute them.
class StorageWatcher {
 public:
  // `window`: what is read of it; null: all of it.
  virtual void before_read(Storage& storage, const TensorBody* window) = 0;
  // The tensor that somebody who reads `tensor` now is to see; may be another one.
  virtual Tensor readable(const Tensor& tensor) = 0;

 protected:
  ~StorageWatcher() = default;
};

// What somebody notes about a storage (the tape: who wrote it, what was in it). Opaque here.
class StorageNotes : public platform::RefCounted<StorageNotes> {
 public:
  virtual ~StorageNotes() = default;
};

// Bytes on a device, shared by every view of them.
class Storage : public platform::RefCounted<Storage> {
 public:
  using Release = void (*)(void* owner);

  static Ref<Storage> allocate(Device device, std::size_t bytes);
  // Memory that somebody else owns (a NumPy array, a DLPack capsule); `release(owner)` ends the
  // loan.
  static Ref<Storage> borrow(Device device, void* data, std::size_t bytes, Release release,
                             void* owner);
  // Bytes that do not exist yet: the watcher provides them (`fulfil`) before the first read.
  static Ref<Storage> promise(Device device, std::size_t bytes, StorageWatcher& watcher);
  static void destroy(const Storage* storage);

  void* data() const {
    if (watcher_ != nullptr) [[unlikely]]
      watcher_->before_read(*const_cast<Storage*>(this), nullptr);
    return block_.data;
  }
  void* data_unwatched() const { return block_.data; }
  StorageWatcher* watcher() const { return watcher_; }
  void set_watcher(StorageWatcher* watcher) { watcher_ = watcher; }
  bool is_promise() const { return watcher_ != nullptr && block_.data == nullptr && bytes_ > 0; }
  // Lends this promise the bytes of another storage, from `skip` on; the other lives as long.
  void fulfil(const Ref<Storage>& content, std::size_t skip = 0);
  const Storage* lender() const { return lender_; }  // null: these bytes are its own
  // Points a borrowed storage somewhere else; its owner answers for the lifetime.
  void rebind(void* data) { block_.data = data; }
  // Brings the bytes to another device, for every view of them; memory that was lent is left.
  // Nothing happens where they are there already.
  void move_to(Device device);
  // Somebody outside has the address of these bytes (an array of NumPy): should they move, the
  // memory stays, with what it holds, as long as this storage does.
  void note_export() { is_exported_ = true; }
  // Another stream than the one they were made for works on these bytes.
  void note_use(device::Stream& stream) const { device::note_use(device(), block_, stream); }
  // The stream whose work they were made for; null on the host and for lent bytes.
  device::Stream* stream() const { return device::stream_of(block_); }

  // Whether other tensors may reach these bytes through another storage, or did so from outside a
  // compiled function (`note_reference`).
  bool may_be_known_otherwise() const { return is_reference_ || release_ != nullptr; }
  void note_reference() { is_reference_ = true; }

  // The mark that was current (`birth_mark`) when the storage was made.
  std::uint32_t birth() const { return birth_; }
  static thread_local std::uint32_t birth_mark;
  // Of Python's numbers: the same whenever it is looked at.
  bool is_constant() const { return birth_ == kConstant; }
  void set_constant() { birth_ = kConstant; }
  std::size_t bytes() const { return bytes_; }
  // Threads that share a tensor may bring it to a device together.
  Device device() const { return device_.load(std::memory_order_acquire); }

  // Counts in-place writes, here and in the storage whose bytes these are.
  std::uint32_t version() const { return version_; }
  void bump_version() {
    for (Storage* written = this; written != nullptr; written = written->lender_)
      ++written->version_;
  }
  // Version after the last in-place write that the tape recorded.
  std::uint32_t recorded_version() const { return recorded_version_; }
  void note_recorded_write() {
    bump_version();
    recorded_version_ = version_;
  }

  // Those who will want this content again as it is now (gradient rules): a write has to keep it
  // for them.
  void add_saver() const {
    savers_.fetch_add(1, std::memory_order_relaxed);
    saved_version_.store(version_, std::memory_order_relaxed);
  }
  // True: that was the last one.
  bool remove_saver() const { return savers_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  bool is_saved() const {
    return savers_.load(std::memory_order_relaxed) > 0 &&
           saved_version_.load(std::memory_order_relaxed) == version_;
  }
  const Ref<StorageNotes>& notes() const { return notes_; }
  void set_notes(Ref<StorageNotes> notes) { notes_ = std::move(notes); }

 private:
  friend class LiveStorages;
  static constexpr std::uint32_t kConstant = 0xFFFFFFFF;
  Storage() = default;
  void take_memory(const Ref<Storage>& other);
  device::Block block_;
  std::size_t bytes_ = 0;
  std::atomic<Device> device_ = Device{};
  Release release_ = nullptr;  // null: the block belongs to the pool
  void* owner_ = nullptr;
  Storage* lender_ = nullptr;         // of a promise that was fulfilled: whose bytes these are
  Storage* previous_live_ = nullptr;  // neighbours in the list of large storages
  Storage* next_live_ = nullptr;
  StorageWatcher* watcher_ = nullptr;
  bool is_reference_ = false;
  bool is_exported_ = false;
  std::uint32_t version_ = 0;
  std::uint32_t recorded_version_ = 0;
  std::uint32_t birth_ = 0;
  mutable std::atomic<std::uint32_t> savers_{0};
  mutable std::atomic<std::uint32_t> saved_version_{0};
  Ref<StorageNotes> notes_;
};

// How a tensor came to be, for whoever records it (the tape). Opaque here.
class History : public platform::RefCounted<History> {
 public:
  virtual ~History() = default;
};

class TensorBody : public platform::RefCounted<TensorBody> {
 public:
  Ref<Storage> storage;
  Shape shape;
  Strides strides;
  std::int64_t offset = 0;  // elements
  DType dtype = DType::Float32;
  bool is_number = false;          // stands for a Python number: never widens the other operand
  bool is_parameter = false;       // writes while recording go to a fresh copy
  std::uint32_t output_index = 0;  // which output of `history` this is
  std::uint32_t seen_version = 0;  // storage version this body's history belongs to
  Ref<History> history;

  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory) noexcept;
};

// A handle to a strided array. Copies share the body; views share the storage.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(Ref<TensorBody> body) : body_(std::move(body)) {}

  // Contiguous and uninitialised.
  static Tensor empty(const Shape& shape, DType dtype, Device device = {});
  // Shares the storage of `base`; the caller answers for the bounds.
  static Tensor view(const Tensor& base, const Shape& shape, const Strides& strides,
                     std::int64_t offset);
  static Tensor from_storage(Ref<Storage> storage, const Shape& shape, DType dtype);

  bool defined() const { return static_cast<bool>(body_); }
  TensorBody& body() const { return *body_; }
  const Ref<TensorBody>& body_ref() const { return body_; }
  const Shape& shape() const { return body_->shape; }
  const Strides& strides() const { return body_->strides; }
  DType dtype() const { return body_->dtype; }
  Device device() const { return body_->storage->device(); }
  Storage& storage() const { return *body_->storage; }
  std::int64_t rank() const { return static_cast<std::int64_t>(body_->shape.size()); }
  std::int64_t size() const { return element_count(body_->shape); }
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * size_of(dtype()); }
  bool is_contiguous() const { return tensor::is_contiguous(body_->shape, body_->strides); }

  void* raw() const {
    Storage& storage = *body_->storage;
    if (storage.watcher() != nullptr) [[unlikely]]
      storage.watcher()->before_read(storage, body_.get());
    return static_cast<char*>(storage.data_unwatched()) +
           static_cast<std::size_t>(body_->offset) * size_of(body_->dtype);
  }
  template <class T>
  T* data() const {
    return static_cast<T*>(raw());
  }
  // What is to be read instead of this tensor by whoever shows values to people or programs.
  Tensor readable() const {
    StorageWatcher* const watcher = body_->storage->watcher();
    return watcher == nullptr ? *this : watcher->readable(*this);
  }
  // The only element of a one-element tensor, converted; waits for the device.
  double as_double() const;
  std::int64_t as_int() const;

  bool operator==(const Tensor& other) const { return body_ == other.body_; }

 private:
  Ref<TensorBody> body_;
};

// Copy of any strided tensor, bit by bit, from and to any device. Work on a device is put on the
// thread's current stream there; what the host is to see has been waited for.
void copy_elements(const Tensor& source, const Tensor& target);
Tensor contiguous(const Tensor& tensor);  // itself when it is already

// A dense copy on another device; the tensor itself when it is there.
Tensor copy_to_device(const Tensor& source, Device target);
// The same for tensors that are to be there from now on: all that share their bytes follow.
void settle_on(Device device, std::span<const Tensor> tensors);

}  // namespace mycel::tensor
