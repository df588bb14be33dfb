// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

namespace mycel::platform {

// Threads compute work may use; the one OpenMP team that oneDNN uses too.
int compute_threads();
void set_compute_threads(int count);

// While it lives, what this thread starts uses at most `count` threads: oneDNN's calls for small
// problems would otherwise wake the team for less than the waking costs.
class TeamLimit {
 public:
  explicit TeamLimit(int count);
  ~TeamLimit();
  TeamLimit(const TeamLimit&) = delete;
  TeamLimit& operator=(const TeamLimit&) = delete;

 private:
  int before_;
};

// Runs `work` once on each of that many threads of this one's team, or on this one alone.
void on_each_thread(int threads, void (*work)());

using RangeFunction = void (*)(const void* context, std::int64_t begin, std::int64_t end);
void run_ranges(std::int64_t count, std::int64_t jobs_per_thread, RangeFunction function,
                const void* context);

// Elements below which starting a thread team costs more than it gives.
constexpr std::int64_t kInlineElements = 32768;

// Calls body(begin, end) over [0, count) in contiguous ranges, on the calling thread alone when the
// whole work (count * elements_per_item) is small. Exceptions of the body reach the caller.
template <class Body>
void parallel_for(std::int64_t count, std::int64_t elements_per_item, const Body& body) {
  static_assert(std::is_invocable_v<const Body&, std::int64_t, std::int64_t>);
  if (count <= 0) return;
  const bool small =
      count == 1 || count * (elements_per_item < 1 ? 1 : elements_per_item) < kInlineElements;
  if (small || compute_threads() == 1) {
    body(std::int64_t{0}, count);
    return;
  }
  const std::int64_t grain =
      elements_per_item < 1 ? kInlineElements / 2 : kInlineElements / 2 / elements_per_item;
  run_ranges(
      count, grain < 1 ? 1 : grain,
      [](const void* context, std::int64_t begin, std::int64_t end) {
        (*static_cast<const Body*>(context))(begin, end);
      },
      &body);
}

}  // namespace mycel::platform
