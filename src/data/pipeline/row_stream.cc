// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/row_stream.h"

#include <chrono>
#include <limits>
#include <utility>

#include <unistd.h>

#include "data/pipeline/collate.h"
#include "data/pipeline/evaluate_stage.h"

namespace mycel::data {

namespace {

std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Waited {
 public:
  explicit Waited(std::uint64_t& total) : total_(total) {}
  ~Waited() {
    total_ += static_cast<std::uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - started_).count());
  }
  Waited(const Waited&) = delete;
  Waited& operator=(const Waited&) = delete;

 private:
  std::uint64_t& total_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace

RowStream::RowStream(StagePtr root, const StreamOptions& options)
    : root_(evaluated(std::move(root))),
      options_(options),
      process_(getpid()),
      epoch_given_(options.start_epoch),
      rows_given_(options.start_row) {
  engine_.stop = stop_.get_token();
  engine_.seed = options.seed;
  if (options.threads) {
    pool_ = std::make_unique<WorkerPool>(options.workers);
    engine_.pool = pool_.get();
  }
  root_->prepare(engine_);
  if (options.threads)
    driver_ = platform::Thread("data-driver", [this](const std::stop_token&) { drive(); });
}

RowStream::~RowStream() { stop(); }

void RowStream::stop() {
  if (getpid() != process_) {  // a forked child: the threads are the parent's
    if (pool_ != nullptr) pool_->abandon();
    new platform::Thread(std::move(driver_));
    pool_.release();  // NOLINT: its mutex may be held by a thread that is not here
    return;
  }
  stop_.request_stop();
  changed_.notify_all();
  driver_ = platform::Thread();
  pool_.reset();
  const std::lock_guard lock(mutex_);
  entries_.clear();
  finished_ = true;
}

void RowStream::begin_epoch() {
  // Epochs before the first one wanted are passed over: orders depend on those before them.
  for (; engine_.epoch < options_.start_epoch; ++engine_.epoch) {
    root_->begin();
    root_->skip(std::numeric_limits<std::int64_t>::max());
  }
  root_->begin();
  if (engine_.epoch == options_.start_epoch && options_.start_row > 0)
    root_->skip(options_.start_row);
  in_epoch_ = true;
}

bool RowStream::produce(Entry& entry) {
  const std::lock_guard lock(producing_);
  if (produced_all_) return false;
  if (!in_epoch_) begin_epoch();
  if (engine_.stop.stop_requested()) throw Stopped();
  if (root_->next(entry.row)) {
    entry.kind = Pulled::Row;
    for (const Item& item : entry.row.items) entry.bytes += bytes_of(item);
    return true;
  }
  root_->end_epoch();
  in_epoch_ = false;
  produced_all_ = options_.epochs >= 0 && engine_.epoch + 1 >= options_.epochs;
  entry.kind = produced_all_ ? Pulled::EndOfData : Pulled::EndOfEpoch;
  ++engine_.epoch;
  return true;
}

void RowStream::drive() {
  try {
    if (options_.reader_helps) return drive_while_unread();
    Entry entry;
    while (produce(entry)) push(std::exchange(entry, {}));
  } catch (const Stopped&) {
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    changed_.notify_all();
  }
}

void RowStream::drive_while_unread() {
  constexpr auto kAway = std::chrono::microseconds(300);
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, engine_.stop, kAway, [] { return false; });
      if (engine_.stop.stop_requested()) return;
      const bool full = entries_.size() >= options_.ahead || bytes_ >= options_.ahead_bytes;
      const bool away = !reading_.load() &&
                        now_ns() - left_at_ns_.load() > std::chrono::nanoseconds(kAway).count();
      if (failure_ || finished_) return;
      if (full || !away) continue;
    }
    // Until the reader comes back, or there is enough.
    Entry entry;
    do {
      // In the queue before the other thread may produce: rows keep their order.
      const std::lock_guard turn(turn_);
      if (!produce(entry)) return;
      push(std::exchange(entry, {}));
    } while (!reading_.load() && ready() < options_.ahead);
  }
}

