// SPDX-License-Identifier: Apache-2.0
#include "api/shared_weights.h"

#include <algorithm>
#include <string_view>

namespace mycel::api {

using tensor::Storage;
using tensor::Tensor;

namespace {

constexpr std::size_t kFewBytes = 4096;  // not worth the trouble

std::string_view bytes_of(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw()), tensor.bytes()};
}

}  // namespace

// Never destroyed: models may outlive what the program destroys at its end.
SharedWeights& SharedWeights::of_process() {
  static auto* const weights = new SharedWeights;
  return *weights;
}

Tensor SharedWeights::shared(const Tensor& read) {
  if (read.bytes() < kFewBytes) return read;
  // Every model has a storage of its own over the bytes: whoever records a model notes in its
  // storages that it does.
  auto* const owner = new Content(content(read));
  const auto release = [](void* held) { delete static_cast<Content*>(held); };
  return Tensor::from_storage(
      Storage::borrow(read.device(), (*owner)->raw(), read.bytes(), release, owner), read.shape(),
      read.dtype());
}

SharedWeights::Content SharedWeights::content(const Tensor& read) {
  const std::string_view bytes = bytes_of(read);
  const std::size_t hash = std::hash<std::string_view>()(bytes);
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = known_.equal_range(hash);
  for (auto each = begin; each != end; ++each) {
    Content found = each->second.lock();
    if (found && bytes_of(*found) == bytes) return found;
  }
  forget_dead();
  auto made = std::make_shared<const Tensor>(read);
  known_.emplace(hash, made);
  return made;
}

void SharedWeights::forget_dead() {
  if (known_.size() < next_clearing_) return;
  std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
  next_clearing_ = std::max<std::size_t>(64, 2 * known_.size());
}

}  // namespace mycel::api
