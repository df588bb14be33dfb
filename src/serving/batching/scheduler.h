// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "serving/batching/request.h"
#include "serving/repository/signature.h"

namespace mycel::serving {

// What the scheduler needs of a worker process.
class WorkerPort {
 public:
  virtual ~WorkerPort() = default;
  // Never waits; what cannot be sent is told of by removing the worker.
  virtual void send(OutgoingFrame frame) = 0;
};

struct BatchingOptions {
  std::chrono::microseconds delay{0};  // how long the oldest instance may wait for company
  std::uint32_t most_rows = 32;        // of models whose batch is open
};

// Requests of one version of a servable on their way through its stages.
//
// An instance moves by itself: instances of different requests meet in the queue of a stage and go
// to a worker together, oldest first. A failure ends the instance it belongs to and no other. One
// thread uses an object; nothing waits.
class Scheduler {
 public:
  using WorkerId = std::uint64_t;

  Scheduler(const Servable& servable, const Signatures& signatures, BatchingOptions options);
  ~Scheduler();  // what is still waiting fails

  void submit(Request request);

  WorkerId add_worker(StageKind kind, WorkerPort& port);
  // The instances it was running fail with `why`; those that wait stay for others.
  void remove_worker(WorkerId worker, const Failure& why);
  // Those that wait for workers of a kind, none of which will come.
  void fail_waiting(StageKind kind, const Failure& why);

  // What a worker answered. False: it has no such run, or answers for other instances: it is not to
  // be trusted any more. `busy` is how long it was at it; nothing: not known.
  bool finish_run(WorkerId worker, std::uint64_t run, std::vector<Outcome> outcomes,
                  std::optional<std::chrono::nanoseconds> busy = std::nullopt);
  // A function asks for a model's results; they are sent to its worker.
  void call_model(WorkerId worker, std::uint64_t id, RunOrder order);

  // Ends what is too late, sends what has waited long enough. Wants to be called again at the time
  // it returns; nothing: not before something else happens.
  std::optional<Clock::time_point> tick(Clock::time_point now);

  // Whether `tick` has anything to do: a delay is set, or a request that is here has a deadline.
  bool needs_clock() const { return options_.delay.count() > 0 || deadlines_ > 0; }

  // How often the method's main stage was run and gave something, whatever instances were together.
  std::uint64_t runs_of(const Method& method) const;

  std::size_t waiting() const { return waiting_; }  // instances in queues
  std::size_t running() const { return running_; }  // instances at workers
  bool is_idle() const { return waiting_ == 0 && running_ == 0; }
  // When a worker's oldest run began; nothing: it has none.
  std::optional<Clock::time_point> running_since(WorkerId worker) const;

 private:
  struct RequestState;
  struct Pending;
  struct Queue;
  struct Run;
  struct Worker;

  Queue& queue_of(const Stage& stage);
  void advance(std::unique_ptr<Pending> pending);
  void finish(Pending& pending, Outcome outcome);
  static void take_changes(Pending& pending, Instance& values);
  Outcome result_of(const Pending& pending) const;
  void pump(Clock::time_point now);
  Queue* next_queue(StageKind kind, Clock::time_point now);
  Worker* free_worker(const Queue& queue);
  void send_run(Queue& queue, Worker& worker, Clock::time_point now);
  std::size_t chunk_rows(const Queue& queue) const;
  std::size_t frame_rows(const Queue& queue) const;
  void count_runs(const Run& run, const std::vector<Outcome>& outcomes);
  void drop_late(Queue& queue, Clock::time_point now);
  void report();

  const Servable& servable_;
  const Signatures& signatures_;
  const BatchingOptions options_;
  std::uint32_t most_batch_ = 1;  // the largest batch of the models
  std::vector<std::unique_ptr<Queue>> queues_;
  std::map<WorkerId, Worker> workers_;
  // One stage each: what functions call.
  std::vector<std::vector<std::unique_ptr<Method>>> model_methods_;
  WorkerId next_worker_ = 1;
  std::uint64_t next_run_ = 1;
  std::uint64_t next_request_ = 1;
  std::size_t waiting_ = 0;
  std::size_t running_ = 0;
  std::size_t deadlines_ = 0;  // requests that have one
  bool is_pumping_ = false;
  std::deque<std::shared_ptr<RequestState>> finished_;  // to be told
  struct RunCount {
    std::uint64_t runs = 0;
    std::uint64_t last = 0;  // number of the last that was counted
  };
  std::map<const Method*, RunCount> run_counts_;
  std::uint64_t counted_runs_ = 0;
};

}  // namespace mycel::serving
