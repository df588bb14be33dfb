// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/row_stream.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "data/pipeline/evaluate_stage.h"
#include "data/pipeline/worker_pool.h"
#include "data/source/source.h"
#include "platform/file/mapping_guard.h"
#include "platform/log/log.h"
#include "platform/thread/thread.h"

namespace mycel::data {

namespace {

using Clock = std::chrono::steady_clock;
using Lock = std::unique_lock<std::mutex>;

// A reader that has been gone for so long is busy with something else; before, it may be between
// two rows.
constexpr std::chrono::nanoseconds kAway = std::chrono::microseconds(300);
// How often the driver looks whether it has gone, when it never has.
constexpr std::chrono::nanoseconds kLongestLook = std::chrono::milliseconds(10);
// How long whoever drops a stream waits for code of users.
constexpr std::chrono::milliseconds kLongestEnd{1000};

thread_local const void* run_of_this_thread = nullptr;

// Streams that were dropped by one of their own threads and are not gone yet.
struct Dropped {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t count = 0;  // guarded by the mutex
};

Dropped& dropped_streams() {
  static auto& all = *new Dropped;  // threads may outlive static objects
  return all;
}

}  // namespace

class RowStream::Run : public std::enable_shared_from_this<Run> {
 public:
  Run(StagePtr root, const StreamOptions& options);
  ~Run();
  void start();  // once, when it is shared
  Pulled next(Row& row);
  bool wait(std::chrono::milliseconds most);
  bool try_next(Row& row, Pulled& pulled);
  bool stop(std::optional<Clock::time_point> until);
  void let_go();  // nobody waits for the threads
  bool is_own_thread() const;

  const Columns& columns() const { return columns_; }
  std::int64_t epoch() const { return guarded(epoch_given_); }
  std::int64_t rows_given() const { return guarded(rows_given_); }
  bool failed() const { return guarded(failure_) != nullptr; }
  std::size_t held_bytes() const { return engine_.budget.charged(); }
  std::size_t ready() const;
  std::vector<Report> report() const;

 private:
  // What the driver sleeps for.
  enum class Awaits : std::uint8_t { Nothing, Room, Leave };
  class Reading;

  template <class T>
  T guarded(const T& value) const {
    const std::lock_guard lock(mutex_);
    return value;
  }

  void drive();
  void await(Lock& lock, Awaits what);
  bool reader_is_away(Lock& lock);
  void look_for_damage();
  Pulled next_entry(Row& row);
  void join();

  // The following with the mutex held. step() gives it back while it works.
  void step(Lock& lock, const Attend* attend);
  void put(Entry entry);
  void queue(Entry entry);
  bool take(Row& row, Pulled& pulled);
  bool has_room() const;
  bool has_news() const;
  bool is_refill_due() const;
  void await_news(Lock& lock);
  void warn_if_late(Lock& lock);
  void note_served(Lock& lock);
  void wake_driver(Awaits what);
  void wake_all();
  std::unique_ptr<Production> unused_production();

  const StreamOptions options_;
  const bool reader_steps_;
  const Columns columns_;
  std::vector<std::shared_ptr<const IndexedSource>> sources_;
  std::atomic<std::uint64_t> damages_seen_{platform::mapping_damages()};
  std::stop_source stop_;
  Engine engine_;
  std::unique_ptr<WorkerPool> pool_;

  mutable std::mutex mutex_;  // guards what follows
  std::unique_ptr<Production> production_;
  bool held_ = false;  // somebody steps the production, without the mutex
  bool over_ = false;  // there is nothing left to step
  bool stopping_ = false;
  std::deque<Entry> entries_;
  SizeEstimate entry_bytes_;    // to make one
  std::exception_ptr failure_;  // comes after the entries
  bool finished_ = false;       // the end of the data was given
  bool is_damaged_ = false;     // the failure comes at once
  std::int64_t epoch_given_;
  std::int64_t rows_given_;

