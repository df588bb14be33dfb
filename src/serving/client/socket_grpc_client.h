// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>

#include "serving/client/grpc_client.h"

namespace mycel::serving {

// A client that waits, on a socket of its own.
class SocketGrpcClient {
 public:
  // "ip:port" or "unix:path". RuntimeError when nobody listens there.
  explicit SocketGrpcClient(const std::string& address);

  // Waits for the answer; what came of a call whose connection ended has status -1.
  GrpcReply ask(const std::string& path, std::string_view message,
                const GrpcClient::Headers& more = {});
  GrpcClient& calls() { return client_; }
  // Sends what the calls have to send, and takes what comes. False: the connection ended.
  bool exchange();
  void send();
  // Whatever is no HTTP/2, too.
  void send_bytes(std::string_view bytes);
  void stop_sending();  // no more bytes come from here

 private:
  boost::asio::io_context context_;
  boost::asio::generic::stream_protocol::socket socket_{context_};
  GrpcClient client_;
};

}  // namespace mycel::serving
