// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nghttp2/nghttp2.h>

#include "serving/gateway/grpc_body.h"
#include "serving/gateway/grpc_call.h"
#include "serving/gateway/grpc_limits.h"

namespace mycel::serving {

// What the calls of all connections share. Bytes are held until the last who needs them lets go,
// which may be after the server is gone.
struct GrpcShared {
  const GrpcMethods& methods;
  const GrpcLimits& limits;
  std::shared_ptr<std::size_t> held_bytes = std::make_shared<std::size_t>(0);
};

class GrpcTurn;

// A call: one stream of a connection.
class GrpcStream : public GrpcCall, public std::enable_shared_from_this<GrpcStream> {
 public:
  // `on_output` is called when there is something to send. All referred to lives until detach().
  GrpcStream(nghttp2_session* http, std::int32_t id, const GrpcShared& shared,
             const std::function<void()>& on_output);
  ~GrpcStream() override;
  GrpcStream(const GrpcStream&) = delete;
  GrpcStream& operator=(const GrpcStream&) = delete;

  bool is_open() const override { return http_ != nullptr && !status_; }
  Clock::time_point deadline() const override { return deadline_; }
  void send(std::string message) override;
  void finish(GrpcStatus status) override;

  // What the client sends. False: its headers are too long.
  bool add_header(std::string_view name, std::string_view value);
  void end_of_headers();
  // Whether, of a call that may have many, a message is complete with it.
  bool receive(std::string_view bytes);
  void end_of_requests();
  bool has_ended() const { return has_ended_; }

  // It is asked for and not answered yet.
  bool is_in_work() const { return !status_ && (has_ended_ || !turns_.empty()); }
  // Since when the client takes nothing of what is there for it.
  std::optional<Clock::time_point> stands_since() const;
  void detach();  // the client, or the whole connection, is gone

  // From its turns: one is answered, with so many bytes; one is needed by nobody any more.
  void on_answer(std::size_t bytes);
  void let_go(std::size_t asked_bytes);

 private:
  struct Message {
    std::array<char, kGrpcPrefixBytes> prefix;
    std::string text;
    std::size_t sent;  // of both
  };

  struct Asked {
    std::string message;
    std::size_t bytes;  // held for it
  };

  void take(std::string message);
  void take_many(std::string message);
  void begin_turns();
  void drop_turns();
  void finish_when_answered();
  void give_room();
  void push(std::string message);
  void count_held();
  void respond();
  void respond_with_body();
  ssize_t fill(std::uint8_t* to, std::size_t room, std::uint32_t& flags);
  std::size_t fill_from(std::uint8_t* to, std::size_t room);
  // The headers of a status at the end of `headers`; `submit` is given them all.
  template <class Submit>
  void with_status(std::vector<nghttp2_nv> headers, Submit submit) const;
  void refuse_http();  // whatever is HTTP/2, but not gRPC

  nghttp2_session* http_;  // null when the client is gone
  const std::int32_t id_;
  const GrpcMethods& methods_;
  const GrpcLimits& limits_;
  const std::shared_ptr<std::size_t> all_held_;
  const std::function<void()>& on_output_;
  const GrpcMethod* method_ = nullptr;
  std::string path_, timeout_, encoding_;
  bool is_post_ = false, is_grpc_ = false;
  std::size_t header_bytes_ = 0;
  bool is_begun_ = false, has_ended_ = false, is_answered_ = false;
  Clock::time_point deadline_ = Clock::time_point::max();
  GrpcBody body_;
  std::optional<std::string> only_;  // message of a call that may have one
  std::size_t asked_bytes_ = 0;      // of that, also when it is read
  // Of a call that may have many: those that wait for a turn, and turns whose answers are not on
  // their way.
  std::deque<Asked> line_;
  std::deque<std::shared_ptr<GrpcTurn>> turns_;
  std::size_t turn_bytes_ = 0;  // asked by both
  bool is_beginning_turns_ = false;
  std::size_t unacknowledged_ = 0;  // of the body: room that the client does not get back yet
  std::deque<Message> out_;
  std::size_t out_bytes_ = 0;  // of these, and of turns that wait for those before
  std::size_t held_ = 0;       // of *all_held_
  Clock::time_point moved_;
  std::optional<GrpcStatus> status_;
};

}  // namespace mycel::serving
