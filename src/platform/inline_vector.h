// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace mycel::platform {

// A vector of trivially copyable values that keeps the first N inside itself. Shapes, strides and
// axes are short nearly always, and an allocation per operator call would be most of its cost.
template <class T, std::size_t N>
class InlineVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  InlineVector() = default;
  explicit InlineVector(std::size_t count, T value = T()) { assign(count, value); }
  InlineVector(std::initializer_list<T> values) { append(values.begin(), values.size()); }
  explicit InlineVector(std::span<const T> values) { append(values.data(), values.size()); }
  InlineVector(const std::vector<T>& values) { append(values.data(), values.size()); }
  template <class Iterator>
  InlineVector(Iterator begin, Iterator end) {
    for (; begin != end; ++begin) push_back(*begin);
  }
  InlineVector(const InlineVector& other) { copy_from(other); }
  InlineVector(InlineVector&& other) noexcept { take(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) copy_from(other);
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return heap_ ? heap_.get() : inline_; }
  const T* data() const { return heap_ ? heap_.get() : inline_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  iterator begin() { return data(); }
  iterator end() { return data() + size_; }
  const_iterator begin() const { return data(); }
  const_iterator end() const { return data() + size_; }

  void clear() { size_ = 0; }
  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    const std::size_t grown = std::max(count, std::size_t{capacity_} * 2);
    auto bigger = std::make_unique<T[]>(grown);
    std::copy_n(data(), size_, bigger.get());
    heap_ = std::move(bigger);
    capacity_ = static_cast<std::uint32_t>(grown);
  }
  void resize(std::size_t count, T value = T()) {
    reserve(count);
    if (count > size_) std::fill(data() + size_, data() + count, value);
    size_ = static_cast<std::uint32_t>(count);
  }
  void assign(std::size_t count, T value) {
    size_ = 0;
    resize(count, value);
  }
  void push_back(T value) {
    reserve(size_ + 1);
    data()[size_++] = value;
  }
  void pop_back() { --size_; }
  void erase(std::size_t index) {
    std::copy(begin() + index + 1, end(), begin() + index);
    --size_;
  }
  void insert(std::size_t index, T value) {
    push_back(value);
    std::rotate(begin() + index, end() - 1, end());
  }
  bool operator==(const InlineVector& other) const {
    return size_ == other.size_ && std::equal(begin(), end(), other.begin());
  }
  operator std::span<const T>() const { return {data(), size_}; }

 private:
  void append(const T* values, std::size_t count) {
    reserve(size_ + count);
    std::copy_n(values, count, data() + size_);
    size_ += static_cast<std::uint32_t>(count);
  }
  // Copies the inline part whole: a fixed size is a few vector moves, a variable one a call.
  void copy_from(const InlineVector& other) {
    if (other.heap_ || heap_) {
      size_ = 0;
      append(other.data(), other.size());
      return;
    }
    std::memcpy(inline_, other.inline_, sizeof inline_);
    size_ = other.size_;
  }
  void take(InlineVector& other) {
    if (other.heap_) {
      heap_ = std::move(other.heap_);
      capacity_ = other.capacity_;
    } else {
      heap_.reset();
      capacity_ = N;
      std::memcpy(inline_, other.inline_, sizeof inline_);
    }
    size_ = other.size_;
    other.size_ = 0;
    other.capacity_ = N;
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
  std::unique_ptr<T[]> heap_;
  T inline_[N] = {};
};

// "(2, 3)", "(2,)", "()". Messages take the vector itself, so that the text is made only on
// failure.
template <class T, std::size_t N>
std::string to_string(const InlineVector<T, N>& values) {
  std::string text = "(";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(values[i]);
  }
  return text + (values.size() == 1 ? ",)" : ")");
}

}  // namespace mycel::platform
