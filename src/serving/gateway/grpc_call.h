// SPDX-License-Identifier: Apache-2.0
// What a gRPC service sees of a call. Numbers and names are gRPC's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "serving/batching/request.h"

namespace mycel::serving {

enum class GrpcCode : int {
  Ok = 0,
  Cancelled = 1,
  InvalidArgument = 3,
  DeadlineExceeded = 4,
  NotFound = 5,
  ResourceExhausted = 8,
  Unimplemented = 12,
  Internal = 13,
  Unavailable = 14,
};

struct GrpcStatus {
  GrpcCode code = GrpcCode::Ok;
  std::string text;
};

// All on the thread of its connection. A call whose client is gone takes everything and does
// nothing.
class GrpcCall {
 public:
  virtual ~GrpcCall() = default;
  virtual bool is_open() const = 0;  // there is a client, which waits for more
  virtual Clock::time_point deadline() const = 0;
  virtual void send(std::string message) = 0;
  virtual void finish(GrpcStatus status) = 0;  // once, at the end
};

struct GrpcMethod {
  // With each message of the client; of a call that may send one only, when that is complete.
  std::function<void(std::shared_ptr<GrpcCall> call, std::string message)> on_message;
  // The client may send many. Each comes with a call of its own, a turn, and is answered by one
  // send(), whenever that is: answers go out in the order of the messages, and the call as a whole
  // is finished when the client has no more and all are answered. To finish() a turn with an error
  // ends the whole call.
  bool takes_many = false;
};

// By their paths: "/package.Service/Method".
using GrpcMethods = std::map<std::string, GrpcMethod, std::less<>>;

}  // namespace mycel::serving
