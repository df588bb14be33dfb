// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <boost/asio/io_context.hpp>

#include "serving/gateway/server.h"

namespace mycel::serving {

// The gRPC port: MindSpore Serving's service and the Open Inference Protocol's, health and
// reflection. On the thread of its io_context.
class GrpcGateway {
 public:
  // RuntimeError with the words of MindSpore Serving when the address cannot be listened to.
  GrpcGateway(boost::asio::io_context& context, Repository& repository,
              const ListenOptions& options);
  ~GrpcGateway();  // closes the connections that are left

  void close_port();  // no more connections
  void go_away();     // no more calls
  std::size_t connections() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mycel::serving
