// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
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
  std::size_t row_bytes = 0;  // to make one, beside what the job was charged for

 private:
  friend class JobRing;
  std::atomic<std::size_t> next_row_{0};    // not given to a thread yet
  std::atomic<std::size_t> open_parts_{1};  // threads at work, and whoever still adds rows
  bool done_ = false;                       // guarded by the ring's mutex
};

using JobPtr = std::shared_ptr<Job>;

// Jobs at work: finished in any order, taken in the order they were given.
class JobRing {
 public:
  JobRing(Engine& engine, ActivityPtr activity);

  std::size_t size() const { return jobs_.size(); }
  // Whether another job, expected to need so many bytes, may be begun. Nothing under way: always,
  // because somebody waits for it. Else it is work ahead: there must be room for it, a thread that
  // would otherwise have no next job, and the oldest job must not be ready. As long as nobody knows
  // what a job needs, one is enough.
  bool wants_more(std::optional<std::size_t> expected_bytes);
  // Rows whose work takes about as long as handing out a task is worth, and which there is room
  // for when each needs so much; one at least.
  std::size_t rows_per_task(std::size_t row_bytes = 0) const;
  // So many rows are done sooner than a thread of the pool wakes up.
  bool is_cheap(std::size_t rows) const;

  // A job whose rows are all there. `inline_work`: by the caller, now.
  void submit(JobPtr job, bool inline_work = false);
  // A job whose rows come one by one: parts of it may be begun before it is complete. `job->rows`
  // must have room for all of them. Without memory for the next row the part is done now, by the
  // caller.
  void begin_part(const JobPtr& job, std::size_t begin, std::size_t end);
  // Some rows now, by the caller.
  void run_rows(Job& job, std::size_t begin, std::size_t end);
  // The rows from `begin` on are the last ones.
  void complete(JobPtr job, std::size_t begin, bool inline_work);

  // Waits for the oldest job. Rethrows what made it fail.
  JobPtr take();
  // Waits until nothing is at work and forgets all jobs.
  void drain();

 private:
  void close_part(Job& job);
  // Other processes made so many rows in this time: the next question may be longer, or shorter.
  void note_answer(std::size_t rows, std::uint64_t spent_ns);

  Engine& engine_;
  ActivityPtr activity_;
  std::atomic<std::uint64_t> row_cost_ns_{0};  // moving average
  std::atomic<std::size_t> remote_rows_{1};    // that another process is asked for at a time
  std::deque<JobPtr> jobs_;                    // touched by whoever pulls only
  bool remote_ = false;                        // so is this; rows are made by other processes
  // Shared with tasks that may still be running when the ring goes.
  struct Signal {
    std::mutex mutex;
    std::condition_variable_any done;
  };
  std::shared_ptr<Signal> signal_ = std::make_shared<Signal>();
};

}  // namespace mycel::data