void RowStream::push(Entry entry) {
  std::unique_lock lock(mutex_);
  const auto room = [&] {
    return entries_.empty() || (entries_.size() < options_.ahead && bytes_ < options_.ahead_bytes);
  };
  if (!room()) {
    const Waited waited(driver_wait_ns_);
    if (!changed_.wait(lock, engine_.stop, room)) throw Stopped();
  }
  bytes_ += entry.bytes;
  entries_.push_back(std::move(entry));
  if (entries_.size() == 1) changed_.notify_all();
}

Pulled RowStream::deliver(Entry& entry, Row& row) {
  if (entry.kind == Pulled::Row) {
    row = std::move(entry.row);
    ++rows_given_;
    return entry.kind;
  }
  rows_given_ = 0;
  ++epoch_given_;
  if (entry.kind == Pulled::EndOfData) finished_ = true;
  return entry.kind;
}

bool RowStream::take(Row& row, Pulled& pulled) {
  if (entries_.empty()) {
    if (failure_) std::rethrow_exception(failure_);
    if (!finished_) return false;
    pulled = Pulled::EndOfData;
    return true;
  }
  Entry entry = std::move(entries_.front());
  entries_.pop_front();
  bytes_ -= entry.bytes;
  // The driver sleeps until half the queue is free: it is woken seldom and then has much to do.
  if (!options_.reader_helps && entries_.size() <= options_.ahead / 2) changed_.notify_all();
  pulled = deliver(entry, row);
  return true;
}

Pulled RowStream::next(Row& row) {
  if (options_.reader_helps || !options_.threads) return produce_for_reader(row);
  std::unique_lock lock(mutex_);
  Pulled pulled = Pulled::Row;
  if (take(row, pulled)) return pulled;
  const Waited waited(reader_wait_ns_);
  changed_.wait(lock, engine_.stop, [&] { return !entries_.empty() || failure_ || finished_; });
  if (!take(row, pulled)) pulled = Pulled::EndOfData;
  return pulled;
}

Pulled RowStream::produce_for_reader(Row& row) {
  reading_ = true;
  const Waited waited(reader_wait_ns_);
  const std::lock_guard turn(turn_);
  Pulled pulled = Pulled::Row;
  try {
    {
      const std::lock_guard lock(mutex_);
      if (take(row, pulled)) {  // the driver had begun with it
        leave();
        return pulled;
      }
    }
    Entry entry;
    const bool more = produce(entry);
    const std::lock_guard lock(mutex_);
    pulled = more ? deliver(entry, row) : Pulled::EndOfData;
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    leave();
    throw;
  }
  leave();
  return pulled;
}

void RowStream::leave() {
  left_at_ns_ = now_ns();
  reading_ = false;
}

bool RowStream::wait(std::chrono::milliseconds most) {
  if (options_.reader_helps || !options_.threads) return true;
  std::unique_lock lock(mutex_);
  const auto ready = [&] { return !entries_.empty() || failure_ || finished_; };
  if (ready()) return true;
  const Waited waited(reader_wait_ns_);
  return changed_.wait_for(lock, engine_.stop, most, ready) || engine_.stop.stop_requested();
}

bool RowStream::try_next(Row& row, Pulled& pulled) {
  if (!options_.threads) return false;
  const std::lock_guard lock(mutex_);
  const bool taken = take(row, pulled);
  if (taken && options_.reader_helps) left_at_ns_ = now_ns();
  return taken;
}

std::vector<RowStream::Report> RowStream::report() const {
  std::vector<Report> reports;
  for (const ActivityPtr& activity : engine_.activities)
    reports.push_back({activity->name, activity->rows.load(),
                       static_cast<double>(activity->busy_ns.load()) * 1e-9,
                       static_cast<double>(activity->wait_ns.load()) * 1e-9});
  const std::lock_guard lock(mutex_);
  reports.push_back({"output", static_cast<std::uint64_t>(rows_given_),
                     static_cast<double>(driver_wait_ns_) * 1e-9,
                     static_cast<double>(reader_wait_ns_) * 1e-9});
  return reports;
}

std::size_t RowStream::ready() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace mycel::data
