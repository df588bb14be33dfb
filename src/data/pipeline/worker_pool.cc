// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/worker_pool.h"

#include <algorithm>
#include <string>

namespace mycel::data {

WorkerPool::WorkerPool(std::size_t threads) {
  threads_.reserve(threads);
  for (std::size_t i = 0; i < std::max<std::size_t>(threads, 1); ++i)
    threads_.emplace_back("data-" + std::to_string(i),
                          [this](const std::stop_token& stop) { work(stop); });
}

WorkerPool::~WorkerPool() {
  for (platform::Thread& thread : threads_) thread.request_stop();
  threads_.clear();
}

void WorkerPool::submit(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  ready_.notify_one();
}

std::size_t WorkerPool::backlog() const {
  const std::lock_guard lock(mutex_);
  return tasks_.size();
}

void WorkerPool::abandon() {
  // Moved to memory that is never freed: a thread object cannot be destroyed without its thread.
  new std::vector<platform::Thread>(std::move(threads_));
}

void WorkerPool::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (ready_.wait(lock, stop, [&] { return !tasks_.empty(); })) {
    if (stop.stop_requested()) return;
    {
      const Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
    lock.lock();
  }
}

}  // namespace mycel::data
