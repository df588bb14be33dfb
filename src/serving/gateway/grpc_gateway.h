// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <boost/asio/io_context.hpp>

#include "serving/gateway/server.h"

namespace mycel::serving {

// The gRPC port: MindSpore Serving's service and the Open Inference Protocol's. Calls come on
// gRPC's threads; what concerns the repository is posted to its own.
class GrpcGateway {
 public:
  // RuntimeError with the words of MindSpore Serving when the address cannot be listened to.
  GrpcGateway(boost::asio::io_context& context, Repository& repository,
              const ListenOptions& options);
  ~GrpcGateway();  // calls under way end as unavailable

  // No new calls; those under way have so long to end.
  void stop(std::chrono::milliseconds patience);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mycel::serving
