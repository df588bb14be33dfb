// SPDX-License-Identifier: Apache-2.0
#include "serving/repository/version.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include "platform/log/log.h"

namespace mycel::serving {
namespace {

using boost::system::error_code;
using platform::join;
using platform::Json;
using platform::Result;

constexpr std::chrono::seconds kLookEvery{1};
constexpr std::chrono::seconds kSuspicious{3};  // a run as long as this is looked at
constexpr int kIdleLooks = 10;                  // so many looks without progress: hung
constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::seconds kLongestPause{5};
constexpr int kMostDoublings = 7;
constexpr int kMostFailedStarts = 6;  // in a row: it will not come any more
constexpr std::chrono::seconds kLongestOutage{3};
constexpr std::chrono::seconds kStopPatience{10};
constexpr std::chrono::seconds kBusyStopPatience{1};  // its time to finish is over already
constexpr std::chrono::milliseconds kLeastSleep{1};
constexpr std::uint64_t kMostNanoseconds = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kNotStarted = "Fail to start workers";

std::string load_description(const VersionOptions& options) {
  return join("{\"servable\":", options.description,
              ",\"version_folder\":", Json(options.folder).text(), ",\"version\":", options.number,
              ",\"key_mode\":", Json(options.key_mode).text(), "}");
}

struct ProcessLook {
  char state = '?';
  std::uint64_t ticks = 0;  // of processor time
};

// Nothing: there is no such process any more.
std::optional<ProcessLook> look_at_process(pid_t process) {
  std::ifstream file(join("/proc/", process, "/stat"));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  // The name, in brackets, may hold anything.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(name_end + 1));
  ProcessLook look;
  std::string skipped;
  rest >> look.state;
  for (int i = 0; i < 10; ++i) rest >> skipped;
  std::uint64_t user = 0, system = 0;
  rest >> user >> system;
  look.ticks = user + system;
  return look;
}

// What a method's stages expect of the models they call, against what these are.
std::optional<std::string> contradiction(const Servable& servable, const Signatures& signatures) {
  const bool has_all = std::ranges::equal(servable.models, signatures,
                                          [](const ModelSpec& model, const auto& subgraphs) {
                                            return model.files.size() == subgraphs.size();
                                          });
  if (!has_all) return "a worker told of other models than it was to load";
  for (const Method& method : servable.methods) {
    for (const Stage& stage : method.stages) {
      if (stage.kind != StageKind::Model) continue;
      const ModelSignature& signature = signatures[stage.target][stage.subgraph];
      const auto told = [&](std::string_view what, std::size_t given, std::size_t wanted) {
        return join("The ", what, " count ", given, " in register_method not equal to the count ",
                    wanted, " defined in model, method '", method.name, "', model file '",
                    servable.models[stage.target].files[stage.subgraph], "'");
      };
      if (stage.inputs.size() != signature.inputs.size())
        return told("inputs", stage.inputs.size(), signature.inputs.size());
      if (stage.output_count != signature.outputs.size())
        return told("outputs", stage.output_count, signature.outputs.size());
    }
  }
  return std::nullopt;
}

}  // namespace

Version::Version(boost::asio::io_context& context, VersionOptions options)
    : context_(context),
      options_(std::move(options)),
      servable_(read_servable(platform::parse_json(options_.description, "servable description"))),
      tick_(context),
      watch_(context),
      drain_(context) {
  if (servable_.models.empty()) options_.model_workers.count = 0;
  if (servable_.functions.empty()) options_.function_workers.count = 0;
  for (const Method& method : servable_.methods) statistics_[&method];
}

Version::~Version() = default;

MethodStatistics& Version::statistics(const Method& method) { return statistics_.at(&method); }

const WorkerOptions& Version::options_of(const Slot& slot) const {
  return slot.kind == StageKind::Model ? options_.model_workers : options_.function_workers;
}

void Version::start(std::function<void(std::optional<std::string>)> started) {
  started_ = std::move(started);
  const auto add = [&](StageKind kind, const WorkerOptions& workers) {
    for (std::size_t i = 0; i < workers.count; ++i) {
      const std::string log_file = i < workers.log_files.size() ? workers.log_files[i] : "";
      slots_.push_back(
          {kind, log_file, nullptr, 0, 0, 0, 0, false, boost::asio::steady_timer(context_), 0, 0});
    }
  };
  add(StageKind::Model, options_.model_workers);
  add(StageKind::Function, options_.function_workers);
  if (servable_.models.empty()) make_scheduler();
  try {
    for (Slot& slot : slots_) launch(slot);
  } catch (const platform::Error& error) {
    return finish_start(join(kNotStarted, ": ", error.message()));
  }
  if (slots_.empty()) finish_start(std::nullopt);
  watch();
}

void Version::launch(Slot& slot) {
  const std::weak_ptr<Version> weak = weak_from_this();
  WorkerProcess::Events events;
  events.ready = [weak, &slot](const std::string& description) {
    if (const auto self = weak.lock()) self->on_ready(slot, description);
  };
  events.frame = [weak, &slot](IncomingFrame frame) {
    if (const auto self = weak.lock()) self->on_frame(slot, std::move(frame));
  };
  events.ended = [weak, &slot](const WorkerProcess::Events::End& end) {
    if (const auto self = weak.lock()) self->on_ended(slot, end);
  };
  const WorkerOptions& options = options_of(slot);
  slot.process = WorkerProcess::start(context_, options.words, slot.log_file,
                                      load_description(options_), options_.key, std::move(events));
}

// False: the worker is of no use.
bool Version::take_signatures(Slot& slot, const std::string& description) {
  try {
    Signatures own = read_signatures(platform::parse_json(description, "a worker's signatures"));
    if (scheduler_ == nullptr) {
      if (const auto problem = contradiction(servable_, own)) {
        finish_start(join(kNotStarted, ": ", *problem));
        return false;
      }
      signatures_ = std::move(own);
      make_scheduler();
      return true;
    }
    // Instances are checked against what the first worker said, for all of them.
    if (to_json(own).text() == to_json(signatures_).text()) return true;
    slot.process->kill("its models are not those of the other workers");
  } catch (const platform::Error& error) {
    slot.process->kill(error.message());
  }
  return false;
}

void Version::on_ready(Slot& slot, const std::string& description) {
  if (state_ == State::Ended || slot.worker != 0) return;
  const bool was_known = scheduler_ != nullptr;
  if (slot.kind == StageKind::Model && !take_signatures(slot, description)) return;
  if (scheduler_ == nullptr) {
    slot.idle_looks = -1;  // ready, but not known to the scheduler yet
    return;
  }
  slot.idle_looks = 0;
  slot.failed_starts = 0;
  slot.worker = scheduler_->add_worker(slot.kind, *slot.process);
  if (!was_known) {
    for (Slot& other : slots_)
      if (other.kind == StageKind::Function && other.idle_looks < 0) on_ready(other, "");
  }
  const bool are_all = std::ranges::all_of(slots_, [](const Slot& s) { return s.worker != 0; });
  if (state_ == State::Starting && are_all) finish_start(std::nullopt);
}

void Version::make_scheduler() {
  scheduler_ = std::make_unique<Scheduler>(servable_, signatures_, options_.batching);
}

// Who waits for the start is told of a failure when nothing is left of it.
void Version::finish_start(std::optional<std::string> problem) {
  if (state_ != State::Starting) return;
  if (!problem) {
    state_ = State::Ready;
    return std::exchange(started_, {})(std::nullopt);
  }
  problem_ = std::move(problem);
  state_ = State::Ended;
  watch_.cancel();
  for (Slot& slot : slots_)
    if (slot.process) slot.process->kill("the start failed");
  finish_end();
}

void Version::on_frame(Slot& slot, IncomingFrame frame) {
  if (scheduler_ == nullptr || slot.worker == 0) return;
  if (frame.head.kind == FrameKind::Call) {
    Result<RunOrder> order = read_run(frame.description, frame.data, frame.head.data_bytes);
    if (!order) return slot.process->kill(order.error().message());
    scheduler_->call_model(slot.worker, frame.head.id, std::move(order).value());
  } else {
    Result<std::vector<Outcome>> outcomes =
        read_result(frame.description, frame.data, frame.head.data_bytes);
    if (!outcomes) return slot.process->kill(outcomes.error().message());
    has_worked_ = true;
    slot.idle_looks = 0;
    slot.failures = 0;
    std::optional<std::chrono::nanoseconds> busy;
    if (frame.head.busy_nanoseconds > 0)
      busy = std::chrono::nanoseconds(frame.head.busy_nanoseconds & kMostNanoseconds);
    if (!scheduler_->finish_run(slot.worker, frame.head.id, std::move(outcomes).value(), busy))
      return slot.process->kill("it answered what it was not asked");
  }
  if (state_ == State::Draining && scheduler_->is_idle()) return finish_stop();
  // Instances came to the queue of their next stage, which nobody looks after yet.
  const bool has_delay = options_.batching.delay.count() > 0;
  const bool is_asleep = wake_ == Clock::time_point::max() && scheduler_->needs_clock();
  if (scheduler_->waiting() > 0 && (has_delay || is_asleep)) tick();
}

void Version::on_ended(Slot& slot, const WorkerProcess::Events::End& end) {
  const pid_t process = slot.process->id();
  const Scheduler::WorkerId worker = std::exchange(slot.worker, 0);
  slot.process.reset();
  if (state_ == State::Starting)
    return finish_start(end.was_told
                            ? join(kNotStarted, ": ", end.how)
                            : join(kNotStarted, " because of death of one worker: process ",
                                   process, ", ", end.how));
  if (scheduler_ != nullptr && worker != 0) {
    scheduler_->remove_worker(worker, {FailureCode::WorkerUnavailable,
                                       join("servable is not available: worker process ", process,
                                            " ended while it ran this instance (", end.how, ")")});
  }
  if (state_ == State::Ended) return finish_end();
  if (state_ == State::Draining) {
    if (!has_process(slot.kind)) fail_waiting(slot.kind, end.how);
    if (scheduler_->is_idle()) finish_stop();
    return;
  }
  platform::log_warning("serving: worker process ", process, " of servable '", servable_.name,
                        "' version ", options_.number, " ended: ", end.how);
  if (worker != 0) outage_begin_ = Clock::now();
  // Who is killed from outside might have started well.
  if (worker == 0 && !end.was_killed) ++slot.failed_starts;
  const bool comes_again = has_worked_ && !end.in_order && slot.failed_starts < kMostFailedStarts;
  if (!comes_again) return give_up(slot, end.how);
  if (worker == 0) end_wait(slot.kind, end.how);
  relaunch_later(slot);
}

void Version::fail_waiting(StageKind kind, const std::string& how) {
  scheduler_->fail_waiting(kind,
                           {FailureCode::ServableUnavailable,
                            join("servable is not available: its workers ended (", how, ")")});
}

// Those that have waited for long would wait for something that may never come.
void Version::end_wait(StageKind kind, const std::string& how) {
  if (!has_ready(kind) && Clock::now() - outage_begin_ > kLongestOutage) fail_waiting(kind, how);
}

void Version::give_up(Slot& slot, const std::string& how) {
  slot.is_given_up = true;
  const bool are_others = std::ranges::any_of(
      slots_, [&](const Slot& other) { return other.kind == slot.kind && !other.is_given_up; });
  if (are_others) return;
  fail_waiting(slot.kind, how);
  finish_stop();
  if (lost_) std::exchange(lost_, {})();
}

bool Version::has_process(StageKind kind) const {
  return std::ranges::any_of(
      slots_, [&](const Slot& slot) { return slot.kind == kind && slot.process != nullptr; });
}

bool Version::has_ready(StageKind kind) const {
  return std::ranges::any_of(
      slots_, [&](const Slot& slot) { return slot.kind == kind && slot.worker != 0; });
}

// At once the first time, later and later when it keeps ending before it has done anything.
void Version::relaunch_later(Slot& slot) {
  const auto pause = std::min<std::chrono::milliseconds>(
      slot.failures == 0 ? std::chrono::milliseconds{0}
                         : kFirstPause * (1 << std::min(slot.failures, kMostDoublings)),
      kLongestPause);
  ++slot.restarts;
  ++slot.failures;
  slot.timer.expires_after(pause);
  slot.timer.async_wait([weak = weak_from_this(), &slot](error_code error) {
    const auto self = weak.lock();
    if (error || !self || self->state_ != State::Ready) return;
    try {
      self->launch(slot);
    } catch (const platform::Error& problem) {
      platform::log_error("serving: ", problem.message());
      self->end_wait(slot.kind, problem.message());
      self->relaunch_later(slot);
    }
  });
}

void Version::submit(Request request) {
  if (state_ != State::Ready) {
    request.done(std::vector<Outcome>(
        request.instances.size(), Failure{FailureCode::ServableUnavailable,
                                          join("Request Servable(", servable_.name, ") version ",
                                               options_.number, ", servable is not available")}));
    return;
  }
  // Only what may be too late, or may wait for company, needs a clock.
  const Clock::time_point deadline = request.deadline;
  const bool has_delay = options_.batching.delay.count() > 0;
  scheduler_->submit(std::move(request));
  if (scheduler_->waiting() == 0) return;
  if (deadline != Clock::time_point::max()) wake_at(std::max(deadline, Clock::now() + kLeastSleep));
  if (has_delay) wake_at(Clock::now() + options_.batching.delay);
}

// Deadlines and delays; nothing is looked at while no instance waits.
void Version::tick() {
  const Clock::time_point now = Clock::now();
  const std::optional<Clock::time_point> next = scheduler_->tick(now);
  const bool has_delay = options_.batching.delay.count() > 0;
  if (next) wake_at(has_delay ? *next : std::max(*next, now + kLeastSleep));
}

void Version::wake_at(Clock::time_point time) {
  if (time >= wake_) return;
  wake_ = time;
  tick_.expires_at(time);
  tick_.async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->wake_ = Clock::time_point::max();
    if (self->scheduler_) self->tick();
  });
}

