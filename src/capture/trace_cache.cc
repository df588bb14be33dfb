// SPDX-License-Identifier: Apache-2.0
#include "capture/trace_cache.h"

#include <algorithm>

#include "capture/capture_session.h"
#include "capture/recipe_session.h"
#include "platform/error/error.h"
#include "runtime/compile.h"

namespace mycel::capture {

namespace {

constexpr std::size_t kMostSpecializations = 64;
constexpr std::size_t kLongWork = 1U << 17;  // elements: below, pausing costs more than the work

}  // namespace

// ---- content -----------------------------------------------------------------------------------

void TraceCache::exchange(const std::function<void(Content&)>& change) {
  std::shared_ptr<const Content> before;  // let go when nothing is locked any more
  const std::lock_guard lock(mutex_);
  auto next = std::make_shared<Content>(*content_);
  change(*next);
  before = std::exchange(content_, std::move(next));
}

void TraceCache::clear() {
  exchange([&](Content& content) {
    for (const Known& known : content.specializations) dropped_runs_ += known->runs->get();
    content = {};
  });
}

void TraceCache::add(const std::shared_ptr<Specialization>& specialization) {
  exchange([&](Content& content) {
    specialization->publication = ++publications_;
    auto& list = content.specializations;
    list.insert(list.begin(), specialization);
    if (list.size() <= kMostSpecializations) return;
    dropped_runs_ += list.back()->runs->get();
    list.pop_back();
  });
}

void TraceCache::move_to_front(const Known& used) {
  exchange([&](Content& content) {
    auto& list = content.specializations;
    const auto place = std::find(list.begin(), list.end(), used);
    if (place == list.end()) return;  // cleared or replaced in the meantime
    std::rotate(list.begin(), place, place + 1);
  });
}

TraceCache::Known TraceCache::latest(const Known& mine) const {
  const auto now = content();
  for (const Known& each : now->specializations) {
    if (each->signature == mine->signature) return each;
  }
  return nullptr;
}

bool TraceCache::replace(const Known& before, const std::shared_ptr<Specialization>& version) {
  bool is_replaced = false;
  exchange([&](Content& content) {
    auto& list = content.specializations;
    const auto place = std::find(list.begin(), list.end(), before);
    if (place == list.end()) return;
    version->publication = ++publications_;
    *place = version;
    is_replaced = true;
  });
  return is_replaced;
}

TraceCache::Known TraceCache::amend(const Known& mine,
                                    const std::function<void(Specialization&)>& change) {
  while (true) {
    const Known before = latest(mine);
    const auto version = std::make_shared<Specialization>(before ? *before : *mine);
    change(*version);
    if (before && !replace(before, version)) continue;
    if (!before) {  // no call finds it, but runs that began earlier may still be in its ways
      const std::lock_guard lock(mutex_);
      version->publication = ++publications_;
    }
    return version;
  }
}

// ---- calls -------------------------------------------------------------------------------------

Outcome TraceCache::run(const Call& call) {
  if (call.repeats_container()) [[unlikely]]
    return {.kind = Outcome::Kind::Eager};
  const auto now = content();
  for (const Known& known : now->specializations) {
    if (known->signature->matches(call, interpreter_) && known->holds())
      return replay(known, *now, call.input_memory());
  }
  return now->recipes.empty() ? Outcome() : run_recipe(call, *now);
}

Outcome TraceCache::run_row(std::span<const Tensor> row) {
  const auto now = content();
  for (const Known& known : now->specializations) {
    if (known->signature->matches_row(row) && known->holds())
      return replay(known, *now, {row.begin(), row.end()});
  }
  return {};
}

Outcome TraceCache::replay(const Known& known, const Content& content, std::vector<Tensor> memory) {
  if (known != content.specializations.front()) move_to_front(known);
  Outcome outcome{.kind = Outcome::Kind::Eager};
  if (!known->refusal.empty() || !known->memory.is_apart(memory)) return outcome;
  Run& run = outcome.run;
  run.ways = known->ways;
  run.until = known->publication;
  run.values = std::move(memory);
  try {
    const Pause pause(interpreter_, known->work() > kLongWork);
    run.replay(runtime::current_observer());
  } catch (const platform::Error&) {
    if (run.has_effects) throw;
    return outcome;  // eager execution fails where the mistake is, or catches the error there
  }
  if (run.last->end == Step::End::Return) {
    known->runs->add_one();
    outcome.kind = Outcome::Kind::Done;
    return outcome;
  }
  outcome.kind = Outcome::Kind::Paused;
  outcome.specialization = known;
  return outcome;
}

std::unique_ptr<CaptureSession> TraceCache::begin(const Call& call, Outcome* paused) {
  if (paused != nullptr)
    return std::make_unique<CaptureSession>(*this, paused->specialization, std::move(paused->run),
                                            call.input_tensors());
  if (call.shows_memory()) return nullptr;
  Run run;
  run.values = call.input_memory();
  const auto kind = std::make_shared<const Signature>(call, interpreter_);
  return std::make_unique<CaptureSession>(*this, std::make_shared<const Specialization>(kind),
                                          std::move(run), call.input_tensors());
}

// ---- what is known, for people -----------------------------------------------------------------

std::vector<std::shared_ptr<const Specialization>> TraceCache::specializations() const {
  return content()->specializations;
}

std::vector<std::shared_ptr<Recipe>> TraceCache::recipes() const { return content()->recipes; }

std::size_t TraceCache::runs() const {
  const std::lock_guard lock(mutex_);
  std::size_t runs = dropped_runs_;
  for (const Known& known : content_->specializations) runs += known->runs->get();
  return runs;
}

std::vector<std::string> TraceCache::texts() const {
  std::vector<std::string> texts;
  for (const Known& known : specializations()) {
    if (!known->ways) continue;
    known->ways->visit([&](const Step& step) {
      if (step.executable) texts.push_back(ir::to_text(step.executable->graph()));
    });
  }
  return texts;
}

}  // namespace mycel::capture
