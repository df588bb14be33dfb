// SPDX-License-Identifier: Apache-2.0
#include "cache/server/session_table.h"

#include "platform/log/log.h"

namespace mycel::cache {
namespace {

using platform::Error;
using platform::ErrorKind;
using platform::join;

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kLargestDescription = kMegabyte;

Error wrong(const std::string& text) { return {ErrorKind::Value, text}; }

Error no_spill_folder() {
  return wrong(
      "Unexpected error. Server is not set up with spill support. Start it with "
      "'cache_admin --start -s FOLDER'.");
}

Error not_found(std::uint64_t connection_id) {
  return {ErrorKind::Key, join("Cache id ", connection_id, " not found")};
}

}  // namespace

SessionTable::SessionTable(Settings settings) : settings_(std::move(settings)) {}

std::uint64_t SessionTable::secret() {
  std::uint64_t number = 0;
  while (number == 0) number = std::uint64_t{random_()} << 32 | random_();
  return number;
}

std::uint32_t SessionTable::generate_session() {
  const std::lock_guard lock(mutex_);
  std::uint32_t session = 0;
  while (session == 0 || sessions_.contains(session)) session = random_();
  sessions_.try_emplace(session);
  platform::log_info("cache: session ", session, " created");
  return session;
}

Result<Done> SessionTable::destroy_session(std::uint32_t session) {
  Caches caches;  // goes after the lock does: giving memory back takes a while
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) {
    return Error(ErrorKind::Key, join("Unexpected error. Session id ", session,
                                      " not found in server on port ", settings_.port, "."));
  }
  caches = std::move(found->second);
  sessions_.erase(found);
  for (const auto& [id, cache] : caches) {
    cache->is_dropped = true;
    cache->rows->set_state(StoreState::Dropped);
    cache->rows->discard();
  }
  platform::log_info("cache: session ", session, " destroyed with ", caches.size(), " caches");
  return Done{};
}

std::uint64_t SessionTable::add_client(std::int32_t process) {
  const std::lock_guard lock(mutex_);
  std::uint64_t client = secret();
  while (clients_.contains(client)) client = secret();
  clients_[client].process = process;
  return client;
}

void SessionTable::remove_client(std::uint64_t client) {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(client);
  if (found == clients_.end()) return;
  if (found->second.cache != nullptr) leave(client, *found->second.cache);
  clients_.erase(found);
}

void SessionTable::leave(std::uint64_t client, Cache& cache) {
  --cache.clients;
  if (cache.builder != client) return;
  if (cache.rows->state() == StoreState::Building) {
    platform::log_warning("cache: the client that built cache ", cache.connection_id,
                          " is gone; what it stored is dropped");
  }
  abandon(cache);
}

// Nobody builds any more.
void SessionTable::abandon(Cache& cache) {
  cache.builder = 0;
  cache.cookie = 0;
  if (cache.rows->state() != StoreState::Building) return;
  cache.rows->set_state(StoreState::Abandoned);
  cache.rows->discard();
}

void SessionTable::note_sign_of_life(std::uint64_t client, Cache& cache) {
  if (cache.builder == client) cache.builder_seen = Clock::now();
}

bool SessionTable::is_lost(std::uint64_t client, std::uint64_t cookie) const {
  const auto found = clients_.find(client);
  return cookie != 0 && found != clients_.end() && found->second.lost_cookie == cookie;
}

bool SessionTable::has_lost_turn(std::uint64_t client, std::uint64_t cookie) const {
  const std::lock_guard lock(mutex_);
  return is_lost(client, cookie);
}

Result<SessionTable::Client*> SessionTable::client_with(std::uint64_t number) {
  const auto found = clients_.find(number);
  if (found == clients_.end()) return wrong("a call of a client that is not connected");
  return &found->second;
}

Result<std::shared_ptr<SessionTable::Cache>> SessionTable::cache_of(std::uint64_t client) const {
  const auto found = clients_.find(client);
  if (found == clients_.end()) return wrong("a call of a client that is not connected");
  const std::shared_ptr<Cache>& cache = found->second.cache;
  if (cache == nullptr) return wrong("a call of a client that has not joined a cache");
  if (cache->is_dropped) return not_found(cache->connection_id);
  return cache;
}

Result<Done> SessionTable::set_staging(std::uint64_t client, platform::Descriptor memory,
                                       std::uint64_t size) {
  Result<std::shared_ptr<const StagingMemory>> staging =
      StagingMemory::check(std::move(memory), size);
  if (!staging) return staging.error();
  const std::lock_guard lock(mutex_);
  Result<Client*> found = client_with(client);
  if (!found) return found.error();
  found.value()->staging = std::move(staging).value();
  return Done{};
}

