// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/job_ring.h"

#include <algorithm>
#include <chrono>

#include "data/pipeline/worker_pool.h"

namespace mycel::data {

namespace {

constexpr std::uint64_t kTaskNanoseconds = 100'000;  // a task handed out costs a few microseconds
constexpr std::uint64_t kCheapNanoseconds = 40'000;
constexpr std::uint64_t kRemoteNanoseconds = 2'000'000;  // asking costs some hundred microseconds
constexpr std::size_t kMostRemoteRows = 64;

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

bool JobRing::wants_more() {
  if (engine_.pool == nullptr || !engine_.look_ahead) return jobs_.empty();
  if (jobs_.size() > engine_.pool->size()) return false;
  // A slow source must not hold back what is finished.
  const std::lock_guard lock(signal_->mutex);
  return jobs_.empty() || !jobs_.front()->done_;
}

std::size_t JobRing::rows_per_task() const {
  const std::uint64_t cost = row_cost_ns_.load(std::memory_order_relaxed);
  if (cost == 0 || !engine_.look_ahead) return 1;
  if (remote_) return std::clamp<std::size_t>(kRemoteNanoseconds / cost, 1, kMostRemoteRows);
  return std::clamp<std::size_t>(kTaskNanoseconds / cost, 1, 256);
}

bool JobRing::is_cheap(std::size_t rows) const {
  const std::uint64_t cost = row_cost_ns_.load(std::memory_order_relaxed);
  return !remote_ && cost != 0 && cost * rows < kCheapNanoseconds;
}

void JobRing::submit(JobPtr job, bool inline_work) {
  jobs_.push_back(job);
  Job& target = *job;
  const std::size_t rows = target.rows.size();
  remote_ = remote_ || (rows > 0 && is_remote(target.rows[0]));
  const std::size_t step = inline_work || engine_.pool == nullptr
                               ? std::max<std::size_t>(rows, 1)
                               : std::min(rows_per_task(), std::max<std::size_t>(rows, 1));
  const std::size_t parts = std::max<std::size_t>((rows + step - 1) / step, 1);
  target.open_parts_.store(parts, std::memory_order_relaxed);
  if (inline_work || engine_.pool == nullptr) {
    run_part(target, 0, rows);
    return;
  }
  for (std::size_t part = 0; part < parts; ++part)
    engine_.pool->submit([this, job, part, step, rows] {
      run_part(*job, part * step, std::min(rows, (part + 1) * step));
    });
}

void JobRing::run_part(Job& job, std::size_t begin, std::size_t end) {
  const std::uint64_t started = now_ns();
  try {
    if (!engine_.stop.stop_requested()) job.run_part(begin, end);
  } catch (...) {
    const std::lock_guard lock(signal_->mutex);
    if (!job.failure) job.failure = std::current_exception();
  }
  const std::uint64_t spent = now_ns() - started;
  if (end > begin) {
    const std::uint64_t cost = std::max<std::uint64_t>(spent / (end - begin), 1);
    const std::uint64_t before = row_cost_ns_.load(std::memory_order_relaxed);
    row_cost_ns_.store(before == 0 ? cost : (before * 7 + cost) / 8, std::memory_order_relaxed);
  }
  activity_->busy_ns.fetch_add(spent, std::memory_order_relaxed);
  activity_->rows.fetch_add(end - begin, std::memory_order_relaxed);
  close_part(job);
}

void JobRing::close_part(Job& job) {
  if (job.open_parts_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  try {
    if (!job.failure && !engine_.stop.stop_requested()) job.finish();
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
  JobPtr job = std::move(jobs_.front());
  jobs_.pop_front();
  std::unique_lock lock(signal_->mutex);
  if (!job->done_) {
    const std::uint64_t started = now_ns();
    signal_->done.wait(lock, engine_.stop, [&] { return job->done_; });
    activity_->wait_ns.fetch_add(now_ns() - started, std::memory_order_relaxed);
    if (!job->done_) throw Stopped();
  }
  lock.unlock();
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
