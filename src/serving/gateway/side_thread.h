// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace mycel::serving {

// Where the thread of an io_context has long work done: reading and writing of large JSON, during
// which nobody else would be answered.
class SideThread {
 public:
  // Less than that is done sooner than handed over.
  static constexpr std::size_t kWorthwhileBytes = 64 << 10;

  explicit SideThread(boost::asio::io_context& context) : context_(context) {}
  ~SideThread() { pool_.join(); }  // what is under way is finished
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;

  // Calls `then(work())` on the context's thread: at once when there is little to do, otherwise
  // when the work has been done elsewhere. `work` must not throw.
  template <class Work, class Then>
  void run(std::size_t bytes, Work work, Then then) {
    if (bytes < kWorthwhileBytes) return then(work());
    boost::asio::post(pool_, [this, work = std::move(work), then = std::move(then)]() mutable {
      auto result = std::make_shared<decltype(work())>(work());
      // Also what the work has referred to goes on the context's thread.
      boost::asio::post(context_, [result, work = std::move(work),
                                   then = std::move(then)]() mutable { then(std::move(*result)); });
    });
  }

 private:
  boost::asio::io_context& context_;
  boost::asio::thread_pool pool_{1};
};

}  // namespace mycel::serving
