// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "serving/gateway/rest.h"
#include "serving/repository/repository.h"

namespace mycel::serving {

class GrpcGateway;

struct TlsOptions {
  std::string certificate, private_key;  // names of files
  std::string custom_ca;                 // empty: none
  bool verify_client = false;
};

struct ListenOptions {
  std::string address;  // "ip:port", or for gRPC also "unix:path"
  std::size_t most_message_bytes = std::size_t{100} << 20;
  std::optional<TlsOptions> tls;
  RestOptions rest;
};

// A server: the repository, the ports, and the thread they live on. Any thread may call anything.
class Server {
 public:
  Server();
  ~Server();  // ends at once what is still there

  // Waits until the version is ready. RuntimeError with the reason when it will not be.
  void load(VersionOptions options);
  // From now on versions that appear in the servable's folder take the place of those before them.
  void follow(VersionOptions options);
  // Waits until it has finished what it has. False: there is no such version.
  bool unload(const std::string& servable, std::uint32_t version);
  // RuntimeError with the words of MindSpore Serving for addresses that are none or are taken.
  void start_rest(const ListenOptions& options);
  void start_grpc(const ListenOptions& options);
  void set_most_requests(std::size_t count);

  // Takes no more requests, finishes those that are there, at most for so long, and ends the
  // workers.
  void stop(std::chrono::milliseconds patience);
  // Until stop() was called somewhere, or a servable lost its last worker. False: the time is over.
  bool wait(std::chrono::milliseconds time);

  std::uint16_t rest_port() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mycel::serving
