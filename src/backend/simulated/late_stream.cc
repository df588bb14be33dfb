// SPDX-License-Identifier: Apache-2.0
#include "backend/simulated/late_stream.h"

#include <utility>

#include "platform/error/error.h"

namespace mycel::backend {

LateQueue::Ticket LateQueue::enqueue(std::function<void()> work) {
  Ticket ticket = 0;
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    ticket = ++issued_;
    full = queue_.size() > kMaxQueued;
  }
  if (full) run_until(ticket - kMaxQueued / 2);
  return ticket;
}

LateQueue::Ticket LateQueue::last_ticket() const {
  const std::lock_guard lock(mutex_);
  return issued_;
}

bool LateQueue::run_next(Ticket ticket) {
  const std::lock_guard running(run_mutex_);
  if (finished_.load() >= ticket) return false;
  std::function<void()> work;
  {
    const std::lock_guard lock(mutex_);
    work = std::move(queue_.front());
    queue_.pop_front();
  }
  try {
    work();
  } catch (...) {
    ++finished_;  // it is not tried again
    throw;
  }
  ++finished_;
  return true;
}

void LateQueue::run_until(Ticket ticket) {
  // Looked at first: an event may be waited for by work of its own queue, which holds the lock.
  while (finished_.load() < ticket && run_next(ticket)) {
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
  ticket_ = queue_->last_ticket();
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
