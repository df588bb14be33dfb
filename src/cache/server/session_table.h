// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "cache/client/control.h"
#include "cache/server/row_store.h"

namespace mycel::cache {

struct JoinRequest {
  std::uint32_t session = 0;
  std::uint32_t cache_id = 0;
  std::string description;
  bool is_stream = false;
  std::uint64_t size_mb = 0;
  bool spilling = false;
};

struct JoinAnswer {
  std::uint32_t cache_id = 0;
  std::uint32_t client_number = 0;  // 0, 1, 2 ... in this cache
};

// Sessions, the caches in them, and the clients of those. Any thread may call anything; no lock is
// held while rows are copied.
class SessionTable {
 public:
  struct Settings {
    std::uint16_t port = kDefaultPort;
    MemoryBudget* budget = nullptr;
    const SpillFolder* spill = nullptr;  // null: none
    // Called when a store should have its next segment made.
    std::function<void(std::shared_ptr<RowStore>)> prepare;
    // A client that builds and is not heard of for so long stands still: it was suspended, or it is
    // dead and a process it has forked keeps its connection. Another one may build then.
    std::chrono::milliseconds longest_silence{10'000};
  };
  explicit SessionTable(Settings settings);

  std::uint32_t generate_session();  // never 0
  Result<Done> destroy_session(std::uint32_t session);
  std::vector<SessionListing> list() const;
  std::vector<std::uint32_t> session_ids() const;
  std::uint32_t client_count() const;

  // A client is known by a number nobody guesses, from its hello until its connection closes.
  std::uint64_t add_client(std::int32_t process = 0);
  void remove_client(std::uint64_t client);
  Result<Done> set_staging(std::uint64_t client, platform::Descriptor memory, std::uint64_t size);
  Result<LentPart> part(std::uint64_t client, FrameKind kind, std::uint64_t number) const;

  Result<JoinAnswer> join_cache(std::uint64_t client, const JoinRequest& request);
  Result<BuildAnswer> begin_build(std::uint64_t client);
  Result<Room> store(std::uint64_t client, std::uint64_t cookie, const StagedRows& rows);
  Result<BuildStep> end_build(std::uint64_t client, std::uint64_t cookie, std::uint64_t rows);
  Result<Done> report(std::uint64_t client, std::uint64_t hits, std::uint64_t misses);
  Result<CacheStatistics> statistics(std::uint64_t client) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Cache {
    std::uint64_t connection_id = 0;
    std::string description;
    bool is_stream = false;
    StoreLimits limits;
    std::shared_ptr<RowStore> rows;
    std::uint64_t builder = 0;  // client; 0: nobody builds
    std::uint64_t cookie = 0;
    Clock::time_point builder_seen;
    std::uint32_t clients = 0;
    std::uint32_t clients_ever = 0;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    bool is_dropped = false;
  };
  struct Client {
    std::int32_t process = 0;  // 0: not known
    std::shared_ptr<const StagingMemory> staging;
    std::shared_ptr<Cache> cache;
    std::uint64_t lost_cookie = 0;  // of a build another one has begun anew
  };
  using Caches = std::map<std::uint32_t, std::shared_ptr<Cache>>;

  bool has_lost_turn(std::uint64_t client, std::uint64_t cookie) const;

  // With the lock held.
  Result<Client*> client_with(std::uint64_t number);
  Result<std::shared_ptr<Cache>> cache_of(std::uint64_t client) const;
  Result<std::shared_ptr<Cache>> make_cache(std::uint32_t id, const JoinRequest& request);
  Result<Done> check_room(std::uint64_t bytes) const;
  static CacheStatistics statistics_of(const Cache& cache);
  std::uint64_t secret();
  void leave(std::uint64_t client, Cache& cache);
  static void abandon(Cache& cache);
  void note_sign_of_life(std::uint64_t client, Cache& cache);
  bool is_lost(std::uint64_t client, std::uint64_t cookie) const;

  const Settings settings_;
  mutable std::mutex mutex_;  // guards everything below
  std::random_device random_;
  std::map<std::uint32_t, Caches> sessions_;
  std::unordered_map<std::uint64_t, Client> clients_;
};

}  // namespace mycel::cache
