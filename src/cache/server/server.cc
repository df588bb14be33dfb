// SPDX-License-Identifier: Apache-2.0
#include "cache/server/server.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include <unistd.h>

#include "cache/client/presence.h"
#include "platform/log/log.h"

namespace mycel::cache {
namespace {

using platform::Error;
using platform::ErrorKind;
using platform::join;

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kHandOverTime{4};
constexpr std::chrono::milliseconds kHandOverPause{20};
constexpr int kAnswerMs = 500;

int processor_count() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// Nodes of memory, as the system numbers them.
int node_count() {
  int count = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/node", error)) {
    const std::string name = entry.path().filename().string();
    count += name.starts_with("node") && name.size() > 4 && name[4] >= '0' && name[4] <= '9';
  }
  return std::max(1, count);
}

Error with_kind(const char* kind, const Error& error) {
  return {error.kind(), join(kind, error.message())};
}

// A server that is just ending, or that a signal has ended while the system still takes its memory
// apart, is waited for, and so is one that has just begun; the lock alone says neither.
Result<ServerLock> take_lock(const ServerPlace& place, std::uint16_t port) {
  const Clock::time_point deadline = Clock::now() + kHandOverTime;
  while (true) {
    Result<std::optional<ServerLock>> lock = ServerLock::take(place.lock());
    if (!lock) return with_kind("Unexpected error. ", lock.error());
    if (std::optional<ServerLock> taken = std::move(lock).value()) return *std::move(taken);
    const char* const is_there = "Duplicate key. Cache server is already up and running";
    if (server_answers(place.socket(), kAnswerMs)) return Error(ErrorKind::Key, is_there);
    if (Clock::now() > deadline) {
      return Error(ErrorKind::Key,
                   join(is_there, ", but does not answer. End it with 'cache_admin ", "--stop -p ",
                        port, "'."));
    }
    std::this_thread::sleep_for(kHandOverPause);
  }
}

}  // namespace

int default_workers() { return std::max(1, processor_count() / 2); }

int adjusted_workers(int workers, int processors, int nodes) {
  const int bounded = std::clamp(workers, nodes, std::max(nodes, 2 * processors));
  return (bounded + nodes - 1) / nodes * nodes;
}

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, MachineMemory machine) {
  if (options.shared_memory_gb <= 0) {
    return Error(ErrorKind::Value,
                 "Unexpected error. Shared memory size (in GB unit) must be positive");
  }
  Result<Path> folder = make_user_folder();
  if (!folder) return with_kind("Unexpected error. ", folder.error());
  ServerPlace place = server_place(folder.value(), options.port);
  Result<ServerLock> lock = take_lock(place, options.port);
  if (!lock) return lock.error();
  std::unique_ptr<Server> server(new Server(options, std::move(machine), std::move(place),
                                            std::move(lock).value()));  // NOLINT: private
  if (Result<Done> done = server->open(); !done)
    return with_kind("Unexpected error. ", done.error());
  return server;
}

Server::Server(const ServerOptions& options, MachineMemory machine, ServerPlace place,
               ServerLock lock)
    : options_(options),
      place_(std::move(place)),
      lock_(std::move(lock)),
      budget_(std::move(machine), options.memory_cap_ratio) {
  const int wanted = options.workers > 0 ? options.workers : default_workers();
  options_.workers = adjusted_workers(wanted, processor_count(), node_count());
  if (options.workers > 0 && options_.workers != wanted) {
    warning_ = join("WARNING: The number of workers was adjusted from ", wanted, " to ",
                    options_.workers, " for this machine.");
  }
  if (options.shared_memory_gb > 4)
    platform::log_warning("cache: shared memory of ", options.shared_memory_gb,
                          " GB was asked for; more than 4 has no effect");
}

Result<Done> Server::open() {
  if (!options_.spill_folder.empty()) {
    Result<SpillFolder> spill = SpillFolder::open(options_.spill_folder, options_.port);
    if (!spill) return spill.error();
    spill_.emplace(std::move(spill).value());
  }
  SessionTable::Settings settings;
  settings.port = options_.port;
  settings.budget = &budget_;
  settings.spill = spill_ ? &*spill_ : nullptr;
  settings.longest_silence = options_.longest_silence;
  settings.prepare = [this](std::shared_ptr<RowStore> rows) { to_prepare_.try_push(rows); };
  sessions_ = std::make_unique<SessionTable>(std::move(settings));
  // The socket comes last: whoever can connect gets an answer.
  calls_ = CallServer::make(*sessions_, {.workers = options_.workers,
                                         .facts = [this] { return facts(); },
                                         .stop = [this] { stop(); }});
  Result<std::unique_ptr<Listener>> listener = Listener::open(
      place_.socket(), *sessions_,
      [this](platform::Descriptor socket) { calls_->add_connection(std::move(socket)); });
  if (!listener) return listener.error();
  listener_ = std::move(listener).value();
  preparer_ =
      platform::Thread("cache_prepare", [this](std::stop_token stop) { prepare_segments(stop); });
  platform::log_info("cache: server on port ", options_.port, " with ", options_.workers,
                     " workers, at most ", budget_.cap_bytes() >> 20,
                     " MB of rows in memory, spill folder ",
                     options_.spill_folder.empty() ? "none" : options_.spill_folder);
  return Done{};
}

Server::~Server() {
  to_prepare_.close();
  // The socket's file goes first, then calls end, then connections close, which clients see.
  if (listener_ != nullptr) listener_->remove_file();
  calls_.reset();
  listener_.reset();
  preparer_ = {};
  sessions_.reset();
  lock_.remove_file();
}

void Server::prepare_segments(std::stop_token stop) {
  while (std::optional<std::shared_ptr<RowStore>> rows = to_prepare_.pop(stop)) {
    if ((*rows)->wants_spare()) (*rows)->make_spare();
  }
}

Listener::End Server::run() {
  const Listener::End end = listener_->run();
  if (end == Listener::End::SocketRemoved) platform::log_error("Unix socket is removed.");
  if (end == Listener::End::SocketReplaced)
    platform::log_error("Unix socket ", place_.socket().string(),
                        " was replaced by another file. The server ends.");
  return end;
}

void Server::stop() { listener_->stop(); }

ServerListing Server::facts() const {
  const std::chrono::duration<double> uptime = std::chrono::steady_clock::now() - begun_;
  return {.version = join(kProtocolVersion),
          .port = options_.port,
          .workers = static_cast<std::uint32_t>(options_.workers),
          .log_level = static_cast<std::uint32_t>(options_.log_level),
          .spill_folder = options_.spill_folder,
          .memory_cap_bytes = budget_.cap_bytes(),
          .memory_used_bytes = budget_.used_bytes(),
          .uptime_seconds = uptime.count(),
          .clients = sessions_->client_count(),
          .sessions = sessions_->session_ids(),
          .pid = getpid()};
}

}  // namespace mycel::cache
