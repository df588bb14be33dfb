// SPDX-License-Identifier: Apache-2.0
// The rows of one cached part of a pipeline: row_codec over a cache client.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "cache/client/cache_client.h"
#include "data/row_codec.h"

namespace mycel::data {

// What a pipeline does when the cache fails while it runs.
enum class CacheFailure : std::uint8_t {
  Raise,
  Bypass,  // one warning, then rows come from the source
};

// Threads use it at the same time.
class RowCache {
 public:
  // `ahead`: rows on disk are asked for in groups of so many before they are wanted; 0: never.
  RowCache(std::unique_ptr<cache::CacheClient> client, CacheFailure on_failure, std::size_t ahead)
      : client_(std::move(client)), on_failure_(on_failure), ahead_(ahead) {}

  struct Found {
    RowReader row;
    std::shared_ptr<const void> owner;  // of the bytes
  };
  // The row under this number, if it is there.
  std::optional<Found> find(std::int64_t row);
  // `row` will be looked for soon.
  void announce(std::int64_t row, std::vector<std::uint64_t>& announced);
  // False: offers are in vain.
  bool takes_rows() const;
  void offer(std::int64_t row, std::span<const Bytes> parts);

  // Stores all rows of a stream, unless somebody has done so: `next_row` gives them one by one and
  // nothing at the end. Whatever it throws ends the build, and the client, so that another one may
  // have its turn. `attend` is called now and then while somebody else stores them.
  template <class NextRow>
  void build(std::stop_token stop, const std::function<void()>& attend, const NextRow& next_row) {
    if (begin_build(std::move(stop), attend) == cache::BuildTurn::Ready) return;
    try {
      while (const std::optional<std::span<const Bytes>> parts = next_row()) append(*parts);
      end_build();
    } catch (...) {
      client_ = nullptr;
      throw;
    }
  }
  std::int64_t row_count() const { return static_cast<std::int64_t>(client_->row_count()); }

  cache::CacheStatistics statistics() const;
  // False: it failed, and whoever wants the cache has to open another one.
  bool is_usable() const;

 private:
  cache::BuildTurn begin_build(std::stop_token stop, const std::function<void()>& attend);
  void append(std::span<const Bytes> parts);
  void end_build();
  void fail_or_bypass(const platform::Error& error);

  std::unique_ptr<cache::CacheClient> client_;  // null: a build failed
  CacheFailure on_failure_;
  std::size_t ahead_;
  std::atomic<bool> is_bypassed_ = false;
};

// Joins a cache, or throws what the server says.
std::shared_ptr<RowCache> open_row_cache(const cache::CacheOptions& options,
                                         CacheFailure on_failure);

}  // namespace mycel::data