Result<LentPart> SessionTable::part(std::uint64_t client, FrameKind kind,
                                    std::uint64_t number) const {
  std::shared_ptr<RowStore> rows;
  {
    const std::lock_guard lock(mutex_);
    const Result<std::shared_ptr<Cache>> cache = cache_of(client);
    if (!cache) return cache.error();
    rows = cache.value()->rows;
  }
  return rows->part(kind, number);
}

// What is left of the cap has to be enough for a cache that says how large it will be, and 15 % of
// it for one that does not.
Result<Done> SessionTable::check_room(std::uint64_t bytes) const {
  const MemoryBudget& budget = *settings_.budget;
  if (bytes > budget.total_bytes()) {
    return Error(ErrorKind::Memory, join("Out of memory. Requesting cache size ", bytes,
                                         " while available system memory ", budget.total_bytes()));
  }
  const std::uint64_t used = budget.used_bytes();
  const std::uint64_t left = budget.cap_bytes() - used;
  const bool fits = bytes > 0 ? bytes <= left : left > budget.cap_bytes() * 15 / 100;
  if (fits) return Done{};
  return Error(ErrorKind::Memory, join("Out of memory, please destroy some sessions: ", left,
                                       " bytes are left of ", budget.cap_bytes()));
}

Result<std::shared_ptr<SessionTable::Cache>> SessionTable::make_cache(std::uint32_t id,
                                                                      const JoinRequest& request) {
  if (request.spilling && settings_.spill == nullptr) return no_spill_folder();
  // More megabytes than bytes can be counted are more than any machine has.
  const std::uint64_t megabytes = std::min(request.size_mb, ~std::uint64_t{0} / kMegabyte);
  if (Result<Done> done = check_room(megabytes * kMegabyte); !done) return done.error();
  auto cache = std::make_shared<Cache>();
  cache->connection_id = std::uint64_t{request.session} << 32 | id;
  cache->description = request.description;
  cache->is_stream = request.is_stream;
  cache->limits = {megabytes * kMegabyte, request.spilling ? settings_.spill : nullptr};
  Result<std::shared_ptr<RowStore>> rows =
      RowStore::make(*settings_.budget, cache->limits,
                     request.is_stream ? StoreState::Abandoned : StoreState::Open);
  if (!rows) return rows.error();
  cache->rows = std::move(rows).value();
  platform::log_info("cache: cache ", id, " of session ", request.session, " created");
  return cache;
}

Result<JoinAnswer> SessionTable::join_cache(std::uint64_t client, const JoinRequest& request) {
  if (request.description.size() > kLargestDescription)
    return wrong("the description of a cache is longer than 1 MiB");
  const std::lock_guard lock(mutex_);
  Result<Client*> found = client_with(client);
  if (!found) return found.error();
  if (found.value()->cache != nullptr) return wrong("a client that joins a second cache");
  const auto session = sessions_.find(request.session);
  if (session == sessions_.end()) {
    return Error(ErrorKind::Key,
                 join("Unexpected error. A cache creation has been requested but the session was "
                      "not found! Session ",
                      request.session, ", server on port ", settings_.port,
                      ": make one with 'cache_admin -g -p ", settings_.port, "'."));
  }
  Caches& caches = session->second;
  // Two descriptions with one checksum are neighbours, never one cache.
  std::uint32_t id = request.cache_id;
  auto at = caches.find(id);
  const auto is_other = [&](const Cache& cache) {
    return cache.description != request.description || cache.is_stream != request.is_stream;
  };
  while (at != caches.end() && is_other(*at->second)) at = caches.find(++id);
  if (at == caches.end()) {
    Result<std::shared_ptr<Cache>> made = make_cache(id, request);
    if (!made) return made.error();
    at = caches.emplace(id, std::move(made).value()).first;
  } else if (request.spilling && settings_.spill == nullptr) {
    return no_spill_folder();
  }
  found.value()->cache = at->second;
  ++at->second->clients;
  return JoinAnswer{id, at->second->clients_ever++};
}

Result<BuildAnswer> SessionTable::begin_build(std::uint64_t client) {
  const std::lock_guard lock(mutex_);
  Result<std::shared_ptr<Cache>> found = cache_of(client);
  if (!found) return found.error();
  Cache& cache = *found.value();
  if (!cache.is_stream) return wrong("only the cache of a stream is built");
  const StoreState state = cache.rows->state();
  if (state == StoreState::Open) return BuildAnswer{BuildAnswer::Turn::Ready};
  if (state == StoreState::Building) {
    if (cache.builder == client) return wrong("a client that begins to build twice");
    Client& builder = clients_[cache.builder];  // it is there as long as it builds
    if (Clock::now() - cache.builder_seen <= settings_.longest_silence)
      return BuildAnswer{BuildAnswer::Turn::Wait, 0, builder.process};
    platform::log_warning("cache: process ", builder.process, ", which built cache ",
                          cache.connection_id,
                          ", gives no sign of life; another one builds it anew");
    builder.lost_cookie = cache.cookie;
    abandon(cache);
  }
  Result<std::shared_ptr<RowStore>> rows =
      RowStore::make(*settings_.budget, cache.limits, StoreState::Building);
  if (!rows) return rows.error();
  cache.rows = std::move(rows).value();
  cache.builder = client;
  cache.cookie = secret();
  cache.builder_seen = Clock::now();
  return BuildAnswer{BuildAnswer::Turn::Build, cache.cookie};
}

