// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: whatever a client may send to the gRPC port. The input is a row of frames whose
// lengths are made right, so that they get past the library; README.md says how to build and run
// it.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serving/gateway/grpc_session.h"

namespace {

using namespace mycel::serving;  // NOLINT: this file is about nothing else

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

struct Server {
  Server() {
    limits.most_message_bytes = 4096;
    limits.most_held_bytes = 16384;
    limits.most_answers_ahead = 4096;
    limits.most_turns = 3;
    limits.most_calls = 8;
    limits.most_frames_ahead = 300;
    methods["/e"] = {[](const std::shared_ptr<GrpcCall>& call, std::string message) {
      call->send(std::move(message));
      call->finish({});
    }};
    methods["/k"] = {[this](std::shared_ptr<GrpcCall> call, const std::string& /*message*/) {
      kept.push_back(std::move(call));
    }};
    methods["/c"].takes_many = true;
    methods["/c"].on_message = [this](const std::shared_ptr<GrpcCall>& call, std::string message) {
      if (message.size() % 4 == 3) return call->finish({GrpcCode::NotFound, "no"});
      if (message.size() % 2 == 1) return kept.push_back(call);
      call->send(std::move(message));
    };
  }

  GrpcMethods methods;
  GrpcLimits limits;
  GrpcShared shared{methods, limits};
  std::vector<std::shared_ptr<GrpcCall>> kept;
};

// The next frame of the input: type, flags, stream, a length and so many bytes. Headers may begin
// with those of a call, so that the fuzzer need not guess them.
std::string frame_of(std::string_view& input) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(input[i]); };
  const char type = static_cast<char>(at(0) % 11);
  const char flags = input[1];
  const char stream = static_cast<char>(at(2) % 16);
  std::string payload;
  if (type == 1 && (at(3) & 0x80) != 0) {
    constexpr std::string_view kPaths[] = {"/e", "/k", "/c", "/x"};
    payload = std::string("\x83\x86\x44\x02") + std::string(kPaths[at(3) >> 5 & 3]) +
              std::string("\x5f\x10", 2) + "application/grpc";
  }
  const std::size_t length = std::min<std::size_t>(at(3) & 0x1f, input.size() - 4);
  payload += input.substr(4, length);
  input.remove_prefix(4 + length);
  std::string frame{0, 0, static_cast<char>(payload.size()), type, flags, 0, 0, 0, stream};
  return frame + payload;
}

void send_all(GrpcSession& session) {
  for (int i = 0; i < 64 && !session.output().empty(); ++i) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(bytes), size);
  if (input.empty()) return 0;
  const bool is_raw = (input.front() & 1) != 0;
  input.remove_prefix(1);
  Server server;
  {
    GrpcSession session(server.shared, [] {});
    bool is_wrong = session.receive(kPreface).has_value();
    if (is_raw) is_wrong = session.receive(input).has_value();
    Clock::time_point now = Clock::now();
    while (!is_raw && !is_wrong && input.size() >= 4) {
      is_wrong = session.receive(frame_of(input)).has_value();
      if (server.kept.size() > 2) {
        server.kept.front()->send("so");
        server.kept.front()->finish({});
        server.kept.erase(server.kept.begin());
      }
      send_all(session);
      now += std::chrono::seconds(1);
      session.look(now);
      if (*server.shared.held_bytes > 3 * server.limits.most_held_bytes) std::abort();
    }
    session.go_away();
    send_all(session);
  }
  for (const auto& call : server.kept) call->finish({});
  server.kept.clear();
  if (*server.shared.held_bytes != 0) std::abort();
  return 0;
}
