// SPDX-License-Identifier: Apache-2.0
#include <cerrno>

#include <unistd.h>

#include "cache/client/control.h"
#include "cache/client/local_socket.h"
#include "cache/client/places.h"

namespace mycel::cache {

using platform::Error;
using platform::ErrorKind;
using platform::join;

Error unreachable(std::uint16_t port) {
  return {ErrorKind::Runtime,
          join("Network error. Cache server with port ", port,
               " is unreachable. Make sure the server is running. GRPC Code 14")};
}

Error no_descriptors() {
  return {
      ErrorKind::Runtime,
      "no descriptor is left for the cache: this program has as many open files as it may; raise "
      "the limit ('ulimit -n')"};
}

Result<platform::Descriptor> connect_to_server(std::uint16_t port) {
  for (const Path& folder : user_folders()) {
    Result<platform::Descriptor> socket = connect_socket(server_place(folder, port).socket());
    if (!socket && (errno == EMFILE || errno == ENFILE)) return no_descriptors();
    if (!socket) continue;
    // Rows of a stranger's server could be anything.
    const std::optional<Peer> peer = peer_of(socket.value().number());
    if (!peer || peer->user != geteuid()) continue;
    return socket;
  }
  return unreachable(port);
}

}  // namespace mycel::cache
