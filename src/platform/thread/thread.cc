// SPDX-License-Identifier: Apache-2.0
#include "platform/thread/thread.h"

#include <atomic>
#include <utility>

#include <pthread.h>

#include "platform/error/error.h"
#include "platform/log/log.h"

namespace mycel::platform {

namespace {

std::atomic<std::uint64_t> forks{0};

[[maybe_unused]] const int kCounting = pthread_atfork(nullptr, nullptr, [] { ++forks; });

}  // namespace

std::uint64_t fork_number() { return forks.load(std::memory_order_relaxed); }

struct Thread::State {
  std::string name;
  std::exception_ptr failure;  // written by the thread, read after it was joined
};

Thread::Thread() = default;

Thread::Thread(std::string name, Body body) : state_(std::make_shared<State>()) {
  state_->name = std::move(name);
  thread_ = std::make_unique<std::jthread>(
      [state = state_, body = std::move(body)](std::stop_token stop) mutable {
        pthread_setname_np(pthread_self(), state->name.substr(0, 15).c_str());
        try {
          body(std::move(stop));
        } catch (...) {
          state->failure = std::current_exception();
        }
        body = nullptr;  // what it holds goes before whoever joins goes on
      });
}

Thread::Thread(Thread&& other) noexcept = default;

Thread& Thread::operator=(Thread&& other) noexcept {
  if (this != &other) {
    finish();
    state_ = std::move(other.state_);
    thread_ = std::move(other.thread_);
  }
  return *this;
}

Thread::~Thread() { finish(); }

const std::string& Thread::name() const {
  static const std::string none;
  return state_ == nullptr ? none : state_->name;
}

bool Thread::joinable() const { return thread_ != nullptr && thread_->joinable(); }

bool Thread::request_stop() { return joinable() && thread_->request_stop(); }

void Thread::join() {
  if (!joinable()) return;
  thread_->join();
  if (state_->failure) std::rethrow_exception(std::exchange(state_->failure, nullptr));
}

void Thread::let_go() {
  if (!joinable()) return;
  thread_->request_stop();
  thread_->detach();
}

void Thread::finish() noexcept {
  if (!joinable()) return;
  if (thread_->get_id() == std::this_thread::get_id()) return let_go();
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
