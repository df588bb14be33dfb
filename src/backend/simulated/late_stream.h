// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "device/backend.h"

namespace mycel::backend {

// Work that is put off as long as a device may: it runs, in order, when somebody waits for it or
// when the queue is full. Whoever forgets to wait sees old values every time, not once a month.
class LateQueue {
 public:
  using Work = std::function<void()>;
  using Ticket = std::uint64_t;  // number of an entry; waiting for it runs all before it too

  Ticket enqueue(Work work);
  Ticket last_ticket() const;
  bool has_run(Ticket ticket) const { return finished_.load() >= ticket; }
  // An error of the work reaches whoever waits; what was queued behind it still runs later.
  void run_until(Ticket ticket);
  void run_all() { run_until(last_ticket()); }

  // In between, work is noted instead of queued, and waiting is an error.
  void begin_recording();
  std::vector<Work> end_recording();

 private:
  bool run_next(Ticket ticket);  // keeps the error of the work
  void raise_kept();

  static constexpr std::size_t kMaxQueued = 1024;
  mutable std::mutex mutex_;  // guards what follows
  std::deque<Work> queue_;
  Ticket issued_ = 0;
  bool is_recording_ = false;
  std::vector<Work> recorded_;
  std::exception_ptr error_;  // of work, until somebody waits
  std::mutex run_mutex_;      // held while work runs: keeps the order
  std::atomic<Ticket> finished_{0};
};

class LateStream final : public device::Stream {
 public:
  LateStream() : queue_(std::make_shared<LateQueue>()) {}
  void synchronize() override { queue_->run_all(); }
  bool is_done() override { return queue_->has_run(queue_->last_ticket()); }
  const std::shared_ptr<LateQueue>& queue() const { return queue_; }

 private:
  std::shared_ptr<LateQueue> queue_;
};

class LateEvent final : public device::Event {
 public:
  void record(device::Stream& stream) override;
  void wait(device::Stream& stream) override;
  void synchronize() override;
  bool is_done() override { return queue_ == nullptr || queue_->has_run(ticket_); }
  double milliseconds_since(const device::Event& begin) const override;

 private:
  using Clock = std::chrono::steady_clock;
  std::shared_ptr<LateQueue> queue_;  // null: never recorded
  LateQueue::Ticket ticket_ = 0;
  std::shared_ptr<Clock::time_point> passed_;  // when the stream came to it
};

LateStream& as_late(device::Stream& stream);

}  // namespace mycel::backend
