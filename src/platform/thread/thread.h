// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace mycel::platform {

// A thread with a name (debuggers show its first 15 characters) that is asked to stop and joined
// when the object goes. The body must look at its token wherever it can wait. What the body throws
// reaches whoever calls join(); if nobody does, the destructor logs it.
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

 private:
  struct State;
  void finish() noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace mycel::platform
