// SPDX-License-Identifier: Apache-2.0
// The rows of one cached part of a pipeline: row_codec over a cache client.
#pragma once

#include <atomic>
#include <cstdint>
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

  // Stores all rows of a stream, unless somebody has done so: after `begin_rows()`, which may be
  // called again, `next_row()` gives them one by one and nothing at the end. Whatever these throw
  // ends the build, and the client, so that another one may have its turn. `attend` is called while
  // another client's build is waited for.
  template <class BeginRows, class NextRow>
  void build(std::stop_token stop, const cache::Attend& attend, const BeginRows& begin_rows,
             const NextRow& next_row) {
    while (begin_build(stop, attend) == cache::BuildTurn::Build) {
      try {
        begin_rows();
        if (append_all(next_row) == cache::BuildStep::Kept) return;
      } catch (...) {
        client_ = nullptr;
        throw;
      }
    }
  }
  std::int64_t row_count() const { return static_cast<std::int64_t>(client_->row_count()); }

  cache::CacheStatistics statistics() const;
  // False: it failed, and whoever wants the cache has to open another one.
  bool is_usable() const;

 private:
  cache::BuildTurn begin_build(std::stop_token stop, const cache::Attend& attend);
  template <class NextRow>
  cache::BuildStep append_all(const NextRow& next_row) {
    while (const std::optional<std::span<const Bytes>> parts = next_row())
      if (append(*parts) == cache::BuildStep::TurnLost) return cache::BuildStep::TurnLost;
    return end_build();
  }
  cache::BuildStep append(std::span<const Bytes> parts);
  cache::BuildStep end_build();
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
