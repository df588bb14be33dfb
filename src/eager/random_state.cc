// SPDX-License-Identifier: Apache-2.0
#include "eager/random_state.h"

#include <map>
#include <mutex>
#include <random>
#include <string>
#include <unordered_map>

namespace mycel::eager {
namespace {

struct State {
  std::mutex mutex;  // guards everything below
  bool seeded = false;
  std::uint64_t seed = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> counters;  // stream -> calls so far
};

State& state() {
  static State instance;
  return instance;
}

std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

std::uint64_t stream_of(const op::KernelContext& kernel) {
  std::uint64_t stream = std::hash<std::string>()(kernel.definition().name);
  for (const char* name : {"seed", "seed2"}) {
    if (kernel.definition().find_attribute(name) < 0) continue;
    const op::AttributeValue& value = kernel.attribute(name);
    stream = mix(stream ^ static_cast<std::uint64_t>(value.is_none() ? 0 : value.integer()));
  }
  return stream;
}

bool has_own_seed(const op::KernelContext& kernel) {
  for (const char* name : {"seed", "seed2"}) {
    if (kernel.definition().find_attribute(name) < 0) continue;
    const op::AttributeValue& value = kernel.attribute(name);
    if (!value.is_none() && value.integer() != 0) return true;
  }
  return false;
}

std::uint64_t chance() {
  static std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}

}  // namespace

void set_global_seed(std::uint64_t seed) {
  State& now = state();
  const std::lock_guard lock(now.mutex);
  now.seeded = true;
  now.seed = seed;
  now.counters.clear();
}

void clear_global_seed() {
  State& now = state();
  const std::lock_guard lock(now.mutex);
  now.seeded = false;
  now.counters.clear();
}

namespace {

thread_local RandomLog* current_log = nullptr;

void draw_random_key(op::KernelContext& kernel) {
  State& now = state();
  const std::lock_guard lock(now.mutex);
  const std::uint64_t stream = stream_of(kernel);
  if (!now.seeded && !has_own_seed(kernel)) {
    kernel.random_seed = chance();
    kernel.random_offset = 0;
    return;
  }
  // Every call has a stream of its own, so no call needs to know how many numbers another one took.
  const std::uint64_t call = now.counters[stream]++;
  kernel.random_seed = mix(mix(now.seeded ? now.seed + 1 : 0) ^ stream) ^ mix(call);
  kernel.random_offset = 0;
}

}  // namespace

void assign_random_key(op::KernelContext& kernel) {
  RandomLog* log = current_log;
  while (log != nullptr && !log->repeating_) log = log->outer_;
  if (log != nullptr && log->next_ < log->keys_.size()) {
    const GeneratorState& key = log->keys_[log->next_++];
    kernel.random_seed = key.seed;
    kernel.random_offset = key.offset;
  } else {
    draw_random_key(kernel);
  }
  for (RandomLog* noting = current_log; noting != log; noting = noting->outer_) {
    noting->keys_.push_back({kernel.random_seed, kernel.random_offset});
  }
}

bool is_logging_random() { return current_log != nullptr; }

RandomLog::~RandomLog() { stop(); }

void RandomLog::begin(bool repeating) {
  stop();
  next_ = 0;
  active_ = true;
  repeating_ = repeating;
  outer_ = current_log;
  current_log = this;
}

void RandomLog::remember() { begin(false); }
void RandomLog::repeat() { begin(true); }

void RandomLog::stop() {
  if (!active_) return;
  active_ = false;
  current_log = outer_;
}

std::vector<std::uint64_t> generator_state() {
  State& now = state();
  const std::lock_guard lock(now.mutex);
  if (!now.seeded) {
    now.seeded = true;
    now.seed = chance();
    now.counters.clear();
  }
  std::vector<std::uint64_t> words{now.seed};
  for (const auto& [stream, calls] : std::map(now.counters.begin(), now.counters.end())) {
    words.push_back(stream);
    words.push_back(calls);
  }
  return words;
}

void set_generator_state(std::span<const std::uint64_t> words) {
  platform::require(words.size() % 2 == 1, platform::ErrorKind::Value,
                    "the state of a generator must be a seed and pairs of numbers, but got ",
                    words.size(), " numbers.");
  set_global_seed(words[0]);
  State& now = state();
  const std::lock_guard lock(now.mutex);
  for (std::size_t i = 1; i < words.size(); i += 2) now.counters[words[i]] = words[i + 1];
}

}  // namespace mycel::eager
