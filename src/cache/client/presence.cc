// SPDX-License-Identifier: Apache-2.0
#include "cache/client/presence.h"

#include "cache/client/control.h"

namespace mycel::cache {
namespace {

using platform::Error;
using platform::ErrorKind;
using platform::join;

constexpr int kHelloMs = 10'000;

Error other_version(std::uint16_t port, std::uint32_t version) {
  return {ErrorKind::Runtime,
          join("The cache server on port ", port, " speaks version ", version,
               " of the protocol and this program version ", kProtocolVersion,
               ": they are of different installations. Restart it with 'cache_admin --stop -p ",
               port, "' and 'cache_admin --start -p ", port, "'.")};
}

}  // namespace

bool server_answers(const Path& socket, int timeout_ms) {
  const Result<Descriptor> connection = connect_socket(socket);
  if (!connection || !send_frame(connection.value().number(), Frame{})) return false;
  return static_cast<bool>(receive_frame(connection.value().number(), timeout_ms));
}

Result<std::unique_ptr<Presence>> Presence::open(std::uint16_t port, int answer_ms) {
  Result<Descriptor> socket = connect_to_server(port);
  if (!socket) return socket.error();
  const int number = socket.value().number();
  if (!send_frame(number, Frame{})) return unreachable(port);
  Result<ReceivedFrame> answer = receive_frame(number, kHelloMs);
  if (!answer) return unreachable(port);
  const Frame& frame = answer.value().frame;
  if (frame.version != kProtocolVersion) return other_version(port, frame.version);
  if (frame.kind != FrameKind::Welcome) {
    return Error(ErrorKind::Runtime,
                 join("The cache server on port ", port, " has too many clients already."));
  }
  return std::unique_ptr<Presence>(
      new Presence(std::move(socket).value(), frame.number, port, answer_ms));  // NOLINT: private
}

Result<ReceivedFrame> Presence::ask(const Frame& question, int descriptor) {
  const std::lock_guard lock(mutex_);
  // Answers to questions nobody waits for any more come first.
  while (owed_ > 0)
    if (Result<ReceivedFrame> late = next_answer(); !late) return late;
  if (!send_frame(socket_.number(), question, descriptor)) return unreachable(port_);
  ++owed_;
  return next_answer();
}

Result<ReceivedFrame> Presence::next_answer() {
  Result<ReceivedFrame> answer = receive_frame(socket_.number(), answer_ms_);
  if (!answer) return unreachable(port_);
  --owed_;
  return answer;
}

Result<SharedPart> Presence::fetch(FrameKind kind, std::uint64_t number) {
  Frame question;
  question.kind = kind;
  question.number = number;
  Result<ReceivedFrame> answer = ask(question, -1);
  if (!answer) return answer.error();
  ReceivedFrame received = std::move(answer).value();
  if (received.frame.kind != FrameKind::Descriptor)
    return Error(ErrorKind::Runtime, "the cache does not have what was asked for");
  // The system drops one that this process has no number left for.
  if (received.descriptor.number() < 0) return no_descriptors();
  return SharedPart{std::move(received.descriptor), received.frame.size};
}

Result<Done> Presence::give_staging(int descriptor, std::uint64_t size) {
  Frame question;
  question.kind = FrameKind::Staging;
  question.size = size;
  Result<ReceivedFrame> answer = ask(question, descriptor);
  if (!answer) return answer.error();
  if (answer.value().frame.kind != FrameKind::Welcome)
    return Error(ErrorKind::Runtime, "the cache server did not take the memory for rows");
  return Done{};
}

}  // namespace mycel::cache
