// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "serving/worker/channel.h"

namespace mycel::serving {

// The end of a worker that runs functions. They may call models in the middle of a run, from any
// thread: orders that come while a call is waited for are kept.
class FunctionChannel {
 public:
  explicit FunctionChannel(platform::Descriptor socket) : channel_(std::move(socket)) {}

  // What is to be loaded, or run; nothing: the server is gone or wants no more. RuntimeError: what
  // came is no message of a server.
  std::optional<IncomingFrame> next();
  // False: the server is gone.
  bool tell(FrameKind kind, std::string_view text) {
    return channel_.write(write_text(kind, 0, text));
  }
  bool answer(std::uint64_t run, std::span<const Outcome> outcomes) {
    return channel_.write(write_result(run, outcomes, Clock::now() - order_begin_));
  }
  // RuntimeError when the server is gone.
  std::vector<Outcome> call_model(RunOrder order);

 private:
  using Clock = std::chrono::steady_clock;

  // Reads one frame, or waits until another thread that does has read one.
  void wait_for_frame(std::unique_lock<std::mutex>& lock);
  void keep(IncomingFrame frame);

  Channel channel_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool is_reading_ = false;
  bool is_over_ = false;
  std::string problem_;  // why it is over, if the server is not simply gone
  std::uint64_t next_call_ = 1;
  std::set<std::uint64_t> calls_;  // that wait
  std::map<std::uint64_t, IncomingFrame> results_;
  std::deque<IncomingFrame> orders_;
  Clock::time_point order_begin_;  // of the one that is run
};

}  // namespace mycel::serving
