// SPDX-License-Identifier: Apache-2.0
// What a data pipeline sees of the row cache. Rows are bytes here; what they mean is the caller's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "platform/error/error.h"
#include "platform/file/file.h"

namespace mycel::cache {

using platform::Bytes;
using platform::Done;
using platform::Result;

constexpr std::uint16_t kDefaultPort = 50052;

// How the source behind a cache is read, which decides how the cache is filled.
enum class SourceKind : std::uint8_t {
  Mappable,  // rows have ids: find() first, offer() what was not there; anybody may write
  Stream,    // rows have an order only: one client stores all of them before anybody reads
};

struct CacheOptions {
  std::uint16_t port = kDefaultPort;
  std::uint32_t session = 0;
  // Checksum of what is cached, as users see it in lists. It only has to be likely to differ: the
  // server compares descriptions, and one that differs is another cache.
  std::uint32_t cache_id = 0;
  // Everything that decides the rows' values, in full or as a digest; at most 1 MiB.
  std::string description;
  SourceKind kind = SourceKind::Mappable;
  std::uint64_t size_mb = 0;  // of rows in memory; 0: no limit but the server's
  bool spilling = false;      // rows that do not fit go to the server's spill folder
  int prefetch = 20;          // rows will_need() is worth calling for
};

// The bytes of a row, where the server put them. They stay there, unchanged, while a copy of
// `keep_alive` exists, whatever becomes of the client, the session or the server.
struct RowView {
  Bytes bytes;
  std::shared_ptr<const void> keep_alive;
};

struct CacheStatistics {
  std::uint64_t rows_in_memory = 0;
  std::uint64_t rows_on_disk = 0;
  std::uint64_t bytes_in_memory = 0;
  std::uint64_t bytes_on_disk = 0;
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint32_t clients = 0;
  std::uint64_t average_row_bytes() const {
    const std::uint64_t rows = rows_in_memory + rows_on_disk;
    return rows == 0 ? 0 : (bytes_in_memory + bytes_on_disk) / rows;
  }
};

// Whose turn it is to fill the cache of a stream.
enum class BuildTurn : std::uint8_t {
  Ready,  // all rows are there: read them
  Build,  // append() every row, then end_build()
};

// What became of rows that were appended, or of the whole build.
enum class BuildStep : std::uint8_t {
  Kept,
  TurnLost,  // this process had stood still and another client builds: begin_build() again
};

// Called now and then by whoever waits, which has other things to look after. What it throws ends
// the wait.
using Attend = std::function<void()>;

// One user of one cache. Any number of threads may call any of its functions at once, but for those
// of a build, which one thread calls. All errors are RuntimeErrors with the text users are to see:
// server not there or lost, session dropped, no memory left.
//
// A hit is a lookup in memory shared with the server; nothing is sent, nothing is copied. When the
// server dies, this is seen within a second, and every call fails from then on.
class CacheClient {
 public:
  // Joins the cache, which the first client makes.
  static Result<std::unique_ptr<CacheClient>> open(const CacheOptions& options);
  virtual ~CacheClient() = default;

  // The row, or nothing when the cache does not hold it.
  virtual Result<std::optional<RowView>> find(std::uint64_t row_id) = 0;
  // find() will be called for these rows soon: those on disk are read ahead.
  virtual void will_need(std::span<const std::uint64_t> row_ids) = 0;

  // Gives a row, the parts put together, to a mappable cache. The bytes are copied before this
  // returns and stored in the background; it waits while too many are on their way. A row the cache
  // has already changes nothing. A cache without room takes no more rows, which is no error: see
  // takes_rows().
  virtual Result<Done> offer(std::uint64_t row_id, std::span<const Bytes> parts) = 0;
  // False once the cache is full: offers are dropped without a look at them.
  virtual bool takes_rows() const = 0;
  // Waits until the server has what was offered or appended.
  virtual Result<Done> flush() = 0;

  // For a stream, before anything else. Waits while another client builds; if that one dies, or its
  // process gives no sign of life, one of those who wait gets the turn. An error if the build
  // failed, or the wait was stopped. `attend` may be empty.
  virtual Result<BuildTurn> begin_build(std::stop_token stop, const Attend& attend = {}) = 0;
  // The next row; its id is the number of those before it. An error when there is no room.
  virtual Result<BuildStep> append(std::span<const Bytes> parts) = 0;
  // Opens the cache to all. Without it, what was appended is dropped with the client.
  virtual Result<BuildStep> end_build() = 0;
  // Rows of a stream that is Ready or built to its end; their ids are below it, in order.
  virtual std::uint64_t row_count() const = 0;

  virtual Result<CacheStatistics> statistics() = 0;
  // Session and cache id as one number, the name by which errors call the cache.
  virtual std::uint64_t connection_id() const = 0;
};

}  // namespace mycel::cache
