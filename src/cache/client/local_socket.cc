// SPDX-License-Identifier: Apache-2.0
#include "cache/client/local_socket.h"

#include <cerrno>
#include <chrono>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

namespace mycel::cache {
namespace {

using platform::Done;
using platform::Error;
using platform::ErrorKind;
using platform::join;
using platform::Path;
using platform::Result;

constexpr int kBacklog = 128;

Error system_error(const std::string& what) {
  return {ErrorKind::Runtime, join(what, ": ", std::strerror(errno))};
}

// An address that is short whatever the path is.
struct Address {
  Descriptor folder;
  sockaddr_un name{};
};

Result<Address> address_of(const Path& socket) {
  Address address;
  address.folder = Descriptor(open(socket.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (address.folder.number() < 0) return system_error(join("'", socket.string(), "'"));
  const std::string text =
      join("/proc/self/fd/", address.folder.number(), "/", socket.filename().string());
  if (text.size() >= sizeof address.name.sun_path)
    return Error(ErrorKind::Runtime, join("the name '", socket.string(), "' is too long"));
  address.name.sun_family = AF_UNIX;
  std::memcpy(address.name.sun_path, text.c_str(), text.size() + 1);
  return address;
}

const sockaddr* plain(const sockaddr_un& name) { return reinterpret_cast<const sockaddr*>(&name); }

// Reads at most `size` bytes and takes a descriptor if one comes with them.
ssize_t receive_some(int socket, void* target, std::size_t size, Descriptor& descriptor) {
  iovec part{target, size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 4)];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t count = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (count < 0) return count;
  for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t numbers = (one->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t k = 0; k < numbers; ++k) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(one) + k * sizeof(int), sizeof number);
      descriptor = Descriptor(number);  // of several, the others are closed here
    }
  }
  return count;
}

}  // namespace

Result<Descriptor> connect_socket(const Path& socket) {
  Result<Address> address = address_of(socket);
  if (!address) return address.error();
  Descriptor end(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (end.number() < 0) return system_error("a socket cannot be made");
  const sockaddr_un& name = address.value().name;
  if (connect(end.number(), plain(name), sizeof name) != 0)
    return system_error(join("'", socket.string(), "'"));
  return end;
}

Result<Descriptor> listen_socket(const Path& socket) {
  Result<Address> address = address_of(socket);
  if (!address) return address.error();
  Descriptor end(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (end.number() < 0) return system_error("a socket cannot be made");
  const sockaddr_un& name = address.value().name;
  // The mode of the descriptor is that of the file bind() makes: it is never wider for a moment.
  if (fchmod(end.number(), 0600) != 0 || bind(end.number(), plain(name), sizeof name) != 0 ||
      listen(end.number(), kBacklog) != 0) {
    return system_error(join("unable to create the unix socket '", socket.string(), "'"));
  }
  return end;
}

std::optional<Peer> peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return Peer{peer.uid, peer.pid};
}

Descriptor peer_process(int socket) {
  const std::optional<Peer> peer = peer_of(socket);
  if (!peer || peer->process <= 0) return Descriptor();
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, peer->process, 0)));
}

Result<Done> send_frame(int socket, const Frame& frame, int descriptor) {
  iovec part{const_cast<Frame*>(&frame), sizeof frame};  // NOLINT: sendmsg does not write
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* one = CMSG_FIRSTHDR(&message);
    one->cmsg_level = SOL_SOCKET;
    one->cmsg_type = SCM_RIGHTS;
    one->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(one), &descriptor, sizeof descriptor);
  }
  // 32 bytes go whole or not at all.
  ssize_t sent = -1;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  if (sent == static_cast<ssize_t>(sizeof frame)) return Done{};
  return system_error("the connection to the cache server is broken");
}

Result<std::optional<ReceivedFrame>> FrameReader::read(int socket) {
  while (filled_ < sizeof frame_) {
    char* const target = reinterpret_cast<char*>(&frame_) + filled_;
    const ssize_t count = receive_some(socket, target, sizeof frame_ - filled_, descriptor_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return std::optional<ReceivedFrame>();
    if (count < 0) return system_error("the connection is broken");
    if (count == 0) return Error(ErrorKind::Runtime, "the connection was closed");
    filled_ += static_cast<std::size_t>(count);
  }
  if (frame_.magic != kFrameMagic)
    return Error(ErrorKind::Runtime, "what came is not of this protocol");
  filled_ = 0;
  return std::optional(ReceivedFrame{frame_, std::move(descriptor_)});
}

Result<ReceivedFrame> receive_frame(int socket, int timeout_ms) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  FrameReader reader;
  while (true) {
    Result<std::optional<ReceivedFrame>> frame = reader.read(socket);
    if (!frame) return frame.error();
    if (std::optional<ReceivedFrame> whole = std::move(frame).value()) return *std::move(whole);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return Error(ErrorKind::Runtime, "no answer came in time");
    pollfd wait{socket, POLLIN, 0};
    poll(&wait, 1, static_cast<int>(left.count()));
  }
}

}  // namespace mycel::cache
