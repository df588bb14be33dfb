// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace mycel::platform {

// Base of objects that count their owners inside themselves: one allocation and no control block.
// `T` must derive from RefCounted<T>; T::recycle(T*) may be provided to return memory to a free
// list.
template <class T>
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) {}
  RefCounted& operator=(const RefCounted&) { return *this; }
  void retain() const { owners_.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      T::destroy(static_cast<const T*>(this));
  }
  std::uint32_t owner_count() const { return owners_.load(std::memory_order_relaxed); }
  static void destroy(const T* object) { delete object; }

 private:
  mutable std::atomic<std::uint32_t> owners_{0};
};

template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* object) : object_(object) {
    if (object_ != nullptr) object_->retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->release();
  }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const Ref& other) const { return object_ == other.object_; }
  void reset() { *this = Ref(); }

 private:
  T* object_ = nullptr;
};

}  // namespace mycel::platform
