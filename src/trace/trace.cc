// SPDX-License-Identifier: Apache-2.0
#include "trace/trace.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <mutex>

#include <pthread.h>

namespace mycel::trace {
namespace {

constexpr std::size_t kRingEvents = 8192;  // 0.6 MB per thread that records

// One writer, its thread; one reader at a time, under the registry's lock. Positions only grow.
struct Ring {
  std::uint32_t thread = 0;
  std::string thread_name;
  std::array<Event, kRingEvents> events;
  std::atomic<std::uint64_t> written{0};
  std::atomic<std::uint64_t> taken{0};
  std::atomic<std::uint64_t> lost{0};
};

struct Registry {
  std::mutex mutex;  // guards rings and names, and makes drains take turns
  std::vector<std::shared_ptr<Ring>> rings;
  std::vector<std::string> names;
};

// Never destroyed: threads may record while the process ends.
Registry& registry() {
  static Registry* const instance = std::make_unique<Registry>().release();
  return *instance;
}

std::shared_ptr<Ring> add_ring() {
  auto ring = std::make_shared<Ring>();
  char name[32] = {};
  pthread_getname_np(pthread_self(), name, sizeof name);
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  ring->thread = static_cast<std::uint32_t>(all.names.size());
  all.names.emplace_back(name);
  all.rings.push_back(ring);
  return ring;
}

Ring& ring_of_this_thread() {
  thread_local const std::shared_ptr<Ring> ring = add_ring();
  return *ring;
}

void take(Ring& ring, Drained& drained) {
  const std::uint64_t end = ring.written.load(std::memory_order_acquire);
  for (std::uint64_t i = ring.taken.load(std::memory_order_relaxed); i < end; ++i) {
    drained.events.push_back(ring.events[i % kRingEvents]);
  }
  ring.taken.store(end, std::memory_order_release);
  drained.lost += ring.lost.exchange(0, std::memory_order_relaxed);
}

}  // namespace

namespace internal {

std::atomic<bool> enabled{false};

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

void record(const Event& event) {
  Ring& ring = ring_of_this_thread();
  const std::uint64_t position = ring.written.load(std::memory_order_relaxed);
  if (position - ring.taken.load(std::memory_order_acquire) == kRingEvents) {
    ring.lost.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  Event& slot = ring.events[position % kRingEvents];
  slot = event;
  slot.thread = ring.thread;
  ring.written.store(position + 1, std::memory_order_release);
}

}  // namespace internal

void start() { internal::enabled = true; }
void stop() { internal::enabled = false; }

Drained drain() {
  Drained drained;
  Registry& all = registry();
  {
    const std::lock_guard lock(all.mutex);
    for (const auto& ring : all.rings) take(*ring, drained);
    // A ring that only the registry holds belongs to a thread that ended before it was emptied.
    std::erase_if(all.rings, [](const auto& ring) {
      return ring.use_count() == 1 && ring->taken.load() == ring->written.load();
    });
    drained.thread_names = all.names;
  }
  std::ranges::stable_sort(drained.events, {}, &Event::begin_ns);
  return drained;
}

void Span::open(std::string_view category, std::string_view name) {
  event_.category = category;
  event_.name = name;
  event_.begin_ns = internal::now_ns();
}

void Span::close() {
  event_.end_ns = internal::now_ns();
  internal::record(event_);
}

void record_counter(std::string_view category, std::string_view name, double value) {
  Event event;
  event.kind = EventKind::Counter;
  event.category = category;
  event.name = name;
  event.begin_ns = event.end_ns = internal::now_ns();
  event.value = value;
  internal::record(event);
}

}  // namespace mycel::trace
