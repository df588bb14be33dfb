// SPDX-License-Identifier: Apache-2.0
#include "serving/worker/channel.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <vector>

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace mycel::serving {
namespace {

using platform::Result;

// False: the other end is gone.
bool receive_all(int socket, void* to, std::size_t size) {
  auto* at = static_cast<std::byte*>(to);
  while (size > 0) {
    const ssize_t count = recv(socket, at, size, MSG_WAITALL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

// Whether there is something to receive, or the other end is gone.
bool is_ready(int socket) {
  char byte = 0;
  return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN;
}

void sleep_until_ready(int socket) {
  pollfd wanted{socket, POLLIN, 0};
  while (poll(&wanted, 1, -1) < 0 && errno == EINTR) {
  }
}

bool send_all(int socket, std::vector<iovec> parts) {
  std::size_t first = 0;
  while (first < parts.size()) {
    msghdr message{};
    message.msg_iov = parts.data() + first;
    message.msg_iovlen = std::min<std::size_t>(parts.size() - first, IOV_MAX);
    const ssize_t count = sendmsg(socket, &message, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    auto sent = static_cast<std::size_t>(count);
    for (; first < parts.size() && sent >= parts[first].iov_len; ++first)
      sent -= parts[first].iov_len;
    if (first == parts.size()) break;
    parts[first].iov_base = static_cast<std::byte*>(parts[first].iov_base) + sent;
    parts[first].iov_len -= sent;
  }
  return true;
}

}  // namespace

Result<std::optional<IncomingFrame>> Channel::read() {
  const std::optional<IncomingFrame> gone;
  IncomingFrame frame;
  const int socket = socket_.number();
  alertness_.wait([socket] { return is_ready(socket); }, [socket] { sleep_until_ready(socket); });
  if (!receive_all(socket, &frame.head, sizeof frame.head)) return gone;
  const Result<FrameHead> head = check_head(frame.head);
  if (!head) return head.error();
  frame.description.resize(frame.head.description_bytes);
  frame.data = take_data(frame.head.data_bytes);
  const bool is_whole = receive_all(socket, frame.description.data(), frame.description.size()) &&
                        receive_all(socket, frame.data.get(), frame.head.data_bytes);
  if (!is_whole) return gone;
  return std::optional(std::move(frame));
}

bool Channel::write(const OutgoingFrame& frame) {
  std::vector<iovec> parts;
  parts.reserve(1 + frame.data.size());
  // sendmsg takes what it only reads as something it might write.
  parts.push_back({const_cast<char*>(frame.beginning.data()), frame.beginning.size()});  // NOLINT
  for (const std::span<const std::byte> part : frame.data)
    parts.push_back({const_cast<std::byte*>(part.data()), part.size()});  // NOLINT
  const std::lock_guard lock(writing_);
  return send_all(socket_.number(), std::move(parts));
}

}  // namespace mycel::serving
