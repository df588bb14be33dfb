// SPDX-License-Identifier: Apache-2.0
#include "capture/guard.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <unordered_map>

#include "eager/tape.h"

namespace mycel::capture {

namespace {

std::atomic<std::uint64_t> changes{1};

class TrackingGuard final : public Guard {
 public:
  TrackingGuard(tensor::Tensor tensor, bool is_tracked)
      : tensor_(std::move(tensor)), is_tracked_(is_tracked) {}
  bool holds() const override { return eager::is_tracked(tensor_) == is_tracked_; }
  std::size_t subject() const override {
    return std::hash<const void*>()(static_cast<const void*>(&tensor_.body()));
  }
  bool is_about_same(const Guard& other) const override {
    const auto* same = dynamic_cast<const TrackingGuard*>(&other);
    return same != nullptr && same->tensor_ == tensor_;
  }

 private:
  tensor::Tensor tensor_;
  bool is_tracked_;
};

}  // namespace

Guards united(Guards known, const Guards& further) {
  std::unordered_multimap<std::size_t, const Guard*> by_subject;
  for (const auto& guard : known) by_subject.emplace(guard->subject(), guard.get());
  for (const auto& guard : further) {
    const auto [first, last] = by_subject.equal_range(guard->subject());
    const bool is_there = std::any_of(first, last, [&](const auto& entry) {
      return entry.second->is_about_same(*guard) && entry.second->holds();
    });
    if (!is_there) known.push_back(guard);
  }
  return known;
}

std::shared_ptr<const Guard> tracking_guard(const tensor::Tensor& tensor, bool is_tracked) {
  return std::make_shared<TrackingGuard>(tensor, is_tracked);
}

std::uint64_t change_count() { return changes.load(std::memory_order_acquire); }
void note_change() { changes.fetch_add(1, std::memory_order_release); }

}  // namespace mycel::capture
