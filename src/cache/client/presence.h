// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "cache/client/handshake.h"
#include "cache/client/local_socket.h"
#include "cache/client/places.h"
#include "cache/client/shared_rows.h"

namespace mycel::cache {

// Whether a server of any version answers at that socket in time. One that is ending, or has just
// been killed, does not, although its lock is still held.
bool server_answers(const Path& socket, int timeout_ms);

// The connection that says a client is there. The server gives descriptors over it; when either
// side dies, the kernel closes it, and the other one knows at once.
class Presence {
 public:
  // Says hello; the error tells of a server of another version. `answer_ms`: how long a question
  // waits for its answer. A server under load takes its time; one that is dead is known at once.
  static Result<std::unique_ptr<Presence>> open(std::uint16_t port, int answer_ms = 60'000);

  std::uint64_t client() const { return client_; }
  int socket() const { return socket_.number(); }

  // A part of the cache this client has joined.
  Result<SharedPart> fetch(FrameKind kind, std::uint64_t number);
  // Tells the server where rows will lie from now on.
  Result<Done> give_staging(int descriptor, std::uint64_t size);

 private:
  Presence(Descriptor socket, std::uint64_t client, std::uint16_t port, int answer_ms)
      : socket_(std::move(socket)), client_(client), port_(port), answer_ms_(answer_ms) {}
  Result<ReceivedFrame> ask(const Frame& question, int descriptor);

  Result<ReceivedFrame> next_answer();

  std::mutex mutex_;  // one question at a time
  int owed_ = 0;      // answers that are still to come
  Descriptor socket_;
  std::uint64_t client_;
  std::uint16_t port_;
  int answer_ms_;
};

}  // namespace mycel::cache