  std::condition_variable news_;  // for readers
  std::size_t readers_ = 0;       // inside next()
  std::size_t waiting_readers_ = 0;
  Clock::time_point left_at_ = Clock::now();  // when the last reader went
  Clock::duration reader_waited_{0};
  std::optional<Clock::time_point> wanted_since_;  // a row that is not there yet
  Clock::duration late_after_;

  std::condition_variable work_;  // for the driver
  Awaits driver_awaits_ = Awaits::Nothing;
  Clock::duration look_in_{0};  // when it looks for the reader again
  bool came_back_ = false;      // the reader had left, but was there again before it could look
  Clock::duration driver_waited_{0};

  platform::Thread driver_;
  std::condition_variable ended_;  // for whoever stops
  bool driver_ended_ = true;
  bool joining_ = false;
  bool joined_ = false;
  bool was_dropped_ = false;
};

RowStream::Run::Run(StagePtr root, const StreamOptions& options)
    : options_(options),
      reader_steps_(!options.threads || root->calls_users_in_order()),
      columns_(root->columns()),
      engine_(options.ahead_bytes),
      epoch_given_(options.start_epoch),
      rows_given_(options.start_row),
      late_after_(options.late_after) {
  engine_.stop = stop_.get_token();
  engine_.seed = options.seed;
  production_ = std::make_unique<Production>(
      evaluated(std::move(root)), engine_,
      ProductionOptions{options.epochs, options.start_epoch, options.start_row});
  sources_ = production_->sources();
}

RowStream::Run::~Run() {
  if (!was_dropped_) return;
  Dropped& all = dropped_streams();
  const std::lock_guard lock(all.mutex);
  --all.count;
  all.changed.notify_all();
}

void RowStream::Run::start() {
  if (!options_.threads) return;
  pool_ = std::make_unique<WorkerPool>(options_.workers, shared_from_this());
  engine_.pool = pool_.get();
  driver_ended_ = false;
  driver_ = platform::Thread("data-driver", [self = shared_from_this()](const std::stop_token&) {
    run_of_this_thread = self.get();
    self->drive();
  });
}

bool RowStream::Run::is_own_thread() const {
  return run_of_this_thread == this || (pool_ != nullptr && pool_->is_here());
}

// Making entries.

void RowStream::Run::step(Lock& lock, const Attend* attend) {
  held_ = true;
  lock.unlock();
  engine_.attend = attend;
  Entry entry = production_->step();
  const bool over = production_->is_over();
  lock.lock();
  held_ = false;
  over_ = over;
  if (!stopping_) return put(std::move(entry));
  std::unique_ptr<Production> gone = unused_production();
  lock.unlock();  // what nobody gets may need other locks to go
  entry = Entry();
  gone.reset();
  lock.lock();
}

// The stages hold rows that nobody wants any more. They go when neither a thread of ours nor a
// reader is in them.
std::unique_ptr<Production> RowStream::Run::unused_production() {
  return joined_ && !held_ ? std::move(production_) : nullptr;
}

void RowStream::Run::put(Entry entry) {
  if (entry.failure)
    failure_ = is_damaged_ ? failure_ : entry.failure;
  else if (entry.stopped)
    stopping_ = true;
  else
    queue(std::move(entry));
  if (over_)
    wake_all();
  else if (waiting_readers_ > 0)
    news_.notify_one();
}

void RowStream::Run::queue(Entry entry) {
  if (entry.kind == Pulled::Row) entry_bytes_.note(entry.row.peak_bytes);
  entries_.push_back(std::move(entry));
}

void RowStream::Run::wake_all() {
  driver_awaits_ = Awaits::Nothing;
  work_.notify_all();
  news_.notify_all();
}

bool RowStream::Run::has_room() const {
  if (entries_.empty()) return true;
  return entries_.size() < options_.ahead && engine_.budget.has_room(entry_bytes_.bytes());
}

// The driver is woken seldom, and then has much to do.
bool RowStream::Run::is_refill_due() const {
  if (entries_.empty()) return true;
  return entries_.size() <= options_.ahead / 2 &&
         engine_.budget.charged() <= engine_.budget.limit() / 2;
}

void RowStream::Run::drive() {
  Lock lock(mutex_);
  while (!stopping_ && !over_) {
    if (!has_room()) {
      const auto since = Clock::now();
      await(lock, Awaits::Room);
      driver_waited_ += Clock::now() - since;
    } else if (!reader_steps_ || reader_is_away(lock)) {
      step(lock, nullptr);
    }
  }
  driver_ended_ = true;
  ended_.notify_all();
}

void RowStream::Run::await(Lock& lock, Awaits what) {
  driver_awaits_ = what;
  const auto woken = [&] { return driver_awaits_ == Awaits::Nothing; };
  if (what != Awaits::Leave) return work_.wait(lock, woken);
  // The reader is in code of users; nobody else can tell that it does not come back.
  while (!work_.wait_for(lock, late_after_, woken)) warn_if_late(lock);
}

void RowStream::Run::wake_driver(Awaits what) {
  if (driver_awaits_ != what) return;
  driver_awaits_ = Awaits::Nothing;
  work_.notify_one();
}

// Where readers make rows themselves, the driver works only when they are busy elsewhere. Whether
// one is, or is between two rows, only time can tell: there is a clock running exactly as long as
// that is the question, and the longer it stays one, the more seldom it is asked.
bool RowStream::Run::reader_is_away(Lock& lock) {
  if (readers_ > 0) {
    if (std::exchange(came_back_, false)) {
      work_.wait_for(lock, kLongestLook, [&] { return stopping_ || over_; });
    } else {
      await(lock, Awaits::Leave);
      came_back_ = readers_ > 0;  // to wake at every row would cost more than the row
    }
    return false;
  }
  const auto away = Clock::now() - left_at_;
  if (away >= kAway) {
    look_in_ = Clock::duration::zero();
    return true;
  }
  work_.wait_for(lock, std::max<Clock::duration>(kAway - away, look_in_),
                 [&] { return stopping_ || over_; });
  look_in_ = std::clamp<Clock::duration>(2 * look_in_, kAway, kLongestLook);
  return false;
}

// Reading.

// A reader is here. It comes and goes with the mutex held.
class RowStream::Run::Reading {
 public:
  explicit Reading(Run& run) : run_(run) { ++run_.readers_; }
  ~Reading() {
    if (--run_.readers_ > 0 || !run_.reader_steps_) return;
    run_.left_at_ = Clock::now();
    run_.wake_driver(Awaits::Leave);
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

 private:
  Run& run_;
};

bool RowStream::Run::take(Row& row, Pulled& pulled) {
  pulled = Pulled::EndOfData;
  if (stopping_) return true;
  if (entries_.empty() || is_damaged_) {
    if (failure_) std::rethrow_exception(failure_);
    return finished_;
  }
  Entry& entry = entries_.front();
  pulled = entry.kind;
  entry.row.charge.release();
  if (pulled == Pulled::Row) {
    row = std::move(entry.row);
    ++rows_given_;
  } else {
    rows_given_ = 0;
    ++epoch_given_;
    finished_ = pulled == Pulled::EndOfData;
  }
  entries_.pop_front();
  if (is_refill_due()) wake_driver(Awaits::Room);
  return true;
}

bool RowStream::Run::has_news() const {
  return stopping_ || !entries_.empty() || failure_ || finished_ || (reader_steps_ && !held_);
}

void RowStream::Run::await_news(Lock& lock) {
  ++waiting_readers_;
  const auto ready = [&] { return has_news(); };
  const auto longest = options_.attend ? Clock::duration(kAttendInterval) : late_after_;
  const bool came = news_.wait_for(lock, longest, ready);
  --waiting_readers_;
  if (came) return;
  warn_if_late(lock);
  if (!options_.attend) return;
  lock.unlock();
  try {
    options_.attend();
  } catch (...) {
    lock.lock();
    throw;
  }
  lock.lock();
}

// Rows may be views of files. A page that was replaced since the last look is the last row's, or of
// one that is ready: nothing of that may go on unnoticed.
void RowStream::Run::look_for_damage() {
  const std::uint64_t now = platform::mapping_damages();
  if (damages_seen_.load(std::memory_order_relaxed) == now) [[likely]]
    return;
  try {
    for (const auto& source : sources_) source->check();
    damages_seen_ = now;  // somebody else's
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();  // whatever else failed, failed because of that
    is_damaged_ = true;
  }
}

Pulled RowStream::Run::next(Row& row) {
  row = Row();  // what it held may need other locks to go
  look_for_damage();
  try {
    return next_entry(row);
  } catch (...) {
    look_for_damage();
    const Lock lock(mutex_);
    if (is_damaged_) std::rethrow_exception(failure_);
    throw;
  }
}

Pulled RowStream::Run::next_entry(Row& row) {
  Pulled pulled = Pulled::Row;
  Lock lock(mutex_);
  const Reading here(*this);
  if (take(row, pulled)) return pulled;
  const auto since = Clock::now();
  if (!wanted_since_) wanted_since_ = since;
  do {
    if (reader_steps_ && !held_)
      step(lock, options_.attend ? &options_.attend : nullptr);
    else
      await_news(lock);
  } while (!take(row, pulled));
  reader_waited_ += Clock::now() - since;
  note_served(lock);
  return pulled;
}

void RowStream::Run::note_served(Lock& lock) {
  warn_if_late(lock);  // a step of the reader's own may have been all the time
  wanted_since_ = readers_ > 1 ? std::optional(Clock::now()) : std::nullopt;
}

void RowStream::Run::warn_if_late(Lock& lock) {
  const auto waited = wanted_since_ ? Clock::now() - *wanted_since_ : Clock::duration::zero();
  if (waited < late_after_) return;
  while (late_after_ <= waited) late_after_ *= 2;
  lock.unlock();
  std::string columns;  // they tell one dataset from another
  for (const std::string& column : columns_) columns += (columns.empty() ? "" : ", ") + column;
  std::string stages;
  for (const ActivityPtr& activity : engine_.activities)
    stages +=
        platform::join(stages.empty() ? "" : "; ", activity->name, ": ", activity->rows.load(),
                       " rows, ", activity->busy_ns.load() / 1'000'000, " ms");
  platform::log_warning(
      "A reader has been waiting for data for ",
      std::chrono::duration_cast<std::chrono::seconds>(waited).count(),
      " s: the dataset is too slow. It has the columns ", columns,
      " and these stages, with what they have finished: ", stages,
      ". Make the slowest one faster, give it more workers (num_parallel_workers, "
      "python_multiprocessing), use native operations instead of Python functions there, or store "
      "its result (Dataset.save).");
  lock.lock();
}

bool RowStream::Run::wait(std::chrono::milliseconds most) {
  Lock lock(mutex_);
  if (has_news()) return true;
  const Reading here(*this);
  const auto since = Clock::now();
  ++waiting_readers_;
  const bool came = news_.wait_for(lock, most, [&] { return has_news(); });
  --waiting_readers_;
  reader_waited_ += Clock::now() - since;
  return came;
}

bool RowStream::Run::try_next(Row& row, Pulled& pulled) {
  row = Row();  // what it held may need other locks to go
  look_for_damage();
  const std::lock_guard lock(mutex_);
  if (entries_.empty() && !stopping_ && !failure_ && !finished_) return false;
  const Reading here(*this);
  return take(row, pulled);
}

// Ending.

bool RowStream::Run::stop(std::optional<Clock::time_point> until) {
  stop_.request_stop();
  if (pool_ != nullptr) pool_->request_stop();
  std::deque<Entry> entries;  // they may need other locks to go, as may the failure
  std::exception_ptr failure;
  {
    Lock lock(mutex_);
    stopping_ = true;
    entries.swap(entries_);
    failure = std::exchange(failure_, nullptr);
    wake_all();
    // One of the threads cannot wait for itself, nor for another one that may do the same.
    if (is_own_thread()) return false;
    if (until && !ended_.wait_until(lock, *until, [&] { return driver_ended_; })) return false;
  }
  if (until && pool_ != nullptr && !pool_->wait_for_end(*until)) return false;
  join();
  return true;
}

void RowStream::Run::join() {
  {
    Lock lock(mutex_);
    if (joining_) return ended_.wait(lock, [&] { return joined_; });
    joining_ = true;
  }
  driver_ = platform::Thread();
  if (pool_ != nullptr) pool_->stop();
  std::unique_ptr<Production> gone;
  {
    const std::lock_guard lock(mutex_);
    joined_ = true;
    gone = unused_production();
    ended_.notify_all();
  }
}

void RowStream::Run::let_go() {
  Dropped& all = dropped_streams();
  {
    const std::lock_guard lock(all.mutex);
    ++all.count;
  }
  was_dropped_ = true;
  driver_.let_go();
  if (pool_ != nullptr) pool_->let_go();
}

std::size_t RowStream::Run::ready() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

std::vector<RowStream::Report> RowStream::Run::report() const {
  const auto seconds = [](Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  std::vector<Report> reports;
  for (const ActivityPtr& activity : engine_.activities)
    reports.push_back({activity->name, activity->rows.load(),
                       static_cast<double>(activity->busy_ns.load()) * 1e-9,
                       static_cast<double>(activity->wait_ns.load()) * 1e-9});
  const std::lock_guard lock(mutex_);
  reports.push_back({"output", static_cast<std::uint64_t>(rows_given_), seconds(driver_waited_),
                     seconds(reader_waited_)});
  return reports;
}

// The handle.

RowStream::RowStream(StagePtr root, const StreamOptions& options)
    : run_(std::make_shared<Run>(std::move(root), options)), fork_number_(platform::fork_number()) {
  try {
    run_->start();
  } catch (...) {
    run_->stop(std::nullopt);
    throw;
  }
}

RowStream::~RowStream() {
  if (is_inherited()) {
    // Whatever a thread of the parent held at the time of the fork stays held here for ever.
    new std::shared_ptr<Run>(std::move(run_));
    return;
  }
  if (!run_->stop(Clock::now() + kLongestEnd)) run_->let_go();
}

bool RowStream::is_own_thread() const { return run_->is_own_thread(); }

bool RowStream::is_inherited() const { return platform::fork_number() != fork_number_; }

RowStream::Run& RowStream::own() const {
  platform::require(!is_inherited(), ErrorKind::Runtime,
                    "An iterator of a dataset cannot be used in a child process: it was made "
                    "before the process was forked. Make one in the child.");
  return *run_;
}

const Columns& RowStream::columns() const { return run_->columns(); }
Pulled RowStream::next(Row& row) { return own().next(row); }
bool RowStream::wait(std::chrono::milliseconds most) { return own().wait(most); }
bool RowStream::try_next(Row& row, Pulled& pulled) { return own().try_next(row, pulled); }

void RowStream::stop() {
  if (!is_inherited()) run_->stop(std::nullopt);
}

bool RowStream::stop_within(std::chrono::milliseconds most) {
  return is_inherited() || run_->stop(Clock::now() + most);
}

bool RowStream::failed() const { return own().failed(); }
std::int64_t RowStream::epoch() const { return own().epoch(); }
std::int64_t RowStream::rows_given() const { return own().rows_given(); }
std::size_t RowStream::ready() const { return own().ready(); }
std::size_t RowStream::held_bytes() const { return own().held_bytes(); }
std::vector<RowStream::Report> RowStream::report() const { return own().report(); }

bool wait_for_dropped_streams(std::chrono::milliseconds most) {
  Dropped& all = dropped_streams();
  Lock lock(all.mutex);
  return all.changed.wait_for(lock, most, [&] { return all.count == 0; });
}

}  // namespace mycel::data
