// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include "serving/batching/scheduler.h"
#include "serving/worker/channel.h"
#include "serving/worker/child_process.h"

namespace mycel::serving {

// A worker as the server sees it: the process, and the socket to it. Everything happens on the
// thread of its io_context.
class WorkerProcess : public WorkerPort, public std::enable_shared_from_this<WorkerProcess> {
 public:
  struct Events {
    std::function<void(const std::string& description)> ready;
    std::function<void(IncomingFrame frame)> frame;  // a result, or a call
    // It is gone. `was_asked` for; otherwise `how` it ended, and whether in good order.
    struct End {
      bool was_asked = false;
      bool in_order = false;
      bool was_killed = false;  // by somebody else: SIGKILL
      bool was_told = false;    // `how` are its own words
      std::string how;
    };
    std::function<void(const End& end)> ended;  // the last event
  };

  // Starts the process and tells it what to load. RuntimeError when it cannot be started.
  static std::shared_ptr<WorkerProcess> start(boost::asio::io_context& context,
                                              const std::vector<std::string>& words,
                                              const std::string& log_file,
                                              const std::string& load_description,
                                              const std::string& key, Events events);

  void send(OutgoingFrame frame) override;
  // It ends when it has done what it has; what takes longer than `patience` is killed.
  void stop(std::chrono::milliseconds patience);
  // It does not answer any more.
  void kill(const std::string& why);
  pid_t id() const { return child_->id(); }

 private:
  using Socket = boost::asio::local::stream_protocol::socket;
  WorkerProcess(boost::asio::io_context& context, Events events);
  void launch(const std::vector<std::string>& words, const std::string& log_file);
  void read_head();
  void read_rest();
  void deliver();
  void write_next();
  void close(const std::string& how);
  void reap();

  Socket socket_;
  boost::asio::steady_timer timer_;
  Events events_;
  std::unique_ptr<ChildProcess> child_;
  IncomingFrame incoming_;
  std::deque<OutgoingFrame> outgoing_;
  bool is_writing_ = false;
  bool is_stopping_ = false;
  bool is_closed_ = false;
  std::string how_;      // why it was closed, if we know better than the exit status
  std::string failure_;  // what it said before it ended
  Clock::time_point patience_end_ = Clock::time_point::max();
};

}  // namespace mycel::serving
