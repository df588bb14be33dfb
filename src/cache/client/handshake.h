// SPDX-License-Identifier: Apache-2.0
// The first words between a client and the server on the local socket, and how descriptors are
// asked for. A connection that begins otherwise is gRPC's.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

namespace mycel::cache {

// Raised whenever frames, shared memory or calls change their meaning.
constexpr std::uint32_t kProtocolVersion = 2;
constexpr std::array<char, 8> kFrameMagic = {'M', 'Y', 'C', 'E', 'L', 'R', 'O', 'W'};

enum class FrameKind : std::uint32_t {
  Hello,       // client: first frame. Answered by Welcome or Refused
  Welcome,     // number: the client's, which it names in calls
  Refused,     // version says why; the server closes
  Staging,     // client: comes with memory in which rows will lie. Answered by Welcome or Missing
  AskHeader,   // client: of the cache it has joined. Answered by Descriptor or Missing, like all
  AskTable,    // number: generation
  AskSegment,  // number: of the segment
  AskSpill,    // number: of the spill file
  Descriptor,  // comes with it; size: in bytes, number: as asked
  Missing,     // there is no such thing
};

struct Frame {
  std::array<char, 8> magic = kFrameMagic;
  std::uint32_t version = kProtocolVersion;
  FrameKind kind = FrameKind::Hello;
  std::uint64_t number = 0;
  std::uint64_t size = 0;
};
static_assert(sizeof(Frame) == 32 && std::is_trivially_copyable_v<Frame>);

}  // namespace mycel::cache
