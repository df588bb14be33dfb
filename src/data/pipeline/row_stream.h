// SPDX-License-Identifier: Apache-2.0
// A pipeline at work: rows are made ahead of whoever reads them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/pipeline/production.h"
#include "data/pipeline/stage.h"

namespace mycel::data {

struct StreamOptions {
  std::int64_t epochs = -1;  // -1: without end
  std::size_t workers = 1;
  std::size_t ahead = 16;  // rows (or batches) kept ready
  // And no more memory than this ahead of the reader, in whatever stage, but for the one row (or
  // batch) that is made next.
  std::size_t ahead_bytes = std::size_t{256} << 20;
  std::uint64_t seed = 0;
  bool threads = true;  // false: everything happens inside next(), on the caller's thread
  std::int64_t start_epoch = 0;
  std::int64_t start_row = 0;  // rows of the first epoch to pass over
  Attend attend = {};          // may be empty
  // A reader that gets no row for so long is told what goes on; then after twice that, and so on.
  std::chrono::milliseconds late_after = std::chrono::seconds(25);
};

// The stages are a Production. One thread at a time steps it: the driver while there is room for
// what it makes, or a reader that found nothing ready, where functions of users are called in order
// (Stage::calls_users_in_order). Whose turn it is, is a flag under the mutex; nothing is locked
// while a step runs, and putting an entry into the queue never waits, because there was room before
// its step was begun.
class RowStream {
 public:
  RowStream(StagePtr root, const StreamOptions& options);
  // Also on one of the stream's own threads. Code of users that does not come to its end is left
  // alone after a while.
  ~RowStream();
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  const Columns& columns() const;
  // Waits if it must. Rethrows what a stage threw, now and whenever it is asked again. After stop()
  // the data are at their end.
  Pulled next(Row& row);
  // Waits a while at most; true: next() has something to do at once.
  bool wait(std::chrono::milliseconds most);
  // The same as next(), if there is something without waiting and without work.
  bool try_next(Row& row, Pulled& pulled);

  // Ends all work and frees what is ready. By any thread, any number of times, also at the same
  // time. The threads are gone afterwards, unless it was one of them that called: they go then as
  // soon as they can.
  void stop();
  // The same, but code of users that does not come to its end is waited for so long at most. False:
  // some thread is still at it.
  bool stop_within(std::chrono::milliseconds most);

  // The caller is one of the stream's threads.
  bool is_own_thread() const;

  // The process was forked since the stream was made: its threads are the parent's. Dropping it is
  // all that can be done.
  bool is_inherited() const;

  // A stage threw, and the stream was not stopped yet.
  bool failed() const;
  // Where the stream is: rows given of which epoch.
  std::int64_t epoch() const;
  std::int64_t rows_given() const;

  struct Report {
    std::string name;
    std::uint64_t rows = 0;
    double busy_s = 0;
    double wait_s = 0;
  };
  // The stages, then "output": busy is how long the driver found no room, wait how long the
  // reader found nothing ready.
  std::vector<Report> report() const;
  std::size_t ready() const;
  std::size_t held_bytes() const;  // as the budget counts them

 private:
  class Run;
  Run& own() const;           // RuntimeError in a forked child
  std::shared_ptr<Run> run_;  // the threads have shares, too
  std::uint64_t fork_number_;
};

// Waits for the threads of streams that were dropped without waiting for them. False: after so long
// some were still at work.
bool wait_for_dropped_streams(std::chrono::milliseconds most);

}  // namespace mycel::data
