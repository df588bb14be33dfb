// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace mycel::serving {

// What one connection may ask for.
struct GrpcLimits {
  std::size_t most_message_bytes = std::size_t{100} << 20;
  // Of requests that are not answered and answers that are not sent, of all connections together.
  std::size_t most_held_bytes = std::size_t{1} << 30;
  std::uint32_t most_calls = 256;              // at a time, of one connection
  std::uint32_t most_header_bytes = 16 << 10;  // of one call
  // Of one call that may have many messages: so many are worked on at a time, and none is begun
  // while so much of their answers is not sent. The client gets no room for more until then.
  std::size_t most_turns = 256;
  std::size_t most_answers_ahead = std::size_t{1} << 20;
  // Frames a client may send beyond those that bring data or are answered: at once, per second.
  double most_frames_ahead = 10'000;
  double frames_per_second = 500;
  std::chrono::milliseconds begin_time{10'000};    // until it is HTTP/2
  std::chrono::milliseconds header_time{10'000};   // for the headers of a call
  std::chrono::milliseconds write_time{60'000};    // for a client to take some of an answer
  std::chrono::milliseconds idle_time{1'800'000};  // without a call
};

}  // namespace mycel::serving
