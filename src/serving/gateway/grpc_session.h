// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "serving/gateway/grpc_stream.h"

namespace mycel::serving {

inline constexpr std::string_view kTakesNothing = "it does not take what it has asked for";

// One connection as gRPC's server sees it, without the socket: bytes in, bytes out. HTTP/2 is the
// library's; what clients may ask of it is bounded here. Not for several threads.
class GrpcSession {
 public:
  // `on_output` is called when there is something to send, also in the midst of other calls.
  GrpcSession(GrpcShared& shared, std::function<void()> on_output);
  ~GrpcSession();  // calls that are open go on without a client
  GrpcSession(const GrpcSession&) = delete;
  GrpcSession& operator=(const GrpcSession&) = delete;

  // The reason why the connection is to be closed, when what is left of output() has been sent.
  std::optional<std::string_view> receive(std::string_view bytes);
  // The next bytes for the client, until there are none; good until the next call.
  std::string_view output();
  // No more calls; those that are open are finished.
  void go_away();
  bool is_over() const;
  // From time to time. Ends calls that are late; the reason why the connection is to be closed,
  // when something should have come by now.
  std::optional<std::string_view> look(Clock::time_point now);
  // When it last asked something or was answered; `now` while something is worked on for it.
  Clock::time_point last_useful(Clock::time_point now) const;

 private:
  struct Callbacks;

  void earn_frames(double count);  // that the client may send besides

  GrpcShared& shared_;
  const std::function<void()> on_output_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, std::shared_ptr<GrpcStream>> calls_;
  std::string output_;
  double frames_left_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point heard_ = begin_, useful_ = begin_;
  Clock::time_point headers_begin_;
  bool is_in_headers_ = false;
  bool has_begun_ = false;
  std::string_view trouble_;  // why it is to be closed
};

}  // namespace mycel::serving
