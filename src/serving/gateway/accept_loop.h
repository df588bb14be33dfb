// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "serving/batching/request.h"

namespace mycel::serving {

// Binds to "host:port" and listens; a host may be a name, an IPv4 address or an IPv6 address in
// brackets. RuntimeError that names the address.
void listen_at(boost::asio::ip::tcp::acceptor& acceptor, const std::string& host,
               std::uint16_t port);

// `most`, or fewer connections where they would take more than this share of the descriptors: some
// are left for the other port, workers and files.
std::size_t within_descriptors(std::size_t most, double share);

// The connection that was last of use longest ago, when that is more than `silence`; null: none may
// go. One that waits for an answer is of use now, and stays also where no silence is asked for.
template <class Connections>
auto least_useful(const Connections& connections, Clock::duration silence) {
  const Clock::time_point now = Clock::now();
  const auto earlier = [now](const auto* a, const auto* b) {
    return a->last_useful(now) < b->last_useful(now);
  };
  const auto least = std::min_element(connections.begin(), connections.end(), earlier);
  const bool may_go = least != connections.end() && now - (*least)->last_useful(now) > silence;
  return may_go ? *least : nullptr;
}

// Takes connections of a listening socket, one after the other, until it is destroyed.
template <class Protocol>
class AcceptLoop {
 public:
  using Socket = typename Protocol::socket;
  using Acceptor = typename Protocol::acceptor;
  using Take = std::function<void(Socket)>;

  AcceptLoop(Acceptor acceptor, Take take)
      : state_(std::make_shared<State>(std::move(acceptor), std::move(take))) {
    state_->accept();
  }
  ~AcceptLoop() {
    boost::system::error_code ignored;
    state_->is_over = true;
    state_->acceptor.close(ignored);
    state_->pause.cancel();
  }
  AcceptLoop(const AcceptLoop&) = delete;
  AcceptLoop& operator=(const AcceptLoop&) = delete;

 private:
  struct State : std::enable_shared_from_this<State> {
    State(Acceptor own_acceptor, Take own_take)
        : acceptor(std::move(own_acceptor)),
          pause(acceptor.get_executor()),
          take(std::move(own_take)) {}

    void accept() {
      acceptor.async_accept(
          [self = this->shared_from_this()](boost::system::error_code error, Socket socket) {
            if (self->is_over) return;
            if (error) return self->wait();
            self->take(std::move(socket));
            if (!self->is_over) self->accept();
          });
    }

    // Most likely no descriptor is left; connections wait in the system's queue meanwhile.
    void wait() {
      constexpr std::chrono::milliseconds kPause{50};
      pause.expires_after(kPause);
      pause.async_wait([self = this->shared_from_this()](boost::system::error_code) {
        if (!self->is_over) self->accept();
      });
    }

    Acceptor acceptor;
    boost::asio::steady_timer pause;
    const Take take;
    bool is_over = false;
  };

  std::shared_ptr<State> state_;
};

}  // namespace mycel::serving
