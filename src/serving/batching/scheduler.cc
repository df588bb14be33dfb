// SPDX-License-Identifier: Apache-2.0
#include "serving/batching/scheduler.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace mycel::serving {
namespace {

using platform::join;

// A frame to a worker holds about so much work: enough that the way there and back is little beside
// it, and so little that no instance waits long for its neighbours.
constexpr double kFrameSeconds = 200e-6;
// A worker that needs less than this for a run is given the next one while it is at it.
constexpr double kShortRunSeconds = 500e-6;
constexpr std::size_t kMostFrameRows = 256;
constexpr std::size_t kMostFrameBytes = std::size_t{1} << 30;
constexpr double kForget = 0.2;  // weight of the newest in the mean of run times

Failure too_late() {
  return {FailureCode::DeadlineExceeded, "the request's deadline passed before a worker was free"};
}

}  // namespace

struct Scheduler::RequestState {
  Request request;
  std::uint64_t number = 0;
  std::vector<Outcome> outcomes;
  std::size_t open = 0;  // instances without an outcome
};

struct Scheduler::Pending {
  std::shared_ptr<RequestState> state;
  std::size_t index = 0;
  std::vector<Instance> values;  // of the request, then of each stage that is done
  Instance inputs;               // of the stage it waits for
  Clock::time_point since;
};

struct Scheduler::Queue {
  Stage stage;  // kind, target, sub-graph, batch size and tag count
  std::deque<std::unique_ptr<Pending>> waiting;
  double seconds_per_row = 0;  // mean of late; 0: not known
};

struct Scheduler::Run {
  Queue* queue = nullptr;
  std::vector<std::unique_ptr<Pending>> instances;
  Clock::time_point since;
};

struct Scheduler::Worker {
  WorkerId id = 0;
  StageKind kind = StageKind::Model;
  WorkerPort* port = nullptr;
  std::map<std::uint64_t, Run> runs;
};

Scheduler::Scheduler(const Servable& servable, const Signatures& signatures,
                     BatchingOptions options)
    : servable_(servable), signatures_(signatures), options_(options) {
  for (std::size_t model = 0; model < signatures.size(); ++model) {
    auto& methods = model_methods_.emplace_back();
    for (std::size_t subgraph = 0; subgraph < signatures[model].size(); ++subgraph) {
      const ModelSignature& signature = signatures[model][subgraph];
      most_batch_ = std::max(most_batch_,
                             signature.batch_size == 0 ? options.most_rows : signature.batch_size);
      auto method = std::make_unique<Method>();
      Stage stage;
      stage.target = model;
      stage.subgraph = subgraph;
      stage.output_count = signature.outputs.size();
      for (std::size_t i = 0; i < signature.inputs.size(); ++i) stage.inputs.push_back({0, i});
      for (std::size_t i = 0; i < stage.output_count; ++i) method->results.push_back({1, i});
      method->stages.push_back(std::move(stage));
      methods.push_back(std::move(method));
    }
  }
}

Scheduler::~Scheduler() {
  const Failure gone{
      FailureCode::ServableUnavailable,
      join("servable '", servable_.name, "' is being unloaded: servable is not available")};
  while (!workers_.empty()) remove_worker(workers_.begin()->first, gone);
  fail_waiting(StageKind::Model, gone);
  fail_waiting(StageKind::Function, gone);
}

Scheduler::Queue& Scheduler::queue_of(const Stage& stage) {
  for (const std::unique_ptr<Queue>& queue : queues_) {
    const Stage& own = queue->stage;
    if (own.kind == stage.kind && own.target == stage.target && own.subgraph == stage.subgraph &&
        own.batch_size == stage.batch_size && own.tag == stage.tag)
      return *queue;
  }
  queues_.push_back(std::make_unique<Queue>());
  queues_.back()->stage = stage;
  return *queues_.back();
}

void Scheduler::submit(Request request) {
  auto state = std::make_shared<RequestState>();
  state->request = std::move(request);
  state->number = next_request_++;
  std::vector<Instance> instances = std::move(state->request.instances);
  state->open = instances.size();
  if (state->request.deadline != Clock::time_point::max()) ++deadlines_;
  state->outcomes.resize(instances.size());
  const Clock::time_point now = Clock::now();
  if (instances.empty()) finished_.push_back(state);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    auto pending = std::make_unique<Pending>();
    pending->state = state;
    pending->index = i;
    pending->values.push_back(std::move(instances[i]));
    pending->since = now;
    advance(std::move(pending));
  }
  pump(now);
  report();
}

