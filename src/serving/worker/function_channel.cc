// SPDX-License-Identifier: Apache-2.0
#include "serving/worker/function_channel.h"

#include <utility>

namespace mycel::serving {

using platform::ErrorKind;
using platform::require;
using platform::Result;

std::optional<IncomingFrame> FunctionChannel::next() {
  std::unique_lock lock(mutex_);
  while (orders_.empty() && !is_over_) wait_for_frame(lock);
  if (orders_.empty()) {
    require(problem_.empty(), ErrorKind::Runtime, problem_);
    return std::nullopt;
  }
  IncomingFrame order = std::move(orders_.front());
  orders_.pop_front();
  order_begin_ = Clock::now();
  return order;
}

std::vector<Outcome> FunctionChannel::call_model(RunOrder order) {
  std::unique_lock lock(mutex_);
  const std::uint64_t id = next_call_++;
  calls_.insert(id);
  lock.unlock();
  const bool is_sent = channel_.write(write_run(FrameKind::Call, id, order));
  lock.lock();
  while (is_sent && !results_.contains(id) && !is_over_) wait_for_frame(lock);
  calls_.erase(id);
  const auto at = results_.find(id);
  require(at != results_.end(), ErrorKind::Runtime, "the server has gone");
  const IncomingFrame frame = std::move(at->second);
  results_.erase(at);
  lock.unlock();
  Result<std::vector<Outcome>> outcomes =
      read_result(frame.description, frame.data, frame.head.data_bytes);
  require(outcomes && outcomes.value().size() == order.instances.size(), ErrorKind::Runtime,
          "what the server answered is no result of the call");
  return std::move(outcomes).value();
}

void FunctionChannel::wait_for_frame(std::unique_lock<std::mutex>& lock) {
  if (is_reading_) {
    changed_.wait(lock);
    return;
  }
  is_reading_ = true;
  lock.unlock();
  Result<std::optional<IncomingFrame>> received = channel_.read();
  lock.lock();
  is_reading_ = false;
  if (!received) {
    is_over_ = true;
    problem_ = received.error().message();
  } else if (!received.value()) {
    is_over_ = true;
  } else {
    keep(*std::move(received).value());
  }
  changed_.notify_all();
}

void FunctionChannel::keep(IncomingFrame frame) {
  switch (frame.head.kind) {
    case FrameKind::Load:
    case FrameKind::Run: orders_.push_back(std::move(frame)); return;
    case FrameKind::Stop: is_over_ = true; return;
    case FrameKind::Result:
      if (calls_.contains(frame.head.id)) results_[frame.head.id] = std::move(frame);
      return;
    case FrameKind::Ready:
    case FrameKind::Failed:
    case FrameKind::Call: break;
  }
  is_over_ = true;
  problem_ = "the server sent what only a worker sends";
}

}  // namespace mycel::serving
