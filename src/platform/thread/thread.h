// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

namespace mycel::platform {

// A thread with a name (debuggers show its first 15 characters) that is asked to stop and joined
// when the object goes. The body must look at its token wherever it can wait. What the body throws
// reaches whoever calls join(); if nobody does, the destructor logs it. An object that goes on its
// own thread cannot wait for it: the thread is asked to stop and let go.
class Thread {
 public:
  using Body = std::function<void(std::stop_token)>;

  Thread();  // no thread
  Thread(std::string name, Body body);
  Thread(Thread&& other) noexcept;
  Thread& operator=(Thread&& other) noexcept;
  ~Thread();

  const std::string& name() const;
  bool joinable() const;
  bool request_stop();  // false: asked before, or no thread
  void join();          // waits without asking to stop; rethrows what the body threw
  void let_go();        // asks to stop and waits for nothing; the body answers for what it uses

 private:
  struct State;
  void finish() noexcept;
  std::shared_ptr<State> state_;  // the thread has a share, for when it is let go
  std::unique_ptr<std::jthread> thread_;
};

// Grows with every fork on the way to this process: threads that were started at another number are
// the parent's.
std::uint64_t fork_number();

}  // namespace mycel::platform
