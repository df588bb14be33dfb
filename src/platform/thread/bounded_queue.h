// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace mycel::platform {

// Hands items from some threads to others, first in, first out. A full queue makes writers wait,
// an empty one readers; both can be stopped. After close() nothing goes in, and readers get what is
// left, then nothing.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}

  // False: asked to stop, or closed; the item was dropped.
  bool push(T item, std::stop_token stop = {}) {
    std::unique_lock lock(mutex_);
    const bool ready =
        changed_.wait(lock, stop, [&] { return closed_ || items_.size() < capacity_; });
    if (!ready || closed_) return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return true;
  }

  // Takes from `item` only when there is room now.
  bool try_push(T& item) {
    const std::lock_guard lock(mutex_);
    if (closed_ || items_.size() >= capacity_) return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return true;
  }

  // Nothing: asked to stop while empty, or closed and drained.
  std::optional<T> pop(std::stop_token stop = {}) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [&] { return closed_ || !items_.empty(); });
    return take();
  }

  std::optional<T> try_pop() {
    const std::lock_guard lock(mutex_);
    return take();
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return items_.size();
  }
  std::size_t capacity() const { return capacity_; }

 private:
  std::optional<T> take() {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

  const std::size_t capacity_;
  mutable std::mutex mutex_;  // guards items_ and closed_
  std::condition_variable_any changed_;
  std::deque<T> items_;
  bool closed_ = false;
};

}  // namespace mycel::platform
