// SPDX-License-Identifier: Apache-2.0
// The calls to a cache server, as plain values. What carries them (gRPC) is known to one source
// file alone, which is a plug-in for programs that may never use a cache.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cache/client/cache_client.h"
#include "platform/error/error.h"
#include "platform/file/file.h"

namespace mycel::cache {

struct BuildAnswer {
  enum class Turn : std::uint8_t { Ready, Build, Wait };
  Turn turn = Turn::Ready;
  std::uint64_t cookie = 0;
  std::int32_t builder = 0;  // process that is waited for; 0: not known
};

// Rows in staging memory.
struct StagedRows {
  std::vector<std::uint64_t> row_ids;
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint64_t> lengths;
};

enum class Room : std::uint8_t {
  Enough,
  NoMemory,
  NoDisk,
  TurnLost,  // another client builds
};

struct CacheListing {
  std::uint32_t cache_id = 0;
  CacheStatistics statistics;
};

struct SessionListing {
  std::uint32_t session = 0;
  std::vector<CacheListing> caches;
};

struct ServerListing {
  std::string version;
  std::uint16_t port = 0;
  std::uint32_t workers = 0;
  std::uint32_t log_level = 0;
  std::string spill_folder;
  std::uint64_t memory_cap_bytes = 0;
  std::uint64_t memory_used_bytes = 0;
  double uptime_seconds = 0;
  std::uint32_t clients = 0;
  std::vector<std::uint32_t> sessions;
  std::int32_t pid = 0;
};

// Calls over one connection; any number of threads may use it. Every call ends within its deadline.
// Errors carry the server's text; one of the connection itself names the port.
class Control {
 public:
  virtual ~Control() = default;

  virtual Result<std::uint32_t> attach(std::uint64_t client, const CacheOptions& options) = 0;
  virtual Result<BuildAnswer> begin_build(std::uint64_t client) = 0;
  virtual Result<Room> store(std::uint64_t client, std::uint64_t cookie,
                             const StagedRows& rows) = 0;
  virtual Result<BuildStep> end_build(std::uint64_t client, std::uint64_t cookie,
                                      std::uint64_t rows) = 0;
  virtual Result<Done> report(std::uint64_t client, std::uint64_t hits, std::uint64_t misses) = 0;
  virtual Result<CacheStatistics> statistics(std::uint64_t client) = 0;

  virtual Result<std::uint32_t> generate_session() = 0;
  virtual Result<Done> destroy_session(std::uint32_t session) = 0;
  virtual Result<std::vector<SessionListing>> list_sessions() = 0;
  virtual Result<ServerListing> server_info() = 0;
  virtual Result<Done> stop(int deadline_ms) = 0;
};

// Over a connected socket, which it takes.
std::unique_ptr<Control> make_control(platform::Descriptor socket, std::uint16_t port);

// The same through the plug-in, opened with the first call. The error says what is missing.
Result<std::unique_ptr<Control>> load_control(platform::Descriptor socket, std::uint16_t port);

// "Network error. Cache server with port 50052 is unreachable. ..."
platform::Error unreachable(std::uint16_t port);

// "no descriptor is left for the cache: ..."
platform::Error no_descriptors();

// A connection to the user's server on that port, or the error above.
Result<platform::Descriptor> connect_to_server(std::uint16_t port);

// What load_control() looks for in the library.
constexpr const char* kControlFunction = "mycel_make_cache_control";
using MakeControl = Control* (*)(int socket, std::uint16_t port);

}  // namespace mycel::cache
