// SPDX-License-Identifier: Apache-2.0
// A cache in the memory of a test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cache/client/cache_client.h"

namespace mycel::data {

// What several clients of one cache share.
struct FakeCache {
  std::mutex mutex;  // guards all below
  std::map<std::uint64_t, cache::RowView> rows;
  std::uint64_t most_rows = ~std::uint64_t{0};
  std::string failure;  // what every call answers, unless it is empty
  bool is_built = false;
  bool is_building = false;
  // The builder loses its turn when this many rows are there. Another one has built then, or the
  // turn can be had again.
  std::optional<std::uint64_t> lose_turn_at;
  bool is_built_by_another = false;
  int finds = 0;
  int offers = 0;
};

class FakeCacheClient : public cache::CacheClient {
 public:
  explicit FakeCacheClient(std::shared_ptr<FakeCache> shared) : cache_(std::move(shared)) {}
  ~FakeCacheClient() override {
    const std::lock_guard lock(cache_->mutex);
    if (builds_) {
      cache_->is_building = false;
      cache_->rows.clear();
    }
  }

  cache::Result<std::optional<cache::RowView>> find(std::uint64_t row_id) override {
    const std::lock_guard lock(cache_->mutex);
    if (const auto error = failure()) return *error;
    ++cache_->finds;
    const auto found = cache_->rows.find(row_id);
    if (found == cache_->rows.end()) return std::optional<cache::RowView>();
    return std::optional(found->second);
  }
  void will_need(std::span<const std::uint64_t>) override {}
  cache::Result<cache::Done> offer(std::uint64_t row_id,
                                   std::span<const cache::Bytes> parts) override {
    const std::lock_guard lock(cache_->mutex);
    if (const auto error = failure()) return *error;
    ++cache_->offers;
    if (cache_->rows.size() < cache_->most_rows) cache_->rows.try_emplace(row_id, joined(parts));
    return cache::Done();
  }
  bool takes_rows() const override {
    const std::lock_guard lock(cache_->mutex);
    return cache_->rows.size() < cache_->most_rows;
  }
  cache::Result<cache::Done> flush() override { return cache::Done(); }

  cache::Result<cache::BuildTurn> begin_build(std::stop_token stop,
                                              const cache::Attend& attend) override {
    std::unique_lock lock(cache_->mutex);
    if (const auto error = failure()) return *error;
    while (cache_->is_building) {
      lock.unlock();
      attend();
      lock.lock();
      if (stop.stop_requested()) return platform::Error(platform::ErrorKind::Runtime, "stopped");
    }
    if (cache_->is_built) return cache::BuildTurn::Ready;
    builds_ = cache_->is_building = true;
    return cache::BuildTurn::Build;
  }
  cache::Result<cache::BuildStep> append(std::span<const cache::Bytes> parts) override {
    const std::lock_guard lock(cache_->mutex);
    if (const auto error = failure()) return *error;
    if (cache_->rows.size() >= cache_->most_rows)
      return platform::Error(platform::ErrorKind::Runtime, "Out of memory.");
    if (cache_->lose_turn_at == cache_->rows.size()) return lost_turn();
    cache_->rows.try_emplace(cache_->rows.size(), joined(parts));
    return cache::BuildStep::Kept;
  }
  cache::Result<cache::BuildStep> end_build() override {
    const std::lock_guard lock(cache_->mutex);
    if (cache_->lose_turn_at == cache_->rows.size()) return lost_turn();
    builds_ = cache_->is_building = false;
    cache_->is_built = true;
    return cache::BuildStep::Kept;
  }
  std::uint64_t row_count() const override {
    const std::lock_guard lock(cache_->mutex);
    return cache_->rows.size();
  }
  cache::Result<cache::CacheStatistics> statistics() override {
    const std::lock_guard lock(cache_->mutex);
    if (const auto error = failure()) return *error;
    cache::CacheStatistics figures;
    figures.rows_in_memory = cache_->rows.size();
    return figures;
  }
  std::uint64_t connection_id() const override { return 1; }

 private:
  std::optional<platform::Error> failure() const {
    if (cache_->failure.empty()) return std::nullopt;
    return platform::Error(platform::ErrorKind::Runtime, cache_->failure);
  }
  cache::BuildStep lost_turn() {
    cache_->lose_turn_at.reset();
    builds_ = cache_->is_building = false;
    cache_->is_built = cache_->is_built_by_another;
    if (!cache_->is_built) cache_->rows.clear();
    return cache::BuildStep::TurnLost;
  }
  static cache::RowView joined(std::span<const cache::Bytes> parts) {
    std::size_t size = 0;
    for (const cache::Bytes part : parts) size += part.size();
    const std::shared_ptr<void> memory(std::aligned_alloc(64, (size + 127) / 64 * 64), std::free);
    auto* to = static_cast<std::byte*>(memory.get());
    for (const cache::Bytes part : parts) to = std::copy(part.begin(), part.end(), to);
    return {{static_cast<const std::byte*>(memory.get()), size}, memory};
  }

  std::shared_ptr<FakeCache> cache_;
  bool builds_ = false;
};

}  // namespace mycel::data
