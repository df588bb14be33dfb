// SPDX-License-Identifier: Apache-2.0
#include "platform/thread/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <omp.h>
#include <pthread.h>

#include "platform/thread/team.h"

namespace mycel::platform {
namespace {

std::atomic<int> thread_limit{0};    // 0: as many as OpenMP offers
thread_local bool has_team = false;  // OpenMP keeps threads for this one
std::atomic<bool> is_alone{false};

// The threads of a team stay with the parent, but OpenMP does not know: a child that asks for them
// waits for ever. So it works alone.
[[maybe_unused]] const int kWatching = pthread_atfork(nullptr, nullptr, [] {
  if (!has_team) return;
  is_alone = true;
  omp_set_num_threads(1);  // oneDNN asks OpenMP
});

// A team calls body(member, members) once on each of its threads.
#if defined(__SANITIZE_THREAD__)
// The tool sees no barriers of OpenMP, and would call everything behind them a race.
thread_local bool is_member = false;

bool is_in_team() { return is_member; }

template <class Body>
void run_team(int size, const Body& body) {
  const auto work = [&](int member) {
    is_member = true;
    body(member, size);
    is_member = false;
  };
  std::vector<std::thread> others;
  for (int member = 1; member < size; ++member) others.emplace_back(work, member);
  work(0);
  for (std::thread& other : others) other.join();
}
#else
bool is_in_team() { return omp_in_parallel() != 0; }

template <class Body>
void run_team(int size, const Body& body) {
#pragma omp parallel num_threads(size)
  body(omp_get_thread_num(), omp_get_num_threads());
}
#endif

}  // namespace

void note_team() { has_team = true; }

int compute_threads() {
  if (is_alone.load(std::memory_order_relaxed)) return 1;
  const int limit = thread_limit.load(std::memory_order_relaxed);
  const int offered = omp_get_max_threads();
  return limit > 0 ? std::min(limit, offered) : offered;
}

void set_compute_threads(int count) {
  thread_limit = std::max(count, 0);
  if (count > 0 && !is_alone) omp_set_num_threads(count);
}

TeamLimit::TeamLimit(int count) : before_(omp_get_max_threads()) {
  if (count < before_) omp_set_num_threads(count);
}
TeamLimit::~TeamLimit() { omp_set_num_threads(before_); }

void on_each_thread(int threads, void (*work)()) {
  if (threads <= 1 || is_alone.load(std::memory_order_relaxed) || is_in_team()) {
    work();
    return;
  }
  has_team = true;
  run_team(threads, [work](int, int) { work(); });
}

void run_ranges(std::int64_t count, std::int64_t grain, RangeFunction function,
                const void* context) {
  const std::int64_t useful = (count + grain - 1) / grain;
  const int threads = static_cast<int>(std::min<std::int64_t>(compute_threads(), useful));
  if (threads <= 1 || is_in_team()) {
    function(context, 0, count);
    return;
  }
  has_team = true;
  std::exception_ptr failure;
  std::mutex failure_mutex;  // guards failure
  run_team(threads, [&](std::int64_t member, std::int64_t members) {
    try {
      const std::int64_t begin = count * member / members;
      const std::int64_t end = count * (member + 1) / members;
      if (begin < end) function(context, begin, end);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace mycel::platform
