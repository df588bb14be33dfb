// SPDX-License-Identifier: Apache-2.0
// Between the messages of cache.proto and our own values. For the sources that speak gRPC only.
#pragma once

#include <cache.pb.h>

#include "cache/client/cache_client.h"

namespace mycel::cache::wire {

inline CacheStatistics statistics_of(const CacheState& state) {
  return {.rows_in_memory = state.rows_in_memory(),
          .rows_on_disk = state.rows_on_disk(),
          .bytes_in_memory = state.bytes_in_memory(),
          .bytes_on_disk = state.bytes_on_disk(),
          .hits = state.hits(),
          .misses = state.misses(),
          .clients = state.clients()};
}

inline void fill(CacheState& state, std::uint32_t cache_id, const CacheStatistics& statistics) {
  state.set_cache_id(cache_id);
  state.set_rows_in_memory(statistics.rows_in_memory);
  state.set_rows_on_disk(statistics.rows_on_disk);
  state.set_bytes_in_memory(statistics.bytes_in_memory);
  state.set_bytes_on_disk(statistics.bytes_on_disk);
  state.set_hits(statistics.hits);
  state.set_misses(statistics.misses);
  state.set_clients(statistics.clients);
}

}  // namespace mycel::cache::wire
