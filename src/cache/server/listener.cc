// SPDX-License-Identifier: Apache-2.0
#include "cache/server/listener.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/log/log.h"

namespace mycel::cache {
namespace {

using platform::Descriptor;
using platform::Error;
using platform::ErrorKind;
using platform::join;

constexpr std::size_t kMostConnections = 1024;
constexpr std::chrono::seconds kHelloTime{5};
constexpr int kLookMs = 1000;
constexpr std::string_view kHttp2 = "PRI ";  // how every HTTP/2 connection begins

}  // namespace

Listener::Listener(Descriptor socket, Descriptor wake, Path path, SessionTable& sessions,
                   HandOver hand_over)
    : socket_(std::move(socket)),
      wake_(std::move(wake)),
      path_(std::move(path)),
      sessions_(sessions),
      hand_over_(std::move(hand_over)) {
  struct stat info {};
  if (lstat(path_.c_str(), &info) != 0) return;
  device_ = info.st_dev;
  inode_ = info.st_ino;
}

Result<std::unique_ptr<Listener>> Listener::open(const Path& socket, SessionTable& sessions,
                                                 HandOver hand_over) {
  // A socket or a plain file of a server that is gone. A folder is nobody's leftover.
  if (unlink(socket.c_str()) != 0 && errno != ENOENT) {
    return Error(ErrorKind::Runtime,
                 join("failed to start server, unable to create the unix socket ", socket.string(),
                      ": ", std::strerror(errno)));
  }
  Result<Descriptor> listening = listen_socket(socket);
  if (!listening) {
    return Error(ErrorKind::Runtime, join("failed to start server, ", listening.error().message()));
  }
  Descriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (wake.number() < 0) return Error(ErrorKind::Runtime, "no descriptor is left for the server");
  return std::unique_ptr<Listener>(new Listener(std::move(listening).value(),  // NOLINT: private
                                                std::move(wake), socket, sessions,
                                                std::move(hand_over)));
}

Listener::~Listener() {
  for (const Connection& connection : connections_)
    if (connection.client != 0) sessions_.remove_client(connection.client);
  remove_file();
}

void Listener::remove_file() {
  if (!look_at_file()) unlink(path_.c_str());
}

void Listener::stop() {
  const std::uint64_t one = 1;
  if (write(wake_.number(), &one, sizeof one) < 0) return;  // it is awake already
}

std::optional<Listener::End> Listener::look_at_file() {
  struct stat info {};
  if (lstat(path_.c_str(), &info) != 0) return End::SocketRemoved;
  if (info.st_dev != device_ || info.st_ino != inode_) return End::SocketReplaced;
  return std::nullopt;
}

Listener::End Listener::run() {
  Clock::time_point looked = Clock::now();
  while (true) {
    std::vector<pollfd> waits = {{wake_.number(), POLLIN, 0}, {socket_.number(), POLLIN, 0}};
    for (const Connection& connection : connections_) {
      waits.push_back({connection.socket.number(), POLLIN, 0});
      waits.push_back({connection.process.number(), POLLIN, 0});
    }
    poll(waits.data(), waits.size(), kLookMs);
    if (waits[0].revents != 0) return End::Stopped;
    std::size_t k = 2;
    for (auto at = connections_.begin(); at != connections_.end(); k += 2) {
      const bool is_dead = waits[k + 1].revents != 0;
      const bool is_over = is_dead || (waits[k].revents != 0 && serve(*at) == Next::Close);
      if (is_over && at->client != 0) sessions_.remove_client(at->client);
      at = is_over ? connections_.erase(at) : std::next(at);
    }
    if (waits[1].revents != 0) accept_all();
    if (Clock::now() - looked < std::chrono::milliseconds(kLookMs)) continue;
    looked = Clock::now();
    close_late();
    if (const std::optional<End> end = look_at_file()) return *end;
  }
}

void Listener::accept_all() {
  while (true) {
    Descriptor socket(accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.number() < 0) {
      // Without a free descriptor the connection stays in the queue, and asking again is all there
      // is.
      if (errno == EMFILE || errno == ENFILE) usleep(10000);
      return;
    }
    const std::optional<Peer> peer = peer_of(socket.number());
    if (!peer || peer->user != geteuid()) {
      platform::log_warning("cache: a connection of another user was refused");
      continue;
    }
    if (connections_.size() >= kMostConnections) {
      platform::log_warning("cache: a connection was refused: there are ", kMostConnections);
      continue;
    }
    connections_.push_back({std::move(socket), {}, 0, Clock::now(), false, {}});
  }
}

// Those that do not say what they want in time.
void Listener::close_late() {
  connections_.remove_if([now = Clock::now()](const Connection& connection) {
    return connection.client == 0 && now - connection.since > kHelloTime;
  });
}

Listener::Next Listener::serve(Connection& connection) {
  if (connection.client == 0) return begin(connection);
  Result<std::optional<ReceivedFrame>> frame = connection.reader.read(connection.socket.number());
  if (!frame) return Next::Close;
  std::optional<ReceivedFrame> whole = std::move(frame).value();
  return whole ? answer(connection, *std::move(whole)) : Next::Keep;
}

// The first bytes decide whose the connection is.
Listener::Next Listener::begin(Connection& connection) {
  const int socket = connection.socket.number();
  if (!connection.is_ours) {
    char head[kHttp2.size()] = {};
    const ssize_t size = recv(socket, head, sizeof head, MSG_PEEK | MSG_DONTWAIT);
    if (size < 0) return errno == EAGAIN || errno == EINTR ? Next::Keep : Next::Close;
    if (std::string_view(head, static_cast<std::size_t>(size)) == kHttp2) {
      hand_over_(std::move(connection.socket));
      return Next::Close;
    }
    // Fewer bytes than a word: nobody sends so few.
    if (size < static_cast<ssize_t>(sizeof head)) return Next::Close;
    connection.is_ours = true;
  }
  return greet(connection);
}

Listener::Next Listener::greet(Connection& connection) {
  const int socket = connection.socket.number();
  Result<std::optional<ReceivedFrame>> frame = connection.reader.read(socket);
  if (!frame) return Next::Close;
  if (!frame.value().has_value()) return Next::Keep;
  const Frame hello = frame.value()->frame;
  Frame reply;
  reply.kind = FrameKind::Refused;
  if (hello.kind != FrameKind::Hello || hello.version != kProtocolVersion) {
    platform::log_warning("cache: a client of protocol version ", hello.version, " was refused");
    static_cast<void>(send_frame(socket, reply));
    return Next::Close;
  }
  connection.process = peer_process(socket);
  const std::optional<Peer> peer = peer_of(socket);
  connection.client = sessions_.add_client(peer ? peer->process : 0);
  reply.kind = FrameKind::Welcome;
  reply.number = connection.client;
  return send_frame(socket, reply) ? Next::Keep : Next::Close;
}

Listener::Next Listener::answer(Connection& connection, ReceivedFrame received) {
  Frame reply;
  reply.kind = FrameKind::Missing;
  reply.number = received.frame.number;
  int descriptor = -1;
  std::shared_ptr<const void> keep_alive;
  switch (received.frame.kind) {
    case FrameKind::Staging:
      if (sessions_.set_staging(connection.client, std::move(received.descriptor),
                                received.frame.size)) {
        reply.kind = FrameKind::Welcome;
      }
      break;
    case FrameKind::AskHeader:
    case FrameKind::AskTable:
    case FrameKind::AskSegment:
    case FrameKind::AskSpill: {
      Result<LentPart> part =
          sessions_.part(connection.client, received.frame.kind, received.frame.number);
      if (!part) break;
      reply.kind = FrameKind::Descriptor;
      reply.size = part.value().size;
      descriptor = part.value().descriptor;
      keep_alive = part.value().keep_alive;
      break;
    }
    default: return Next::Close;
  }
  return send_frame(connection.socket.number(), reply, descriptor) ? Next::Keep : Next::Close;
}

}  // namespace mycel::cache
