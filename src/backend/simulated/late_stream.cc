// SPDX-License-Identifier: Apache-2.0
#include "backend/simulated/late_stream.h"

#include <utility>

#include "platform/error/error.h"

namespace mycel::backend {

LateQueue::Ticket LateQueue::enqueue(Work work) {
  Ticket ticket = 0;
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    if (is_recording_) {
      recorded_.push_back(std::move(work));
      return issued_;
    }
    queue_.push_back(std::move(work));
    ticket = ++issued_;
    full = queue_.size() > kMaxQueued;
  }
  // Whoever adds work does not hear of the mistakes of others: a tensor that goes may add some.
  if (full) {
    while (run_next(ticket - kMaxQueued / 2)) {
    }
  }
  return ticket;
}

LateQueue::Ticket LateQueue::last_ticket() const {
  const std::lock_guard lock(mutex_);
  return issued_;
}

bool LateQueue::run_next(Ticket ticket) {
  const std::lock_guard running(run_mutex_);
  if (finished_.load() >= ticket) return false;
  Work work;
  {
    const std::lock_guard lock(mutex_);
    work = std::move(queue_.front());
    queue_.pop_front();
  }
  try {
    work();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (error_ == nullptr) error_ = std::current_exception();
  }
  ++finished_;  // what failed is not tried again
  return true;
}

void LateQueue::raise_kept() {
  std::exception_ptr error;
  {
    const std::lock_guard lock(mutex_);
    error = std::exchange(error_, nullptr);
  }
  if (error != nullptr) std::rethrow_exception(error);
}

void LateQueue::begin_recording() {
  const std::lock_guard lock(mutex_);
  platform::require(!is_recording_, platform::ErrorKind::Internal,
                    "a stream is recorded that is being recorded");
  is_recording_ = true;
}

std::vector<LateQueue::Work> LateQueue::end_recording() {
  const std::lock_guard lock(mutex_);
  is_recording_ = false;
  return std::exchange(recorded_, {});
}

void LateQueue::run_until(Ticket ticket) {
  {
    const std::lock_guard lock(mutex_);
    platform::require(!is_recording_, platform::ErrorKind::Runtime,
                      "a stream is waited for while its work is recorded");
  }
  // Looked at first: an event may be waited for by work of its own queue, which holds the lock.
  raise_kept();
  while (finished_.load() < ticket) {
    run_next(ticket);
    raise_kept();
  }
}

LateStream& as_late(device::Stream& stream) {
  auto* late = dynamic_cast<LateStream*>(&stream);
  platform::require(late != nullptr, platform::ErrorKind::Internal,
                    "a stream of another device was given to the simulated one");
  return *late;
}

void LateEvent::record(device::Stream& stream) {
  queue_ = as_late(stream).queue();
  passed_ = std::make_shared<Clock::time_point>();
  ticket_ = queue_->enqueue([passed = passed_] { *passed = Clock::now(); });
}

double LateEvent::milliseconds_since(const device::Event& begin) const {
  const auto& earlier = dynamic_cast<const LateEvent&>(begin);
  for (const LateEvent* event : {this, &earlier})
    platform::require(event->queue_ != nullptr && event->queue_->has_run(event->ticket_),
                      platform::ErrorKind::Runtime,
                      "both events must have been recorded and waited for before the time between "
                      "them is asked for");
  return std::chrono::duration<double, std::milli>(*passed_ - *earlier.passed_).count();
}

void LateEvent::wait(device::Stream& stream) {
  if (queue_ == nullptr || queue_ == as_late(stream).queue()) return;
  as_late(stream).queue()->enqueue(
      [queue = queue_, ticket = ticket_] { queue->run_until(ticket); });
}

void LateEvent::synchronize() {
  if (queue_ != nullptr) queue_->run_until(ticket_);
}

}  // namespace mycel::backend
