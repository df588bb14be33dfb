// SPDX-License-Identifier: Apache-2.0
// Unix-domain sockets, and frames of fixed size that carry a descriptor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

#include "cache/client/handshake.h"
#include "platform/error/error.h"
#include "platform/file/file.h"

namespace mycel::cache {

using platform::Descriptor;

// Names may be of any length: they are reached through their folder's descriptor.
platform::Result<Descriptor> connect_socket(const platform::Path& socket);
// Makes the socket file, mode 0600, and listens; there must be no file of that name.
platform::Result<Descriptor> listen_socket(const platform::Path& socket);

// Who is at the other end.
struct Peer {
  uid_t user = 0;
  pid_t process = 0;  // 0: not one of this container's
};
std::optional<Peer> peer_of(int socket);
// The process that has connected; it can be read once the process is over. -1: it cannot be known.
Descriptor peer_process(int socket);

struct ReceivedFrame {
  Frame frame;
  Descriptor descriptor;  // -1: none came with it
};

// Sends a frame whole, `descriptor` with it unless that is -1. Never waits: a peer that does not
// read is an error.
platform::Result<platform::Done> send_frame(int socket, const Frame& frame, int descriptor = -1);

// Waits for a frame; an error when the other end closes, sends anything else or takes too long.
platform::Result<ReceivedFrame> receive_frame(int socket, int timeout_ms);

// What has come of a frame so far.
class FrameReader {
 public:
  // Takes what is there without waiting. Nothing: not whole yet. The error: closed or broken.
  platform::Result<std::optional<ReceivedFrame>> read(int socket);

 private:
  Frame frame_{};
  std::size_t filled_ = 0;
  Descriptor descriptor_;
};

}  // namespace mycel::cache
