// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "data/pipeline/stage.h"

namespace mycel::data {

// Rows that belong together and are worked on by several threads.
class Job {
 public:
  virtual ~Job() = default;
  // Evaluates rows [begin, end); parts of a job run at the same time.
  virtual void run_part(std::size_t begin, std::size_t end) = 0;
  // Once, after all parts, on the thread that was last.
  virtual void finish() {}

  std::vector<Row> rows;
  std::exception_ptr failure;

 private:
  friend class JobRing;
  std::atomic<std::size_t> open_parts_{0};
  bool done_ = false;  // guarded by the ring's mutex
};

using JobPtr = std::shared_ptr<Job>;

// Jobs at work: finished in any order, taken in the order they were given.
class JobRing {
 public:
  JobRing(Engine& engine, ActivityPtr activity);

  std::size_t size() const { return jobs_.size(); }
  // Fewer jobs are under way than every thread needs to have a next one, and the oldest is not
  // ready.
  bool wants_more();
  // Rows whose work takes about as long as handing out a task is worth.
  std::size_t rows_per_task() const;
  // So many rows are done sooner than a thread of the pool wakes up.
  bool is_cheap(std::size_t rows) const;
  // `inline_work`: by the caller, now.
  void submit(JobPtr job, bool inline_work = false);
  // Waits for the oldest job. Rethrows what made it fail.
  JobPtr take();
  // Waits until nothing is at work and forgets all jobs.
  void drain();

 private:
  void run_part(Job& job, std::size_t begin, std::size_t end);
  void close_part(Job& job);

  Engine& engine_;
  ActivityPtr activity_;
  std::atomic<std::uint64_t> row_cost_ns_{0};  // moving average
  std::deque<JobPtr> jobs_;                    // touched by the driver only
  bool remote_ = false;                        // so is this; rows are made by other processes
  // Shared with tasks that may still be running when the ring goes.
  struct Signal {
    std::mutex mutex;
    std::condition_variable_any done;
  };
  std::shared_ptr<Signal> signal_ = std::make_shared<Signal>();
};

}  // namespace mycel::data
