// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>

#include <sys/types.h>

#include "cache/client/local_socket.h"
#include "cache/client/places.h"
#include "cache/server/session_table.h"

namespace mycel::cache {

// The server's socket and the connections of clients. One thread runs it; it never waits for a
// single client, and each costs it one frame of memory. A connection that speaks HTTP/2 goes to
// gRPC.
class Listener {
 public:
  enum class End : std::uint8_t { Stopped, SocketRemoved, SocketReplaced };
  // Takes a connection that is gRPC's.
  using HandOver = std::function<void(platform::Descriptor)>;

  // Makes the socket; one that is there is removed first, since the caller holds the server's lock.
  static Result<std::unique_ptr<Listener>> open(const Path& socket, SessionTable& sessions,
                                                HandOver hand_over);
  ~Listener();

  // Until stop(), or until somebody removes or replaces the socket's file.
  End run();
  void stop();         // from any thread or signal handler
  void remove_file();  // if it is still ours
  int stop_descriptor() const { return wake_.number(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    platform::Descriptor socket;
    // The client's: forks of it may keep the socket open when it is dead. -1: not known.
    platform::Descriptor process;
    std::uint64_t client = 0;  // 0: it has not said hello yet
    Clock::time_point since;
    bool is_ours = false;  // its first bytes were no HTTP/2
    FrameReader reader;
  };
  enum class Next : std::uint8_t { Keep, Close };

  Listener(platform::Descriptor socket, platform::Descriptor wake, Path path,
           SessionTable& sessions, HandOver hand_over);
  void accept_all();
  Next serve(Connection& connection);
  Next begin(Connection& connection);
  Next greet(Connection& connection);
  Next answer(Connection& connection, ReceivedFrame received);
  void close_late();
  std::optional<End> look_at_file();

  platform::Descriptor socket_;
  platform::Descriptor wake_;
  Path path_;
  dev_t device_ = 0;  // with the number below, the socket's file
  ino_t inode_ = 0;
  SessionTable& sessions_;
  HandOver hand_over_;
  std::list<Connection> connections_;
};

}  // namespace mycel::cache