// To the queue of its next stage, or out.
void Scheduler::advance(std::unique_ptr<Pending> pending) {
  const Method& method = *pending->state->request.method;
  const std::size_t done = pending->values.size() - 1;
  if (done == method.stages.size()) return finish(*pending, result_of(*pending));
  const Stage& stage = method.stages[done];
  pending->inputs.clear();
  for (const Source& source : stage.inputs)
    pending->inputs.push_back(pending->values[source.stage][source.index]);
  if (stage.kind == StageKind::Model) {
    const std::optional<Failure> refused = refusal(
        servable_.models[stage.target], signatures_[stage.target][stage.subgraph], pending->inputs);
    if (refused) return finish(*pending, *refused);
  }
  ++waiting_;
  queue_of(stage).waiting.push_back(std::move(pending));
}

// A function may have written into what it was given, and what follows sees that: its inputs come
// behind its results then, empty those that are as they were.
void Scheduler::take_changes(Pending& pending, Instance& values) {
  const Stage& stage = pending.state->request.method->stages[pending.values.size() - 1];
  const std::size_t count = stage.output_count;
  if (stage.kind != StageKind::Function || values.size() != count + stage.inputs.size()) return;
  for (std::size_t i = 0; i < stage.inputs.size(); ++i) {
    const Source& source = stage.inputs[i];
    if (!values[count + i].bytes.empty())
      pending.values[source.stage][source.index] = std::move(values[count + i]);
  }
  values.resize(count);
}

Outcome Scheduler::result_of(const Pending& pending) const {
  Instance results;
  for (const Source& source : pending.state->request.method->results)
    results.push_back(pending.values[source.stage][source.index]);
  return results;
}

void Scheduler::finish(Pending& pending, Outcome outcome) {
  RequestState& state = *pending.state;
  state.outcomes[pending.index] = std::move(outcome);
  if (--state.open == 0) finished_.push_back(pending.state);
}

// Callbacks come last, when everything of ours is in order: they may submit again.
void Scheduler::report() {
  while (!finished_.empty()) {
    const std::shared_ptr<RequestState> state = std::move(finished_.front());
    finished_.pop_front();
    if (state->request.deadline != Clock::time_point::max()) --deadlines_;
    state->request.done(std::move(state->outcomes));
  }
}

Scheduler::WorkerId Scheduler::add_worker(StageKind kind, WorkerPort& port) {
  const WorkerId id = next_worker_++;
  workers_[id] = {id, kind, &port, {}};
  pump(Clock::now());
  report();
  return id;
}

void Scheduler::remove_worker(WorkerId worker, const Failure& why) {
  const auto at = workers_.find(worker);
  if (at == workers_.end()) return;
  for (auto& [number, run] : at->second.runs) {
    running_ -= run.instances.size();
    for (const std::unique_ptr<Pending>& pending : run.instances) finish(*pending, why);
  }
  workers_.erase(at);
  report();
}

void Scheduler::fail_waiting(StageKind kind, const Failure& why) {
  for (const std::unique_ptr<Queue>& queue : queues_) {
    if (queue->stage.kind != kind) continue;
    waiting_ -= queue->waiting.size();
    for (const std::unique_ptr<Pending>& pending : std::exchange(queue->waiting, {}))
      finish(*pending, why);
  }
  report();
}

bool Scheduler::finish_run(WorkerId worker, std::uint64_t number, std::vector<Outcome> outcomes,
                           std::optional<std::chrono::nanoseconds> busy) {
  const auto at = workers_.find(worker);
  if (at == workers_.end()) return false;
  const auto found = at->second.runs.find(number);
  if (found == at->second.runs.end() || found->second.instances.size() != outcomes.size())
    return false;
  Run run = std::move(found->second);
  at->second.runs.erase(found);
  running_ -= run.instances.size();
  count_runs(run, outcomes);
  const Clock::time_point now = Clock::now();
  // The way there and back says more about us than about the model.
  const std::chrono::nanoseconds whole = now - run.since;
  const double seconds =
      std::chrono::duration<double>(std::min(busy.value_or(whole), whole)).count() /
      static_cast<double>(run.instances.size());
  double& mean = run.queue->seconds_per_row;
  mean = mean == 0 ? seconds : mean + kForget * (seconds - mean);
  const std::size_t expected = run.queue->stage.output_count;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    std::unique_ptr<Pending> pending = std::move(run.instances[i]);
    if (auto* failure = std::get_if<Failure>(&outcomes[i])) {
      finish(*pending, std::move(*failure));
      continue;
    }
    Instance values = std::get<Instance>(std::move(outcomes[i]));
    take_changes(*pending, values);
    if (values.size() != expected) {
      finish(*pending,
             Failure{FailureCode::SystemError, join("Result data tensor size ", values.size(),
                                                    " not equal outputs size ", expected)});
      continue;
    }
    pending->values.push_back(std::move(values));
    advance(std::move(pending));
  }
  pump(now);
  report();
  return true;
}

