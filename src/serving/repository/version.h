// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "serving/batching/scheduler.h"
#include "serving/repository/signature.h"
#include "serving/repository/statistics.h"
#include "serving/worker/worker_process.h"

namespace mycel::serving {

// How worker processes are started and watched.
struct WorkerOptions {
  std::vector<std::string> words;  // the command
  std::size_t count = 0;
  // Where the output of the first, the second, ... worker goes; of those without one, to where ours
  // goes.
  std::vector<std::string> log_files;
};

struct VersionOptions {
  std::string description;  // of the servable, as JSON
  std::uint32_t number = 1;
  std::string folder;  // that holds the version's model files
  std::string key;     // empty: not encrypted
  std::string key_mode = "AES-GCM";
  WorkerOptions model_workers, function_workers;
  BatchingOptions batching;
  // A run that takes longer counts as hung; 0: only processes that do nothing at all do.
  std::chrono::milliseconds run_limit{0};
};

// One version of a servable with its worker processes. All of it happens on the thread of the
// io_context.
class Version : public std::enable_shared_from_this<Version> {
 public:
  enum class State : std::uint8_t { Starting, Ready, Draining, Ended };

  // RuntimeError for a description that is none.
  Version(boost::asio::io_context& context, VersionOptions options);
  ~Version();

  // `started` is called once: nothing when it is ready, else why it is not.
  void start(std::function<void(std::optional<std::string> problem)> started);
  void submit(Request request);
  // No more requests come; those that are there are finished, at most for so long. `ended` is
  // called when the last process is gone; a start that is under way fails.
  void stop(std::chrono::milliseconds patience, std::function<void()> ended);
  // No worker of some kind is left, and none will come: called once, when it is `Ended`.
  void on_lost(std::function<void()> lost) { lost_ = std::move(lost); }

  const Servable& servable() const { return servable_; }
  const Signatures& signatures() const { return signatures_; }
  std::uint32_t number() const { return options_.number; }
  State state() const { return state_; }
  std::size_t waiting() const { return scheduler_ ? scheduler_->waiting() : 0; }
  std::size_t running() const { return scheduler_ ? scheduler_->running() : 0; }
  const BatchingOptions& batching() const { return options_.batching; }
  MethodStatistics& statistics(const Method& method);
  std::uint64_t runs_of(const Method& method) const {
    return scheduler_ ? scheduler_->runs_of(method) : 0;
  }

  struct WorkerView {
    StageKind kind;
    pid_t process;
    bool is_ready;
    std::uint64_t restarts;
  };
  std::vector<WorkerView> workers() const;

 private:
  struct Slot {
    StageKind kind = StageKind::Model;
    std::string log_file;
    std::shared_ptr<WorkerProcess> process;
    Scheduler::WorkerId worker = 0;  // 0: not ready
    std::uint64_t restarts = 0;
    int failures = 0;       // how often it ended since a run of its came back
    int failed_starts = 0;  // and since it was ready
    bool is_given_up = false;
    boost::asio::steady_timer timer;
    std::uint64_t processor_ticks = 0;  // when it was last looked at
    int idle_looks = 0;                 // since when they have not grown
  };
  const WorkerOptions& options_of(const Slot& slot) const;
  void launch(Slot& slot);
  void on_ready(Slot& slot, const std::string& description);
  void on_frame(Slot& slot, IncomingFrame frame);
  void on_ended(Slot& slot, const WorkerProcess::Events::End& end);
  bool take_signatures(Slot& slot, const std::string& description);
  void make_scheduler();
  void finish_start(std::optional<std::string> problem);
  void relaunch_later(Slot& slot);
  void watch();
  void look_at(Slot& slot, Clock::time_point now);
  void tick();
  void wake_at(Clock::time_point time);
  void give_up(Slot& slot, const std::string& how);
  void end_wait(StageKind kind, const std::string& how);
  void fail_waiting(StageKind kind, const std::string& how);
  void finish_stop();
  void finish_end();
  bool has_process(StageKind kind) const;
  bool has_ready(StageKind kind) const;

  boost::asio::io_context& context_;
  VersionOptions options_;
  Servable servable_;
  Signatures signatures_;
  std::unique_ptr<Scheduler> scheduler_;
  std::list<Slot> slots_;
  std::map<const Method*, MethodStatistics> statistics_;
  State state_ = State::Starting;
  bool has_worked_ = false;  // a run came back: starting again makes sense
  std::function<void(std::optional<std::string>)> started_;
  std::optional<std::string> problem_;  // why it did not start
  std::function<void()> lost_;
  std::vector<std::function<void()>> ended_;
  Clock::time_point outage_begin_;                     // when the last worker that was ready ended
  Clock::time_point wake_ = Clock::time_point::max();  // when the scheduler is asked next
  boost::asio::steady_timer tick_, watch_, drain_;
};

}  // namespace mycel::serving
