// SPDX-License-Identifier: Apache-2.0
// One node of a running pipeline. Stages are pulled: a single thread, the driver, asks the root for
// rows, and each stage asks its children. Nothing here blocks for long; work goes to the pool.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "data/pipeline/row.h"

namespace mycel::data {

class WorkerPool;

// Where the time goes, one entry for every stage or step that does something. Written by workers.
struct Activity {
  std::string name;
  std::atomic<std::uint64_t> rows{0};
  std::atomic<std::uint64_t> busy_ns{0};  // computing, over all threads
  std::atomic<std::uint64_t> wait_ns{0};  // the driver waiting for it
};
using ActivityPtr = std::shared_ptr<Activity>;

// What all stages of one running pipeline share.
struct Engine {
  WorkerPool* pool = nullptr;  // null: everything runs on the caller's thread
  std::stop_token stop;
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
  bool look_ahead = true;  // false: no row is asked for before the one in front of it was given
  std::vector<ActivityPtr> activities;
};

// Thrown through the stages when the pipeline is being stopped.
struct Stopped {};

using Columns = std::vector<std::string>;

class Stage {
 public:
  explicit Stage(std::vector<std::shared_ptr<Stage>> children) : children_(std::move(children)) {}
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
  // It must be done by the driver, row after row.
  bool pending_in_order() const { return pending_in_order_; }

  // Before the first row ever, once; the engine outlives the stage.
  virtual void prepare(Engine& engine);
  // Before the first row of a pass. A pass is what the parent runs through once.
  virtual void begin();
  // False at the end of the pass.
  virtual bool next(Row& row) = 0;
  // Passes over rows as cheaply as possible; how many there were.
  virtual std::int64_t skip(std::int64_t rows);
  // After the reader's epoch, which may have been several passes.
  virtual void end_epoch();

 protected:
  Engine& engine() const { return *engine_; }
  Stage& child(std::size_t i = 0) const { return *children_[i]; }
  std::size_t child_count() const { return children_.size(); }
  std::uint64_t pass() const { return pass_; }  // passes begun before this one
  ActivityPtr activity(std::string name);
  void inherit_work(const Stage& from) {
    pending_ = pending_ || from.pending_;
    pending_python_ = pending_python_ || from.pending_python_;
    pending_in_order_ = pending_in_order_ || from.pending_in_order_;
  }

  Columns columns_;
  bool pending_ = false;
  bool pending_python_ = false;
  bool pending_in_order_ = false;

 private:
  std::vector<std::shared_ptr<Stage>> children_;
  Engine* engine_ = nullptr;
  std::uint64_t pass_ = 0;
  bool begun_ = false;
};

using StagePtr = std::shared_ptr<Stage>;

// Position of a column; an error made of `complaint(name)` when there is none.
std::size_t column_index(const Columns& columns, const std::string& name,
                         const std::function<std::string(const std::string&)>& complaint);

}  // namespace mycel::data