void Scheduler::call_model(WorkerId worker, std::uint64_t id, RunOrder order) {
  const auto answer = [this, worker, id](std::vector<Outcome> outcomes) {
    const auto at = workers_.find(worker);
    if (at != workers_.end()) at->second.port->send(write_result(id, outcomes));
  };
  if (order.target >= model_methods_.size() ||
      order.subgraph >= model_methods_[order.target].size()) {
    const Failure unknown{FailureCode::InvalidInputs, "there is no such model"};
    return answer(std::vector<Outcome>(order.instances.size(), unknown));
  }
  const std::size_t expected = signatures_[order.target][order.subgraph].inputs.size();
  for (std::size_t i = 0; i < order.instances.size(); ++i) {
    const std::size_t given = order.instances[i].size();
    if (given == expected) continue;
    const Failure miscounted{FailureCode::InvalidInputs,
                             join("The inputs count ", given, " of instance ", i,
                                  " is not equal to the inputs count ", expected, " of the model")};
    return answer(std::vector<Outcome>(order.instances.size(), miscounted));
  }
  Request request;
  request.method = model_methods_[order.target][order.subgraph].get();
  request.instances = std::move(order.instances);
  request.done = answer;
  submit(std::move(request));
}

// Instances that are given to a model or a function at a time.
std::size_t Scheduler::chunk_rows(const Queue& queue) const {
  const Stage& stage = queue.stage;
  if (stage.kind == StageKind::Model) {
    const std::uint32_t size = signatures_[stage.target][stage.subgraph].batch_size;
    return size == 0 ? options_.most_rows : size;
  }
  if (!stage.batch_size) return 1;
  return *stage.batch_size == 0 ? most_batch_ : *stage.batch_size;
}

// Instances that go to a worker in one frame: several chunks where they take next to no time.
std::size_t Scheduler::frame_rows(const Queue& queue) const {
  const std::size_t chunk = chunk_rows(queue);
  if (queue.seconds_per_row <= 0) return chunk;
  const double rows = kFrameSeconds / queue.seconds_per_row;
  const auto chunks = static_cast<std::size_t>(std::min(rows, double{kMostFrameRows})) / chunk;
  return std::max<std::size_t>(chunks, 1) * chunk;
}

// The queue whose first instance came first, of those that may go now.
Scheduler::Queue* Scheduler::next_queue(StageKind kind, Clock::time_point now) {
  Queue* best = nullptr;
  for (const std::unique_ptr<Queue>& queue : queues_) {
    if (queue->stage.kind != kind || queue->waiting.empty()) continue;
    const bool is_full = queue->waiting.size() >= chunk_rows(*queue);
    if (!is_full && now - queue->waiting.front()->since < options_.delay) continue;
    if (best == nullptr ||
        queue->waiting.front()->state->number < best->waiting.front()->state->number)
      best = queue.get();
  }
  return best;
}

// The least busy worker that should have more.
Scheduler::Worker* Scheduler::free_worker(const Queue& queue) {
  Worker* best = nullptr;
  for (auto& [id, worker] : workers_)
    if (worker.kind == queue.stage.kind &&
        (best == nullptr || worker.runs.size() < best->runs.size()))
      best = &worker;
  if (best == nullptr || best->runs.empty()) return best;
  const std::size_t chunk = chunk_rows(queue);
  const bool is_short = queue.seconds_per_row * static_cast<double>(chunk) < kShortRunSeconds;
  const bool may_wait_there = best->runs.size() == 1 && (is_short || queue.waiting.size() >= chunk);
  return may_wait_there ? best : nullptr;
}