// Processes that are stopped or do nothing, although they have something to do.
void Version::watch() {
  watch_.expires_after(kLookEvery);
  watch_.async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    if (error || !self) return;
    const Clock::time_point now = Clock::now();
    for (Slot& slot : self->slots_) self->look_at(slot, now);
    if (self->state_ != State::Ended) self->watch();
  });
}

void Version::look_at(Slot& slot, Clock::time_point now) {
  if (slot.worker == 0 || slot.process == nullptr || scheduler_ == nullptr) return;
  const std::optional<Clock::time_point> since = scheduler_->running_since(slot.worker);
  if (!since || now - *since < kSuspicious) return;
  if (options_.run_limit.count() > 0 && now - *since > options_.run_limit)
    return slot.process->kill(join("a run took longer than ", options_.run_limit.count(), " ms"));
  const std::optional<ProcessLook> look = look_at_process(slot.process->id());
  if (!look) return;
  const bool has_moved = std::exchange(slot.processor_ticks, look->ticks) != look->ticks;
  // A function may wait for something; a model computes.
  const bool may_wait = slot.kind == StageKind::Function && look->state != 'T';
  slot.idle_looks = has_moved || may_wait ? 0 : slot.idle_looks + 1;
  if (slot.idle_looks >= kIdleLooks)
    slot.process->kill(join("it did nothing for ", kIdleLooks, " s although it had a run"));
}