Result<Room> SessionTable::store(std::uint64_t client, std::uint64_t cookie,
                                 const StagedRows& batch) {
  std::shared_ptr<Cache> cache;
  std::shared_ptr<RowStore> rows;
  std::shared_ptr<const StagingMemory> staging;
  {
    const std::lock_guard lock(mutex_);
    Result<std::shared_ptr<Cache>> found = cache_of(client);
    if (!found) return found.error();
    cache = found.value();
    if (is_lost(client, cookie)) return Room::TurnLost;
    const bool may_write =
        cache->is_stream ? cache->builder == client && cache->cookie == cookie : cookie == 0;
    if (!may_write || (cache->is_stream && cookie == 0))
      return wrong("rows of a client that may not store them");
    note_sign_of_life(client, *cache);
    rows = cache->rows;
    staging = clients_.find(client)->second.staging;
  }
  if (staging == nullptr) return wrong("rows of a client without memory for rows");
  Result<Room> room = rows->store(*staging, batch, cache->is_stream);
  if (!room) return has_lost_turn(client, cookie) ? Result<Room>(Room::TurnLost) : room;
  if (room.value() == Room::Enough) {
    if (rows->wants_spare() && settings_.prepare) settings_.prepare(rows);
    return room;
  }
  const std::lock_guard lock(mutex_);
  if (cache->is_stream && rows->state() == StoreState::Building) {
    rows->set_state(room.value() == Room::NoMemory ? StoreState::NoMemory : StoreState::NoDisk);
    rows->discard();
    cache->builder = 0;
    cache->cookie = 0;
    platform::log_error("cache: the build of cache ", cache->connection_id,
                        " failed: no storage left");
  }
  return room;
}

Result<BuildStep> SessionTable::end_build(std::uint64_t client, std::uint64_t cookie,
                                          std::uint64_t rows) {
  const std::lock_guard lock(mutex_);
  Result<std::shared_ptr<Cache>> found = cache_of(client);
  if (!found) return found.error();
  Cache& cache = *found.value();
  if (is_lost(client, cookie)) return BuildStep::TurnLost;
  if (cache.builder != client || cookie == 0 || cache.cookie != cookie)
    return wrong("the end of a build by a client that does not build");
  const CacheStatistics stored = cache.rows->statistics();
  if (stored.rows_in_memory + stored.rows_on_disk != rows)
    return wrong("the end of a build with another number of rows than were stored");
  cache.rows->set_state(StoreState::Open);
  cache.builder = 0;
  cache.cookie = 0;
  return BuildStep::Kept;
}

Result<Done> SessionTable::report(std::uint64_t client, std::uint64_t hits, std::uint64_t misses) {
  const std::lock_guard lock(mutex_);
  Result<std::shared_ptr<Cache>> cache = cache_of(client);
  if (!cache) return cache.error();
  cache.value()->hits += hits;
  cache.value()->misses += misses;
  note_sign_of_life(client, *cache.value());
  return Done{};
}

CacheStatistics SessionTable::statistics_of(const Cache& cache) {
  CacheStatistics statistics = cache.rows->statistics();
  statistics.hits = cache.hits;
  statistics.misses = cache.misses;
  statistics.clients = cache.clients;
  return statistics;
}

Result<CacheStatistics> SessionTable::statistics(std::uint64_t client) const {
  const std::lock_guard lock(mutex_);
  Result<std::shared_ptr<Cache>> cache = cache_of(client);
  if (!cache) return cache.error();
  return statistics_of(*cache.value());
}

std::vector<SessionListing> SessionTable::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<SessionListing> sessions;
  for (const auto& [session, caches] : sessions_) {
    SessionListing& listing = sessions.emplace_back(SessionListing{session, {}});
    for (const auto& [id, cache] : caches) listing.caches.push_back({id, statistics_of(*cache)});
  }
  return sessions;
}

std::vector<std::uint32_t> SessionTable::session_ids() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint32_t> ids;
  for (const auto& [session, caches] : sessions_) ids.push_back(session);
  return ids;
}

std::uint32_t SessionTable::client_count() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint32_t>(clients_.size());
}

}  // namespace mycel::cache
