// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/job_ring.h"

#include <algorithm>
#include <chrono>

#include "data/pipeline/worker_pool.h"

namespace mycel::data {

namespace {

constexpr std::uint64_t kTaskNanoseconds = 100'000;  // a task handed out costs a few microseconds
constexpr std::uint64_t kCheapNanoseconds = 40'000;
// Asking another process takes long by itself, the longer the busier the machine is. What a row
// costs cannot be told from that, so questions grow while the answer comes soon.
constexpr std::uint64_t kSoonNanoseconds = 10'000'000;
constexpr std::uint64_t kLateNanoseconds = 40'000'000;
constexpr std::size_t kMostRemoteRows = 256;

bool is_remote(const Row& row) {
  return std::ranges::any_of(row.pending, [](const RowStep* step) { return step->is_remote(); });
}

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

}  // namespace

JobRing::JobRing(Engine& engine, ActivityPtr activity)
    : engine_(engine), activity_(std::move(activity)) {}

bool JobRing::wants_more(std::optional<std::size_t> expected_bytes) {
  if (jobs_.empty()) return true;
  if (engine_.pool == nullptr || !engine_.look_ahead) return false;
  if (jobs_.size() > engine_.pool->size()) return false;
  if (!expected_bytes.has_value() || !engine_.budget.has_room(*expected_bytes)) return false;
  // A slow source must not hold back what is finished.
  const std::lock_guard lock(signal_->mutex);
  return !jobs_.front()->done_;
}

std::size_t JobRing::rows_per_task(std::size_t row_bytes) const {
  const std::uint64_t cost = row_cost_ns_.load(std::memory_order_relaxed);
  if (cost == 0 || !engine_.look_ahead) return 1;
  const std::size_t rows = remote_ ? remote_rows_.load(std::memory_order_relaxed)
                                   : std::clamp<std::size_t>(kTaskNanoseconds / cost, 1, 256);
  if (row_bytes == 0) return rows;
  return std::clamp<std::size_t>(engine_.budget.room() / row_bytes, 1, rows);
}

bool JobRing::is_cheap(std::size_t rows) const {
  const std::uint64_t cost = row_cost_ns_.load(std::memory_order_relaxed);
  return !remote_ && cost != 0 && cost * rows < kCheapNanoseconds;
}

void JobRing::submit(JobPtr job, bool inline_work) { complete(std::move(job), 0, inline_work); }

void JobRing::begin_part(const JobPtr& job, std::size_t begin, std::size_t end) {
  if (!engine_.budget.has_room(job->rows[end - 1].peak_bytes)) return run_rows(*job, begin, end);
  job->open_parts_.fetch_add(1, std::memory_order_relaxed);
  engine_.pool->submit([this, job, begin, end] {
    run_rows(*job, begin, end);
    close_part(*job);
  });
}

void JobRing::complete(JobPtr job, std::size_t begin, bool inline_work) {
  Job& target = *job;
  const std::size_t rows = target.rows.size();
  remote_ = remote_ || (begin < rows && is_remote(target.rows[begin]));
  jobs_.push_back(job);
  if (inline_work || engine_.pool == nullptr) {
    run_rows(target, begin, rows);
    return close_part(target);
  }
  // As many threads as there is memory for what they have in hand.
  const std::size_t step = rows_per_task();
  std::size_t threads = std::min((rows - begin + step - 1) / step, engine_.pool->size());
  if (target.row_bytes > 0 && threads > 1)
    threads = std::clamp<std::size_t>(engine_.budget.room() / target.row_bytes, 1, threads);
  target.next_row_.store(begin, std::memory_order_relaxed);
  target.open_parts_.fetch_add(threads, std::memory_order_relaxed);
  for (std::size_t i = 0; i < threads; ++i)
    engine_.pool->submit([this, job, step, rows] {
      std::size_t at = 0;
      while ((at = job->next_row_.fetch_add(step, std::memory_order_relaxed)) < rows)
        run_rows(*job, at, std::min(rows, at + step));
      close_part(*job);
    });
  close_part(target);
}

void JobRing::run_rows(Job& job, std::size_t begin, std::size_t end) {
  if (begin == end) return;
  const bool asks = is_remote(job.rows[begin]);
  const std::uint64_t started = now_ns();
  try {
    if (engine_.stop.stop_requested()) throw Stopped();  // nobody may take it for done
    job.run_part(begin, end);
  } catch (...) {
    const std::lock_guard lock(signal_->mutex);
    if (!job.failure) job.failure = std::current_exception();
  }
  const std::uint64_t spent = now_ns() - started;
  const std::uint64_t cost = std::max<std::uint64_t>(spent / (end - begin), 1);
  const std::uint64_t before = row_cost_ns_.load(std::memory_order_relaxed);
  row_cost_ns_.store(before == 0 ? cost : (before * 7 + cost) / 8, std::memory_order_relaxed);
  if (asks) note_answer(end - begin, spent);
  activity_->busy_ns.fetch_add(spent, std::memory_order_relaxed);
  activity_->rows.fetch_add(end - begin, std::memory_order_relaxed);
}

void JobRing::note_answer(std::size_t rows, std::uint64_t spent_ns) {
  const std::size_t asked = remote_rows_.load(std::memory_order_relaxed);
  if (spent_ns > kLateNanoseconds && rows > 1)
    remote_rows_.store(std::max<std::size_t>(rows / 2, 1), std::memory_order_relaxed);
  else if (spent_ns < kSoonNanoseconds && rows >= asked)
    remote_rows_.store(std::min(2 * asked, kMostRemoteRows), std::memory_order_relaxed);
}

void JobRing::close_part(Job& job) {
  if (job.open_parts_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  try {
    if (!job.failure) job.finish();
  } catch (...) {
    job.failure = std::current_exception();
  }
  {
    const std::lock_guard lock(signal_->mutex);
    job.done_ = true;
  }
  signal_->done.notify_all();
}

JobPtr JobRing::take() {
  {
    const Job& oldest = *jobs_.front();
    std::unique_lock lock(signal_->mutex);
    if (!oldest.done_) {
      const std::uint64_t started = now_ns();
      engine_.wait(signal_->done, lock, [&] { return oldest.done_; });
      activity_->wait_ns.fetch_add(now_ns() - started, std::memory_order_relaxed);
    }
  }
  JobPtr job = std::move(jobs_.front());
  jobs_.pop_front();
  if (job->failure) std::rethrow_exception(job->failure);
  return job;
}

void JobRing::drain() {
  while (!jobs_.empty()) {
    try {
      take();
    } catch (const Stopped&) {
      throw;
    } catch (...) {  // nobody wants these rows any more
    }
  }
}

}  // namespace mycel::data
