// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serving/gateway/grpc_body.h"

struct nghttp2_session;

namespace mycel::serving {

// What came of a call.
struct GrpcReply {
  int http_status = 0;
  int status = -1;  // of gRPC; -1: the call was reset, or the connection ended
  std::string text;
  std::vector<std::string> messages;
};

// A client's end of a connection, without the socket: for tests and for load_bench.cc. It trusts
// the server. Not for several threads.
class GrpcClient {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;
  using Done = std::function<void(GrpcReply)>;

  GrpcClient();
  ~GrpcClient();
  GrpcClient(const GrpcClient&) = delete;
  GrpcClient& operator=(const GrpcClient&) = delete;

  // Asks with one message. Number of the call.
  std::int32_t ask(const std::string& path, std::string_view message, Done done,
                   const Headers& more = {});
  // The same with bytes for a body, whatever they are; without `is_last` the call stays open.
  std::int32_t ask_bytes(const std::string& path, std::string body, bool is_last, Done done,
                         const Headers& more = {});
  void cancel(std::int32_t call);

  bool receive(std::string_view bytes);  // false: the server does not speak HTTP/2
  // The next bytes for the server, until there are none; good until the next call.
  std::string_view output();
  bool is_told_to_go() const { return is_told_to_go_; }
  // For what a client ought not to do.
  nghttp2_session* session() { return session_; }

 private:
  struct Call;
  struct Callbacks;

  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, std::unique_ptr<Call>> calls_;
  std::string output_;
  bool is_told_to_go_ = false;
};

}  // namespace mycel::serving
