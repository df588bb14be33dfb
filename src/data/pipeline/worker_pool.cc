// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/worker_pool.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "platform/error/error.h"

namespace mycel::data {

struct WorkerPool::Shared {
  std::mutex mutex;  // guards what follows
  std::condition_variable_any ready;
  std::deque<Task> tasks;
  bool closed = false;
  std::size_t working = 0;  // threads that have not ended
  std::condition_variable ended;
  std::vector<platform::Thread> threads;

  void work(const std::stop_token& stop);
};

namespace {

thread_local const void* pool_of_this_thread = nullptr;

}  // namespace

WorkerPool::WorkerPool(std::size_t threads, std::shared_ptr<void> keeps_alive)
    : size_(std::max<std::size_t>(threads, 1)), shared_(std::make_shared<Shared>()) {
  shared_->threads.reserve(size_);
  shared_->working = size_;
  for (std::size_t i = 0; i < size_; ++i) try {
      shared_->threads.emplace_back(
          "data-" + std::to_string(i),
          [keeps_alive, shared = shared_](const std::stop_token& stop) { shared->work(stop); });
    } catch (const std::system_error& error) {
      stop();
      platform::fail(platform::ErrorKind::Runtime, "Thread ", i + 1, " of ", size_,
                     " of a data pipeline cannot be started: ", error.what(),
                     ". Lower 'num_parallel_workers', or stop iterators that are not needed.");
    }
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::submit(Task task) {
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->closed) return;
    shared_->tasks.push_back(std::move(task));
  }
  shared_->ready.notify_one();
}

std::size_t WorkerPool::backlog() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->tasks.size();
}

bool WorkerPool::is_here() const { return pool_of_this_thread == shared_.get(); }

void WorkerPool::request_stop() {
  std::deque<Task> dropped;  // they may hold what needs other locks to go
  const std::lock_guard lock(shared_->mutex);
  shared_->closed = true;
  dropped.swap(shared_->tasks);
  for (platform::Thread& thread : shared_->threads) thread.request_stop();
}

bool WorkerPool::wait_for_end(std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(shared_->mutex);
  return shared_->ended.wait_until(lock, until, [&] { return shared_->working == 0; });
}

std::vector<platform::Thread> WorkerPool::taken_threads() {
  request_stop();
  const std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->threads, {});
}

void WorkerPool::stop() { taken_threads(); }

void WorkerPool::let_go() {
  for (platform::Thread& thread : taken_threads()) thread.let_go();
}

void WorkerPool::Shared::work(const std::stop_token& stop) {
  pool_of_this_thread = this;
  std::unique_lock lock(mutex);
  while (ready.wait(lock, stop, [&] { return !tasks.empty(); }) && !stop.stop_requested()) {
    {
      const Task task = std::move(tasks.front());
      tasks.pop_front();
      lock.unlock();
      task();
    }
    lock.lock();
  }
  if (--working == 0) ended.notify_all();
}

}  // namespace mycel::data
