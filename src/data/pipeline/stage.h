// SPDX-License-Identifier: Apache-2.0
// One node of a running pipeline. Stages are pulled: one thread at a time asks the root for rows,
// and each stage asks its children. Nothing here blocks for long; work goes to the pool.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "data/pipeline/byte_budget.h"
#include "data/pipeline/row.h"

namespace mycel::data {

class IndexedSource;
class WorkerPool;

// Where the time goes, one entry for every stage or step that does something. Written by workers.
struct Activity {
  std::string name;
  std::atomic<std::uint64_t> rows{0};
  std::atomic<std::uint64_t> busy_ns{0};  // computing, over all threads
  std::atomic<std::uint64_t> wait_ns{0};  // whoever pulls waiting for it
};
using ActivityPtr = std::shared_ptr<Activity>;

// Thrown through the stages when the pipeline is being stopped.
struct Stopped {};

// Called now and then by a reader that has to wait: it may have other things to look after
// (signals), and may throw to end the wait. A wait inside the stages ends the pipeline with it, by
// an Interruption.
using Attend = std::function<void()>;
struct Interruption {
  std::exception_ptr reason;
};
constexpr std::chrono::milliseconds kAttendInterval{50};

// What all stages of one running pipeline share.
struct Engine {
  explicit Engine(std::size_t ahead_bytes) : budget(ahead_bytes) {}

  WorkerPool* pool = nullptr;  // null: everything runs on the caller's thread
  ByteBudget budget;
  std::stop_token stop;
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
  bool look_ahead = true;  // false: no row is asked for before the one in front of it was given
  bool passing = false;    // rows asked for now are passed over, nearly all of them
  const Attend* attend = nullptr;  // while the reader itself pulls
  std::vector<ActivityPtr> activities;

  // Waits until `ready()`, which reads what the lock guards. Throws Stopped or an Interruption.
  template <class Ready>
  void wait(std::condition_variable_any& changed, std::unique_lock<std::mutex>& lock,
            const Ready& ready) const {
    if (attend == nullptr) {
      if (!changed.wait(lock, stop, ready)) throw Stopped();
      return;
    }
    while (!changed.wait_for(lock, stop, kAttendInterval, ready)) {
      if (stop.stop_requested()) throw Stopped();
      lock.unlock();
      look_after_signals();
      lock.lock();
    }
  }

  // What the reader looks after while it waits; for waits elsewhere. May throw an Interruption.
  void look_after_signals() const {
    if (attend == nullptr) return;
    try {
      (*attend)();
    } catch (...) {
      throw Interruption{std::current_exception()};
    }
  }
};

using Columns = std::vector<std::string>;

class Stage {
 public:
  explicit Stage(std::vector<std::shared_ptr<Stage>> children);
  virtual ~Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // How messages and statistics call it: "Map(Decode, Resize)".
  virtual std::string name() const = 0;
  const Columns& columns() const { return columns_; }
  // Rows come with work pending.
  bool pending() const { return pending_; }
  // Some of that work is Python's, and should happen in the order of rows, as users expect.
  bool pending_python() const { return pending_python_; }
  // It must be done by whoever pulls, row after row.
  bool pending_in_order() const { return pending_in_order_; }
  // Here or below functions of users run row after row, on the thread that pulls. A reader that
  // waits had better pull itself then: two threads would only pass the interpreter's lock to and
  // fro.
  bool calls_users_in_order() const { return calls_users_in_order_; }

  // Before the first row ever, once.
  virtual void prepare(Engine& engine);
  // After everything: rows that are left go, because the engine does. Whoever holds the stage may
  // only drop it.
  virtual void close();
  // Before the first row of a pass. A pass is what the parent runs through once.
  virtual void begin();
  // False at the end of the pass. After an exception it is not asked again.
  virtual bool next(Row& row) = 0;
  // Passes over rows as cheaply as possible; how many there were.
  virtual std::int64_t skip(std::int64_t rows);
  // After the reader's epoch, which may have been several passes.
  virtual void end_epoch();
  // Rows of the pass that was begun, where that is known without running it; else -1.
  virtual std::int64_t rows_in_pass() const { return -1; }
  // The same for whoever finds it worth while to go through files for it.
  virtual std::int64_t find_rows_in_pass() { return rows_in_pass(); }
  // Some stage above may leave rows of a pass alone. How many are pulled then depends on who works
  // how far ahead; what comes in later passes must not.
  void note_cut();
  // The next pass is to be this one, whatever was begun before.
  virtual void number_pass(std::uint64_t number);
  // The sources here and below, to be asked whether they are still what they were.
  virtual void list_sources(std::vector<std::shared_ptr<const IndexedSource>>& sources) const;

 protected:
  Engine& engine() const { return *engine_; }
  Stage& child(std::size_t i = 0) const { return *children_[i]; }
  // The next row of the child for a stage that works ahead: a failure must wait for the rows in
  // front of it. It is kept in `failure` then, and the child is at its end.
  bool next_of_child(Row& row, std::exception_ptr& failure);
  std::size_t child_count() const { return children_.size(); }
  std::uint64_t pass() const { return pass_; }  // its number, from 0
  void advance_pass() { pass_ = next_pass_++; }
  void number_own_pass(std::uint64_t number) { next_pass_ = number; }
  bool is_cut() const { return is_cut_; }
  // Whether more rows may be pulled than were asked for: not where that begins passes nobody asked
  // for, and nobody can tell how many.
  bool may_work_ahead() const { return !(is_cut_ && is_endless_); }
  ActivityPtr activity(std::string name);
  // The pipeline answers for the row's memory from now on.
  void charge(Row& row) const;
  void inherit_work(const Stage& from) {
    pending_ = pending_ || from.pending_;
    pending_python_ = pending_python_ || from.pending_python_;
    pending_in_order_ = pending_in_order_ || from.pending_in_order_;
  }

  Columns columns_;
  bool pending_ = false;
  bool pending_python_ = false;
  bool pending_in_order_ = false;
  bool calls_users_in_order_ = false;
  bool is_endless_ = false;  // here or below rows are repeated without end

 private:
  std::vector<std::shared_ptr<Stage>> children_;
  Engine* engine_ = nullptr;
  std::uint64_t pass_ = 0;
  std::uint64_t next_pass_ = 0;
  bool is_cut_ = false;
};

using StagePtr = std::shared_ptr<Stage>;

// Position of a column; an error made of `complaint(name)` when there is none.
std::size_t column_index(const Columns& columns, const std::string& name,
                         const std::function<std::string(const std::string&)>& complaint);

}  // namespace mycel::data
