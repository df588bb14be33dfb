// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/server.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "platform/log/log.h"
#include "platform/thread/thread.h"
#include "serving/gateway/accept_loop.h"
#include "serving/gateway/address.h"
#include "serving/gateway/grpc_gateway.h"
#include "serving/gateway/tls.h"
#include "serving/repository/version_watch.h"
#include "serving/worker/alertness.h"

namespace mycel::serving {
namespace {

namespace asio = boost::asio;
using platform::ErrorKind;
using platform::join;
using platform::require;

}  // namespace

struct Server::State {
  asio::io_context context{1};  // one thread runs it
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  Repository repository{context};
  VersionWatch watch{context, repository};
  std::unique_ptr<RestGateway> rest;
  std::unique_ptr<HttpServer> http;
  std::unique_ptr<GrpcGateway> grpc;
  std::mutex stop_mutex;  // one stop at a time
  std::mutex mutex;       // guards what follows
  std::condition_variable changed;
  bool is_over = false;
  platform::Thread thread;  // last but one: it uses the others
  platform::Thread closer;  // closes the ports of a server that lost its workers

  void run() {
    Alertness alertness;
    while (!context.stopped())
      alertness.wait([this] { return context.poll() > 0; }, [this] { context.run_one(); });
  }

  // What a handler throws ends the connection or the process it was about, and nothing else.
  void run_context() {
    while (!context.stopped()) {
      try {
        run();
      } catch (const std::exception& problem) {
        platform::log_error("serving: ", problem.what());
      }
    }
  }

  // Does something on the thread of the context and gives what it gives, or throws what it throws.
  template <class Work>
  auto on_thread(Work work_to_do) {
    std::packaged_task<decltype(work_to_do())()> task(std::move(work_to_do));
    auto result = task.get_future();
    asio::post(context, [&task] { task(); });
    return result.get();
  }

  // Answers that are being written.
  template <class Port>
  void wait_for_connections(const std::unique_ptr<Port>& port, std::chrono::milliseconds time) {
    constexpr std::chrono::milliseconds kLookEvery{5};
    const Clock::time_point end = Clock::now() + time;
    while (on_thread([&] { return port != nullptr && port->connections() > 0; }) &&
           Clock::now() < end)
      std::this_thread::sleep_for(kLookEvery);
  }

  void end() {
    {
      const std::lock_guard lock(mutex);
      is_over = true;
    }
    changed.notify_all();
  }
};

Server::Server() : state_(std::make_unique<State>()) {
  // On the context's thread, which cannot wait for itself.
  state_->repository.on_lost([this] {
    platform::log_error("serving: no servable has a worker left, the server ends");
    if (state_->closer.joinable()) return;
    state_->closer = platform::Thread(
        "serving end", [this](std::stop_token) { stop(std::chrono::milliseconds(0)); });
  });
  state_->thread = platform::Thread(
      "serving", [state = state_.get()](std::stop_token) { state->run_context(); });
}

Server::~Server() {
  constexpr std::chrono::milliseconds kAtOnce{0};
  stop(kAtOnce);
  platform::Thread closer = state_->on_thread([&] { return std::move(state_->closer); });
  if (closer.joinable()) closer.join();
  state_->work.reset();
  state_->context.stop();
  state_->thread.join();
}

void Server::load(VersionOptions options) {
  std::promise<std::optional<std::string>> loaded;
  asio::post(state_->context, [this, &loaded, options = std::move(options)]() mutable {
    state_->repository.load(std::move(options), [&loaded](std::optional<std::string> problem) {
      loaded.set_value(std::move(problem));
    });
  });
  const std::optional<std::string> problem = loaded.get_future().get();
  if (problem) platform::fail(ErrorKind::Runtime, *problem);
}

void Server::follow(VersionOptions options) {
  const Servable servable =
      read_servable(platform::parse_json(options.description, "servable description"));
  state_->on_thread(
      [&] { state_->watch.follow(std::move(options), servable.name, servable.folder); });
}

bool Server::unload(const std::string& servable, std::uint32_t version) {
  std::promise<bool> unloaded;
  asio::post(state_->context, [&] {
    state_->repository.unload(servable, version,
                              [&unloaded](bool was_there) { unloaded.set_value(was_there); });
  });
  return unloaded.get_future().get();
}

void Server::start_rest(const ListenOptions& options) {
  const Address address = read_address(options.address, "RESTful server");
  require(!address.is_local_socket, ErrorKind::Runtime,
          "RESTful server does not support binding to unix domain socket");
  const auto tls = options.tls ? make_tls(*options.tls) : nullptr;
  state_->on_thread([&] {
    require(state_->http == nullptr, ErrorKind::Runtime,
            "Serving Error: RESTful server is already running");
    auto rest = std::make_unique<RestGateway>(state_->context, state_->repository, options.rest);
    HttpLimits limits;
    limits.most_body_bytes = options.most_message_bytes;
    limits.most_connections = within_descriptors(limits.most_connections, 0.5);
    limits.most_held_bytes = std::max(limits.most_held_bytes, 2 * options.most_message_bytes);
    const auto handle = [gateway = rest.get()](HttpRequest request, HttpServer::Respond respond) {
      gateway->handle(std::move(request), std::move(respond));
    };
    try {
      state_->http = std::make_unique<HttpServer>(state_->context, address.host, address.port, tls,
                                                  limits, handle, &RestGateway::too_large);
    } catch (const platform::Error& error) {
      platform::fail(ErrorKind::Runtime, "Serving Error: RESTful server start failed, ",
                     error.message());
    }
    state_->rest = std::move(rest);
  });
  platform::log_info("serving: RESTful server listens on ", options.address);
}

void Server::start_grpc(const ListenOptions& options) {
  state_->on_thread([&] {
    require(state_->grpc == nullptr, ErrorKind::Runtime,
            "Serving Error: Serving gRPC server is already running");
    state_->grpc = std::make_unique<GrpcGateway>(state_->context, state_->repository, options);
  });
  platform::log_info("serving: Serving gRPC server listens on ", options.address);
}

void Server::set_most_requests(std::size_t count) {
  state_->on_thread([&] { state_->repository.set_most_requests(count); });
}

void Server::stop(std::chrono::milliseconds patience) {
  const std::lock_guard one_at_a_time(state_->stop_mutex);
  std::promise<void> stopped;
  asio::post(state_->context, [&] {
    if (state_->http != nullptr) state_->http->stop();
    if (state_->grpc != nullptr) state_->grpc->close_port();
    state_->watch.stop();
    state_->repository.stop(patience, [&stopped] { stopped.set_value(); });
  });
  stopped.get_future().get();
  constexpr std::chrono::milliseconds kCloseTime{500};
  state_->wait_for_connections(state_->http, kCloseTime);
  state_->on_thread([&] { state_->http.reset(); });
  state_->on_thread([&] {
    if (state_->grpc != nullptr) state_->grpc->go_away();
  });
  state_->wait_for_connections(state_->grpc, kCloseTime);
  state_->on_thread([&] { state_->grpc.reset(); });
  state_->end();
}

bool Server::wait(std::chrono::milliseconds time) {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, time, [&] { return state_->is_over; });
}

std::uint16_t Server::rest_port() const {
  return state_->on_thread([&] { return state_->http ? state_->http->port() : std::uint16_t{0}; });
}

}  // namespace mycel::serving
