// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: what a connection may send to the server. The first byte chooses the language:
// frames after a correct hello, frames from the start, gRPC, or calls with any values, straight to
// the table of sessions. Not part of the server; README.md says how to build and run it.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cache/client/local_socket.h"
#include "cache/server/test_server.h"

namespace {

using namespace mycel::cache;  // NOLINT: this file is about nothing else

// Lives as long as the program.
struct World {
  TestFolder folder;
  TestServer server;
};

World& world() {
  static World* const instance = new World;  // NOLINT: never destroyed
  return *instance;
}

void send_raw(std::string_view bytes, bool with_hello) {
  const auto socket = connect_to_server(kDefaultPort);
  if (!socket) std::abort();  // the server is gone
  const int number = socket.value().number();
  if (with_hello) {
    if (!send_frame(number, Frame{})) std::abort();
    if (!receive_frame(number, 5000)) std::abort();
  }
  static_cast<void>(send(number, bytes.data(), bytes.size(), MSG_NOSIGNAL));
  shutdown(number, SHUT_WR);
  char answer[4096];
  pollfd wait{number, POLLIN, 0};
  while (poll(&wait, 1, 5000) > 0 && recv(number, answer, sizeof answer, MSG_DONTWAIT) > 0) {
  }
}

// Takes values from the input, zeros after its end.
class Values {
 public:
  explicit Values(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t next() {
    std::uint64_t value = 0;
    const std::size_t size = std::min(sizeof value, bytes_.size());
    std::memcpy(&value, bytes_.data(), size);
    bytes_.remove_prefix(size);
    return value;
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

mycel::platform::Descriptor some_memory(std::uint64_t size) {
  mycel::platform::Descriptor memory(memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (ftruncate(memory.number(), static_cast<off_t>(size % 100000)) != 0) std::abort();
  fcntl(memory.number(), F_ADD_SEALS, F_SEAL_SHRINK);
  return memory;
}

void call_table(std::string_view bytes) {
  MemoryBudget budget({std::uint64_t{256} << 20, [] { return std::uint64_t{256} << 20; }}, 0.5);
  SessionTable table({.port = kDefaultPort, .budget = &budget, .spill = nullptr, .prepare = {}});
  const std::uint32_t session = table.generate_session();
  const std::uint64_t clients[] = {table.add_client(), table.add_client(), 5};
  std::uint64_t cookie = 0;
  Values values(bytes);
  for (int calls = 0; calls < 64 && !values.at_end(); ++calls) {
    const std::uint64_t client = clients[values.next() % 3];
    switch (values.next() % 9) {
      case 0:
        static_cast<void>(table.join_cache(
            client,
            {values.next() % 4 == 0 ? 1 : session, static_cast<std::uint32_t>(values.next()),
             std::to_string(values.next() % 2), values.next() % 2 == 0,
             values.next() % 2 == 0 ? values.next() : 0, values.next() % 8 == 0}));
        break;
      case 1: {
        const std::uint64_t size = values.next();
        static_cast<void>(table.set_staging(client, some_memory(size), values.next() % 100000));
        break;
      }
      case 2:
        if (const auto answer = table.begin_build(client)) cookie = answer.value().cookie;
        break;
      case 3: {
        StagedRows rows;
        for (std::uint64_t k = values.next() % 8; k > 0; --k) {
          rows.row_ids.push_back(values.next() % 16);
          rows.offsets.push_back(values.next());
          rows.lengths.push_back(values.next());
        }
        static_cast<void>(
            table.store(client, values.next() % 2 == 0 ? cookie : values.next(), rows));
        break;
      }
      case 4: static_cast<void>(table.end_build(client, cookie, values.next())); break;
      case 5: {
        const auto kind = static_cast<FrameKind>(values.next() % 12);
        static_cast<void>(table.part(client, kind, values.next()));
        break;
      }
      case 6: static_cast<void>(table.report(client, values.next(), values.next())); break;
      case 7: table.remove_client(client); break;
      case 8:
        static_cast<void>(values.next() % 4 == 0 ? table.destroy_session(session)
                                                 : Result<Done>(Done{}));
        break;
    }
    static_cast<void>(table.list());
    static_cast<void>(table.statistics(client));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0: world(), send_raw(rest, true); break;
    case 1: world(), send_raw(rest, false); break;
    case 2:
      world();
      send_raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + std::string(rest), false);
      break;
    default: call_table(rest); break;
  }
  return 0;
}
