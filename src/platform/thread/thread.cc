// SPDX-License-Identifier: Apache-2.0
#include "platform/thread/thread.h"

#include <thread>
#include <utility>

#include <pthread.h>

#include "platform/error/error.h"
#include "platform/log/log.h"

namespace mycel::platform {

struct Thread::State {
  std::string name;
  std::exception_ptr failure;  // written by the thread, read after it was joined
  std::jthread thread;         // last: joined before what it uses goes
};

Thread::Thread() = default;

Thread::Thread(std::string name, Body body) : state_(std::make_unique<State>()) {
  state_->name = std::move(name);
  State* const state = state_.get();
  state_->thread = std::jthread([state, body = std::move(body)](std::stop_token stop) {
    pthread_setname_np(pthread_self(), state->name.substr(0, 15).c_str());
    try {
      body(std::move(stop));
    } catch (...) {
      state->failure = std::current_exception();
    }
  });
}

Thread::Thread(Thread&& other) noexcept = default;

Thread& Thread::operator=(Thread&& other) noexcept {
  if (this != &other) {
    finish();
    state_ = std::move(other.state_);
  }
  return *this;
}

Thread::~Thread() { finish(); }

const std::string& Thread::name() const {
  static const std::string none;
  return state_ == nullptr ? none : state_->name;
}

bool Thread::joinable() const { return state_ != nullptr && state_->thread.joinable(); }

bool Thread::request_stop() { return joinable() && state_->thread.request_stop(); }

void Thread::join() {
  if (!joinable()) return;
  state_->thread.join();
  if (state_->failure) std::rethrow_exception(std::exchange(state_->failure, nullptr));
}

void Thread::finish() noexcept {
  if (!joinable()) return;
  request_stop();
  try {
    join();
  } catch (const std::exception& error) {
    log_error("thread '", state_->name, "' ended with an error nobody asked for: ", error.what());
  } catch (...) {
    log_error("thread '", state_->name, "' ended with an unknown error");
  }
}

}  // namespace mycel::platform
