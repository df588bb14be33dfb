// SPDX-License-Identifier: Apache-2.0
#include "cache/client/cache_client.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cache/client/control.h"
#include "cache/client/presence.h"
#include "cache/client/shared_rows.h"
#include "cache/client/staging.h"
#include "platform/log/log.h"
#include "platform/thread/thread.h"

namespace mycel::cache {
namespace {

using platform::Error;
using platform::ErrorKind;
using platform::join;

constexpr std::uint64_t kStagingBytes = std::uint64_t{8} << 20;
constexpr int kReportMs = 1000;
constexpr std::chrono::milliseconds kLook{50};  // how often who waits looks whether it still should
constexpr std::chrono::milliseconds kAskAgain{1000};    // and asks whose turn it is
constexpr std::chrono::milliseconds kLongWait{25'000};  // after which users are told

Error no_memory() {
  return {
      ErrorKind::Runtime,
      "Out of memory. No enough storage for cache server to cache data. Give the cache a larger "
      "'size', drop other sessions, or let rows go to disk: with 'spilling' and a server started "
      "with '-s FOLDER'."};
}

Error no_disk() {
  return {ErrorKind::Runtime, "Out of memory. The cache server is running out of spill storage."};
}

Error no_server(std::uint16_t port, std::uint32_t session) {
  return {ErrorKind::Runtime, join(unreachable(port).message(), " (session ", session,
                                   "). Start a server with 'cache_admin --start -p ", port,
                                   "' and make a session with 'cache_admin -g -p ", port,
                                   "', as the same user and with the same MYCEL_CACHE_DIR.")};
}

class SharedCacheClient final : public CacheClient {
 public:
  SharedCacheClient(const CacheOptions& options, std::unique_ptr<Presence> presence,
                    std::unique_ptr<Control> control, std::uint32_t cache_id)
      : port_(options.port),
        session_(options.session),
        is_stream_(options.kind == SourceKind::Stream),
        connection_id_(std::uint64_t{options.session} << 32 | cache_id),
        fork_number_(platform::fork_number()),
        presence_(std::move(presence)),
        control_(std::move(control)),
        staging_(
            std::make_unique<Staging>(kStagingBytes, [this](int descriptor, std::uint64_t size) {
              return presence_->give_staging(descriptor, size);
            })) {}

  ~SharedCacheClient() override;

  Result<Done> start();

  Result<std::optional<RowView>> find(std::uint64_t row_id) override;
  void will_need(std::span<const std::uint64_t> row_ids) override {
    if (const std::shared_ptr<SharedRows> rows = this->rows(); rows != nullptr && check())
      rows->will_need(row_ids);
  }
  Result<Done> offer(std::uint64_t row_id, std::span<const Bytes> parts) override;
  bool takes_rows() const override { return takes_rows_; }
  Result<Done> flush() override;
  Result<BuildTurn> begin_build(std::stop_token stop, const Attend& attend) override;
  Result<BuildStep> append(std::span<const Bytes> parts) override;
  Result<BuildStep> end_build() override;
  std::uint64_t row_count() const override {
    const std::shared_ptr<SharedRows> rows = this->rows();
    return rows == nullptr ? 0 : rows->row_count();
  }
  Result<CacheStatistics> statistics() override;
  std::uint64_t connection_id() const override { return connection_id_; }

 private:
  void wake_watcher() const;
  // The rows change only while a build is waited for, and readers come later: the lock is for the
  // thread that watches.
  std::shared_ptr<SharedRows> rows() const {
    const std::lock_guard lock(rows_mutex_);
    return rows_;
  }
  Result<Done> open_rows();
  Result<Done> check() const;
  Error lost() const;
  Error dropped() const;
  Error explained(const Error& error) const;
  Result<Done> send_problem() const;
  Result<Done> await_builder(std::stop_token stop, const Attend& attend);
  void warn_of_wait(std::int32_t builder, std::chrono::steady_clock::duration waited) const;
  Result<BuildStep> step_of_build() const;
  void send(std::stop_token stop);
  void watch(std::stop_token stop);
  void report();

  const std::uint16_t port_;
  const std::uint32_t session_;
  const bool is_stream_;
  const std::uint64_t connection_id_;
  const std::uint64_t fork_number_;
  const std::unique_ptr<Presence> presence_;
  std::unique_ptr<Control> control_;
  mutable std::mutex rows_mutex_;
  std::shared_ptr<SharedRows> rows_;
  std::unique_ptr<Staging> staging_;
  platform::Descriptor wake_;
  std::uint64_t cookie_ = 0;
  std::uint64_t appended_ = 0;

  std::atomic<bool> is_lost_ = false;
  std::atomic<bool> builds_ = false;  // and has to give signs of life
  std::atomic<bool> takes_rows_ = true;
  std::atomic<Room> room_ = Room::Enough;
  alignas(64) std::atomic<std::uint64_t> hits_ = 0;
  alignas(64) std::atomic<std::uint64_t> misses_ = 0;
  std::mutex report_mutex_;  // guards the two numbers below
  std::uint64_t reported_hits_ = 0;
  std::uint64_t reported_misses_ = 0;
  mutable std::mutex problem_mutex_;  // guards problem_
  std::optional<Error> problem_;      // met while rows were sent
  std::unique_ptr<platform::Thread> sender_;
  std::unique_ptr<platform::Thread> watcher_;
};

Result<Done> SharedCacheClient::start() {
  wake_ = platform::Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (wake_.number() < 0) return no_descriptors();
  if (!is_stream_) {
    if (Result<Done> done = open_rows(); !done) return done.error();
  }
  sender_ = std::make_unique<platform::Thread>("cache_send",
                                               [this](std::stop_token stop) { send(stop); });
  watcher_ = std::make_unique<platform::Thread>("cache_watch",
                                                [this](std::stop_token stop) { watch(stop); });
  return Done{};
}

SharedCacheClient::~SharedCacheClient() {
  if (platform::fork_number() != fork_number_) {
    // A forked child: threads, gRPC's own among them, and locks they hold are the parent's.
    static_cast<void>(control_.release());  // NOLINT: all would wait for the parent's threads
    static_cast<void>(staging_.release());  // NOLINT
    static_cast<void>(sender_.release());   // NOLINT
    static_cast<void>(watcher_.release());  // NOLINT
    return;
  }
  if (rows_ != nullptr) rows_->detach();
  staging_->close(is_lost_);
  if (sender_ != nullptr) sender_->join();
  if (watcher_ != nullptr) {
    watcher_->request_stop();
    wake_watcher();
    watcher_->join();
  }
  if (!is_lost_) report();
}

void SharedCacheClient::wake_watcher() const {
  const std::uint64_t one = 1;
  if (write(wake_.number(), &one, sizeof one) < 0) return;  // it is awake already
}

Result<Done> SharedCacheClient::open_rows() {
  Result<std::shared_ptr<SharedRows>> rows = SharedRows::open(
      [this](FrameKind kind, std::uint64_t number) { return presence_->fetch(kind, number); });
  if (!rows) return rows.error();
  {
    const std::lock_guard lock(rows_mutex_);
    rows_ = std::move(rows).value();
  }
  wake_watcher();
  return Done{};
}

Error SharedCacheClient::lost() const { return no_server(port_, session_); }

Error SharedCacheClient::dropped() const {
  return {ErrorKind::Runtime,
          join("Unexpected error. Cache id ", connection_id_, " not found: session ", session_,
               " was destroyed on the cache server on port ", port_, ".")};
}

// What a call brought back, unless the true cause is known better.
Error SharedCacheClient::explained(const Error& error) const {
  if (is_lost_ || error.message() == unreachable(port_).message()) return lost();
  if (rows_ != nullptr && rows_->state() == StoreState::Dropped) return dropped();
  return error;
}

Result<Done> SharedCacheClient::check() const {
  if (platform::fork_number() != fork_number_) {
    return Error(ErrorKind::Runtime,
                 "the cache client belongs to the process that forked this one; open another");
  }
  if (is_lost_) return lost();
  if (rows_ != nullptr && rows_->state() == StoreState::Dropped) return dropped();
  return Done{};
}

Result<std::optional<RowView>> SharedCacheClient::find(std::uint64_t row_id) {
  if (is_lost_.load(std::memory_order_relaxed)) [[unlikely]]
    return lost();
  platform::require(rows_ != nullptr, ErrorKind::Internal,
                    "rows of a stream are looked for before it was built");
  if (rows_->state() == StoreState::Dropped) [[unlikely]]
    return dropped();
  Result<std::optional<RowView>> found = rows_->find(row_id);
  if (!found) [[unlikely]]
    return explained(found.error());
  (found.value().has_value() ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
  return found;
}

Result<Done> SharedCacheClient::offer(std::uint64_t row_id, std::span<const Bytes> parts) {
  if (Result<Done> done = check(); !done) return done.error();
  if (!takes_rows_) return Done{};
  if (Result<Done> done = staging_->put(row_id, parts); !done) return explained(done.error());
  return Done{};
}

Result<Done> SharedCacheClient::send_problem() const {
  if (Result<Done> done = check(); !done) return done.error();
  const std::lock_guard lock(problem_mutex_);
  if (problem_) return explained(*problem_);
  return Done{};
}

Result<Done> SharedCacheClient::flush() {
  if (Result<Done> done = check(); !done) return done.error();
  staging_->wait_sent();
  return send_problem();
}

Result<BuildTurn> SharedCacheClient::begin_build(std::stop_token stop, const Attend& attend) {
  platform::require(is_stream_, ErrorKind::Internal, "only the cache of a stream is built");
  const auto since = std::chrono::steady_clock::now();
  bool is_told = false;
  while (!stop.stop_requested()) {
    const Result<BuildAnswer> answer = control_->begin_build(presence_->client());
    if (!answer) return explained(answer.error());
    const BuildAnswer& build = answer.value();
    const bool waits = build.turn == BuildAnswer::Turn::Wait;
    // While a build goes on, the rows stay the same ones.
    if (!waits || rows_ == nullptr || rows_->state() != StoreState::Building) {
      if (Result<Done> done = open_rows(); !done) return explained(done.error());
    }
    if (build.turn == BuildAnswer::Turn::Ready) return BuildTurn::Ready;
    if (!waits) {
      staging_->wait_sent();  // rows of a turn that was lost
      room_ = Room::Enough;
      takes_rows_ = true;
      cookie_ = build.cookie;
      appended_ = 0;
      builds_ = true;
      return BuildTurn::Build;
    }
    if (Result<Done> done = await_builder(stop, attend); !done) return done.error();
    const auto waited = std::chrono::steady_clock::now() - since;
    if (waited >= kLongWait && !std::exchange(is_told, true)) warn_of_wait(build.builder, waited);
  }
  return Error(ErrorKind::Runtime, "the wait for the cache to be built was stopped");
}

// Until there is something new, or it is time to ask again.
Result<Done> SharedCacheClient::await_builder(std::stop_token stop, const Attend& attend) {
  const auto end = std::chrono::steady_clock::now() + kAskAgain;
  while (!stop.stop_requested() && rows_->state() == StoreState::Building && !is_lost_ &&
         std::chrono::steady_clock::now() < end) {
    rows_->wait_while(StoreState::Building, static_cast<int>(kLook.count()));
    if (attend) attend();
  }
  if (Result<Done> done = check(); !done) return done.error();
  if (rows_->state() == StoreState::NoMemory) return no_memory();
  if (rows_->state() == StoreState::NoDisk) return no_disk();
  return Done{};
}

void SharedCacheClient::warn_of_wait(std::int32_t builder,
                                     std::chrono::steady_clock::duration waited) const {
  const std::string who = builder == 0 ? "another process" : join("process ", builder);
  platform::log_warning("For ", std::chrono::duration_cast<std::chrono::seconds>(waited).count(),
                        " s a pipeline has been waiting for ", who,
                        ", which fills the cache of session ", session_, " and has stored ",
                        rows_->row_count(),
                        " rows so far. The pipeline begins when all rows are there; if that "
                        "process ends before, it fills the cache itself.");
}

// Whether this client still builds, as far as it knows.
Result<BuildStep> SharedCacheClient::step_of_build() const {
  switch (room_) {
    case Room::Enough: return BuildStep::Kept;
    case Room::NoMemory: return no_memory();
    case Room::NoDisk: return no_disk();
    case Room::TurnLost: return BuildStep::TurnLost;
  }
  return Error(ErrorKind::Runtime, "the cache server gave an answer nobody knows");
}

Result<BuildStep> SharedCacheClient::append(std::span<const Bytes> parts) {
  platform::require(cookie_ != 0, ErrorKind::Internal, "append() outside of a build");
  if (Result<Done> done = check(); !done) return done.error();
  if (room_ != Room::Enough) return step_of_build();
  if (Result<Done> done = staging_->put(appended_, parts); !done) {
    if (Result<Done> problem = send_problem(); !problem) return problem.error();
    return explained(done.error());
  }
  ++appended_;
  return BuildStep::Kept;
}

Result<BuildStep> SharedCacheClient::end_build() {
  platform::require(cookie_ != 0, ErrorKind::Internal, "end_build() outside of a build");
  if (Result<Done> done = flush(); !done) return done.error();
  if (room_ != Room::Enough) return step_of_build();
  Result<BuildStep> end = control_->end_build(presence_->client(), cookie_, appended_);
  if (!end) return explained(end.error());
  builds_ = false;
  cookie_ = 0;
  return end;
}

Result<CacheStatistics> SharedCacheClient::statistics() {
  if (Result<Done> done = check(); !done) return done.error();
  report();
  Result<CacheStatistics> statistics = control_->statistics(presence_->client());
  if (!statistics) return explained(statistics.error());
  return statistics;
}

// Sends batches until the staging memory is closed and empty.
void SharedCacheClient::send(std::stop_token stop) {
  while (const std::optional<StagedRows> rows = staging_->next(stop)) {
    Result<Room> room = room_ == Room::Enough ? control_->store(presence_->client(), cookie_, *rows)
                                              : Result<Room>(room_.load());
    if (!room) {
      {
        const std::lock_guard lock(problem_mutex_);
        problem_ = room.error();
      }
      takes_rows_ = false;
      staging_->close(true);
      return;
    }
    if (room.value() != Room::Enough) {
      room_ = room.value();
      takes_rows_ = false;
      builds_ = false;
    }
    staging_->done();
  }
}

// Sees the server die, tells it from time to time what was found and that a build goes on, and maps
// what others stored.
void SharedCacheClient::watch(std::stop_token stop) {
  while (!stop.stop_requested()) {
    if (const std::shared_ptr<SharedRows> rows = this->rows(); rows != nullptr)
      rows->map_ahead(stop);
    pollfd waits[2] = {{presence_->socket(), POLLRDHUP, 0}, {wake_.number(), POLLIN, 0}};
    const int count = poll(waits, 2, kReportMs);
    if ((waits[0].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) {
      is_lost_ = true;
      takes_rows_ = false;
      staging_->close(true);
      return;
    }
    std::uint64_t times = 0;
    if (count > 0 && read(wake_.number(), &times, sizeof times) < 0) continue;
    if (count == 0) report();
  }
}

void SharedCacheClient::report() {
  const std::lock_guard lock(report_mutex_);
  const std::uint64_t hits = hits_.load(std::memory_order_relaxed);
  const std::uint64_t misses = misses_.load(std::memory_order_relaxed);
  if (hits == reported_hits_ && misses == reported_misses_ && !builds_) return;
  const Result<Done> done =
      control_->report(presence_->client(), hits - reported_hits_, misses - reported_misses_);
  if (!done) return;  // sent with the next one
  reported_hits_ = hits;
  reported_misses_ = misses;
}

}  // namespace

Result<std::unique_ptr<CacheClient>> CacheClient::open(const CacheOptions& options) {
  Result<std::unique_ptr<Presence>> presence = Presence::open(options.port);
  const auto explained = [&](const Error& error) {
    const bool is_gone = error.message() == unreachable(options.port).message();
    return is_gone ? no_server(options.port, options.session) : error;
  };
  if (!presence) return explained(presence.error());
  Result<platform::Descriptor> socket = connect_to_server(options.port);
  if (!socket) return explained(socket.error());
  Result<std::unique_ptr<Control>> control = load_control(std::move(socket).value(), options.port);
  if (!control) return control.error();
  std::unique_ptr<Control> calls = std::move(control).value();
  const Result<std::uint32_t> cache_id = calls->attach(presence.value()->client(), options);
  if (!cache_id) return cache_id.error();
  auto client = std::make_unique<SharedCacheClient>(options, std::move(presence).value(),
                                                    std::move(calls), cache_id.value());
  if (Result<Done> done = client->start(); !done) return done.error();
  return std::unique_ptr<CacheClient>(std::move(client));
}

}  // namespace mycel::cache