void Scheduler::pump(Clock::time_point now) {
  if (is_pumping_) return;  // a port that fails at once takes its worker out: not in the middle
  is_pumping_ = true;
  for (const StageKind kind : {StageKind::Function, StageKind::Model}) {
    while (Queue* queue = next_queue(kind, now)) {
      Worker* worker = free_worker(*queue);
      if (worker == nullptr) break;
      send_run(*queue, *worker, now);
    }
  }
  is_pumping_ = false;
}

void Scheduler::send_run(Queue& queue, Worker& worker, Clock::time_point now) {
  const Stage& stage = queue.stage;
  RunOrder order;
  order.kind = stage.kind;
  order.target = static_cast<std::uint32_t>(stage.target);
  order.subgraph = static_cast<std::uint32_t>(stage.subgraph);
  const bool is_single = stage.kind == StageKind::Function && !stage.batch_size;
  order.batch_size = is_single ? 0 : static_cast<std::uint32_t>(chunk_rows(queue));
  order.tag = stage.tag;
  Run run{&queue, {}, now};
  const std::size_t most = frame_rows(queue);
  std::size_t bytes = 0;
  while (!queue.waiting.empty() && run.instances.size() < most && bytes < kMostFrameBytes) {
    std::unique_ptr<Pending> pending = std::move(queue.waiting.front());
    queue.waiting.pop_front();
    --waiting_;
    if (pending->state->request.deadline <= now) {
      finish(*pending, too_late());
      continue;
    }
    for (const Value& value : pending->inputs) bytes += value.bytes.size();
    order.instances.push_back(std::move(pending->inputs));
    run.instances.push_back(std::move(pending));
  }
  if (run.instances.empty()) return;
  running_ += run.instances.size();
  const std::uint64_t number = next_run_++;
  worker.runs.emplace(number, std::move(run));
  worker.port->send(write_run(FrameKind::Run, number, order));
}

// A frame holds several runs of a worker, and each may hold instances of several methods.
void Scheduler::count_runs(const Run& run, const std::vector<Outcome>& outcomes) {
  const std::size_t chunk = chunk_rows(*run.queue);
  const Method* counted = nullptr;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (i % chunk == 0) {
      ++counted_runs_;
      counted = nullptr;
    }
    const Pending& pending = *run.instances[i];
    const Method* method = pending.state->request.method;
    if (method == counted || std::holds_alternative<Failure>(outcomes[i])) continue;
    if (method->main_stage() != &method->stages[pending.values.size() - 1]) continue;
    counted = method;
    RunCount& count = run_counts_[method];
    if (count.last != counted_runs_) ++count.runs;
    count.last = counted_runs_;
  }
}

std::uint64_t Scheduler::runs_of(const Method& method) const {
  const auto at = run_counts_.find(&method);
  return at == run_counts_.end() ? 0 : at->second.runs;
}

void Scheduler::drop_late(Queue& queue, Clock::time_point now) {
  const auto is_late = [&](const std::unique_ptr<Pending>& pending) {
    if (pending->state->request.deadline > now) return false;
    --waiting_;
    finish(*pending, too_late());
    return true;
  };
  std::erase_if(queue.waiting, is_late);
}

std::optional<Clock::time_point> Scheduler::tick(Clock::time_point now) {
  if (deadlines_ > 0)
    for (const std::unique_ptr<Queue>& queue : queues_) drop_late(*queue, now);
  pump(now);
  report();
  Clock::time_point next = Clock::time_point::max();
  for (const std::unique_ptr<Queue>& queue : queues_) {
    if (deadlines_ > 0)
      for (const std::unique_ptr<Pending>& pending : queue->waiting)
        next = std::min(next, pending->state->request.deadline);
    if (options_.delay.count() > 0 && !queue->waiting.empty() &&
        queue->waiting.front()->since + options_.delay > now)
      next = std::min(next, queue->waiting.front()->since + options_.delay);
  }
  if (next == Clock::time_point::max()) return std::nullopt;
  return next;
}

std::optional<Clock::time_point> Scheduler::running_since(WorkerId worker) const {
  const auto at = workers_.find(worker);
  if (at == workers_.end() || at->second.runs.empty()) return std::nullopt;
  return at->second.runs.begin()->second.since;
}

}  // namespace mycel::serving
