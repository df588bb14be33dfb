// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mycel::trace {

enum class EventKind : std::uint8_t { Span, Counter };

// Names and categories are not copied: they must live as long as the process (a literal, the name
// of a registered operator).
struct Event {
  EventKind kind = EventKind::Span;
  std::uint32_t thread = 0;  // number of the thread, in the order threads first recorded
  std::string_view category;
  std::string_view name;
  std::int64_t begin_ns = 0;  // steady clock
  std::int64_t end_ns = 0;    // of a span
  double value = 0;           // of a counter; of a span: whatever `set_value` said
};

struct Drained {
  std::vector<Event> events;  // by begin
  std::vector<std::string> thread_names;
  std::uint64_t lost = 0;  // records that found their buffer full since the last drain
};

namespace internal {
extern std::atomic<bool> enabled;
void record(const Event& event);
std::int64_t now_ns();
}  // namespace internal

// One relaxed load: all that tracing costs while it is off.
inline bool enabled() { return internal::enabled.load(std::memory_order_relaxed); }
void start();
void stop();

// Takes what was recorded so far out of all threads' buffers. May run while others record.
Drained drain();

// The time between construction and destruction. Recording never waits; a full buffer loses the
// record and counts the loss.
class Span {
 public:
  Span(std::string_view category, std::string_view name) {
    if (enabled()) [[unlikely]]
      open(category, name);
  }
  ~Span() {
    if (event_.begin_ns != 0) [[unlikely]]
      close();
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  void set_value(double value) { event_.value = value; }

 private:
  void open(std::string_view category, std::string_view name);
  void close();
  Event event_;
};

void record_counter(std::string_view category, std::string_view name, double value);
inline void counter(std::string_view category, std::string_view name, double value) {
  if (enabled()) [[unlikely]]
    record_counter(category, name, value);
}

}  // namespace mycel::trace
