// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/row_stream.h"

#include <chrono>

#include <unistd.h>

#include "data/pipeline/collate.h"
#include "data/pipeline/evaluate_stage.h"

namespace mycel::data {

namespace {

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
  engine_.epoch = options.start_epoch;
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

bool RowStream::last_epoch() const {
  return options_.epochs >= 0 && engine_.epoch + 1 >= options_.epochs;
}

void RowStream::drive() {
  try {
    while (true) {
      drive_epoch();
      const bool last = last_epoch();
      push({last ? Pulled::EndOfData : Pulled::EndOfEpoch, {}, 0});
      if (last) return;
      ++engine_.epoch;
    }
  } catch (const Stopped&) {
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    changed_.notify_all();
  }
}

void RowStream::drive_epoch() {
  root_->begin();
  if (engine_.epoch == options_.start_epoch && options_.start_row > 0)
    root_->skip(options_.start_row);
  while (true) {
    if (engine_.stop.stop_requested()) throw Stopped();
    Entry entry;
    if (!root_->next(entry.row)) return;
    for (const Item& item : entry.row.items) entry.bytes += bytes_of(item);
    push(std::move(entry));
  }
}

void RowStream::push(Entry entry) {
  std::unique_lock lock(mutex_);
  const auto room = [&] {
    return entries_.size() < 2 ||
           (entries_.size() < options_.ahead && bytes_ < options_.ahead_bytes);
  };
  if (!room()) {
    const Waited waited(driver_wait_ns_);
    if (!changed_.wait(lock, engine_.stop, room)) throw Stopped();
  }
  bytes_ += entry.bytes;
  entries_.push_back(std::move(entry));
  if (entries_.size() == 1) changed_.notify_all();
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
  if (entries_.size() <= options_.ahead / 2) changed_.notify_all();
  pulled = entry.kind;
  if (pulled == Pulled::Row) {
    row = std::move(entry.row);
    ++rows_given_;
  } else {
    rows_given_ = 0;
    ++epoch_given_;
    if (pulled == Pulled::EndOfData) finished_ = true;
  }
  return true;
}

Pulled RowStream::next(Row& row) {
  if (!options_.threads) return pull_inline(row);
  std::unique_lock lock(mutex_);
  Pulled pulled = Pulled::Row;
  if (take(row, pulled)) return pulled;
  const Waited waited(reader_wait_ns_);
  changed_.wait(lock, engine_.stop, [&] { return !entries_.empty() || failure_ || finished_; });
  if (!take(row, pulled)) pulled = Pulled::EndOfData;
  return pulled;
}

bool RowStream::try_next(Row& row, Pulled& pulled) {
  if (!options_.threads) return false;
  const std::lock_guard lock(mutex_);
  return take(row, pulled);
}

Pulled RowStream::pull_inline(Row& row) {
  if (failure_) std::rethrow_exception(failure_);
  if (finished_) return Pulled::EndOfData;
  try {
    if (!begun_) {
      root_->begin();
      if (engine_.epoch == options_.start_epoch && options_.start_row > 0)
        root_->skip(options_.start_row);
      begun_ = true;
    }
    if (root_->next(row)) {
      ++rows_given_;
      return Pulled::Row;
    }
  } catch (...) {
    failure_ = std::current_exception();
    throw;
  }
  begun_ = false;
  finished_ = last_epoch();
  ++engine_.epoch;
  ++epoch_given_;
  rows_given_ = 0;
  return finished_ ? Pulled::EndOfData : Pulled::EndOfEpoch;
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
