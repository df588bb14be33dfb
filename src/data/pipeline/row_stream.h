// SPDX-License-Identifier: Apache-2.0
// A pipeline at work: one driver thread pulls the root and keeps finished rows ready.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "data/pipeline/stage.h"
#include "data/pipeline/worker_pool.h"
#include "platform/thread/thread.h"

namespace mycel::data {

struct StreamOptions {
  std::int64_t epochs = -1;  // -1: without end
  std::size_t workers = 1;
  std::size_t ahead = 16;  // rows (or batches) kept ready
  std::size_t ahead_bytes = std::size_t{256}
                            << 20;  // and no more memory than this, from two rows on
  std::uint64_t seed = 0;
  bool threads = true;  // false: everything happens inside next(), on the caller's thread
  // Rows are made by Python, one after the other: a reader that waits makes its row itself, since
  // two threads would only pass the interpreter's lock to and fro. The driver works while nobody
  // reads.
  bool reader_helps = false;
  std::int64_t start_epoch = 0;
  std::int64_t start_row = 0;  // rows of the first epoch to pass over
};

// What an ask for the next row gives.
enum class Pulled : std::uint8_t { Row, EndOfEpoch, EndOfData };

class RowStream {
 public:
  RowStream(StagePtr root, const StreamOptions& options);
  ~RowStream();
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  const Columns& columns() const { return root_->columns(); }
  // Waits if it must. Rethrows what a stage threw, now and whenever it is asked again.
  Pulled next(Row& row);
  // Waits a while at most; true: next() has something to do at once. A caller that must look after
  // other things (signals) waits in this way.
  bool wait(std::chrono::milliseconds most);
  // The same, if there is something without waiting.
  bool try_next(Row& row, Pulled& pulled);
  void stop();

  // Where the stream is: rows given of which epoch.
  std::int64_t epoch() const { return epoch_given_; }
  std::int64_t rows_given() const { return rows_given_; }

  struct Report {
    std::string name;
    std::uint64_t rows = 0;
    double busy_s = 0;
    double wait_s = 0;
  };
  // The stages, then "output": busy is how long the driver found the queue full, wait how long the
  // reader found it empty.
  std::vector<Report> report() const;
  std::size_t ready() const;

 private:
  struct Entry {
    Pulled kind = Pulled::Row;
    Row row;
    std::size_t bytes = 0;
  };
  void drive();
  void drive_while_unread();
  // The next row or end, made now; false after the end of the data. One thread at a time.
  bool produce(Entry& entry);
  void begin_epoch();
  void push(Entry entry);
  Pulled deliver(Entry& entry, Row& row);
  Pulled produce_for_reader(Row& row);
  void leave();
  bool take(Row& row, Pulled& pulled);  // the mutex is held

  StagePtr root_;
  StreamOptions options_;
  std::stop_source stop_;
  Engine engine_;
  int process_;
  std::int64_t epoch_given_ = 0;
  std::int64_t rows_given_ = 0;

  std::mutex producing_;  // guards the stages and what follows
  bool in_epoch_ = false;
  bool produced_all_ = false;

  std::mutex turn_;  // held while a row is made and put in its place, where two threads make them
  std::atomic<bool> reading_{false};
  std::atomic<std::int64_t> left_at_ns_{0};  // when the reader was last here

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::deque<Entry> entries_;
  std::size_t bytes_ = 0;
  std::exception_ptr failure_;
  bool finished_ = false;
  std::uint64_t reader_wait_ns_ = 0;
  std::uint64_t driver_wait_ns_ = 0;

  std::unique_ptr<WorkerPool> pool_;
  platform::Thread driver_;
};

}  // namespace mycel::data