void Version::stop(std::chrono::milliseconds patience, std::function<void()> ended) {
  ended_.push_back(std::move(ended));
  if (state_ == State::Ended) return finish_end();
  const bool is_asked_again = state_ == State::Draining;
  const bool has_begun = state_ != State::Starting;
  state_ = State::Draining;
  if (has_begun && scheduler_ != nullptr) {
    // A process that ends now is not started again.
    for (const StageKind kind : {StageKind::Model, StageKind::Function})
      if (!has_process(kind)) fail_waiting(kind, "the server is being stopped");
  }
  if (!has_begun || scheduler_ == nullptr || scheduler_->is_idle()) return finish_stop();
  const Clock::time_point end = Clock::now() + patience;
  drain_.expires_at(is_asked_again ? std::min(drain_.expiry(), end) : end);
  drain_.async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    if (!error && self) self->finish_stop();
  });
}

void Version::finish_stop() {
  if (state_ == State::Ended) return;
  if (started_) problem_ = join(kNotStarted, ": the servable was stopped");
  state_ = State::Ended;
  drain_.cancel();
  tick_.cancel();
  watch_.cancel();
  const bool is_idle = scheduler_ == nullptr || scheduler_->is_idle();
  for (Slot& slot : slots_) {
    slot.timer.cancel();
    if (slot.process == nullptr) continue;
    if (slot.worker == 0) {
      slot.process->kill("it was stopped before it was ready");
    } else {
      slot.process->stop(is_idle ? kStopPatience : kBusyStopPatience);
    }
  }
  const Failure gone{FailureCode::ServableUnavailable,
                     "servable is not available: it was unloaded"};
  if (scheduler_ != nullptr) {
    scheduler_->fail_waiting(StageKind::Model, gone);
    scheduler_->fail_waiting(StageKind::Function, gone);
  }
  finish_end();
}

// Tells those who wait for the end, once no process is left.
void Version::finish_end() {
  if (state_ != State::Ended ||
      std::ranges::any_of(slots_, [](const Slot& slot) { return slot.process != nullptr; }))
    return;
  if (started_) std::exchange(started_, {})(problem_);
  for (const std::function<void()>& ended : std::exchange(ended_, {})) ended();
}

std::vector<Version::WorkerView> Version::workers() const {
  std::vector<WorkerView> views;
  for (const Slot& slot : slots_)
    views.push_back(
        {slot.kind, slot.process ? slot.process->id() : 0, slot.worker != 0, slot.restarts});
  return views;
}

}  // namespace mycel::serving
