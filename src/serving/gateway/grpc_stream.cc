// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/grpc_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "platform/error/error.h"
#include "serving/gateway/grpc_turn.h"
#include "serving/gateway/http2.h"

namespace mycel::serving {

using platform::join;

namespace {

std::vector<nghttp2_nv> first_headers() {
  return {http2_header(":status", "200"), http2_header("content-type", "application/grpc"),
          http2_header("grpc-accept-encoding", kGrpcEncodings)};
}

}  // namespace

GrpcStream::GrpcStream(nghttp2_session* http, std::int32_t id, const GrpcShared& shared,
                       const std::function<void()>& on_output)
    : http_(http),
      id_(id),
      methods_(shared.methods),
      limits_(shared.limits),
      all_held_(shared.held_bytes),
      on_output_(on_output),
      body_(shared.limits.most_message_bytes) {}

GrpcStream::~GrpcStream() { *all_held_ -= held_; }

// ---- what the client asks

bool GrpcStream::add_header(std::string_view name, std::string_view value) {
  constexpr std::size_t kOverhead = 32;  // HTTP/2 counts so much for every header
  header_bytes_ += name.size() + value.size() + kOverhead;
  if (header_bytes_ > limits_.most_header_bytes) return false;
  if (is_begun_) return true;  // what comes behind the body means nothing to us
  if (name == ":path") path_ = value;
  if (name == ":method") is_post_ = value == "POST";
  if (name == "content-type") is_grpc_ = value.starts_with("application/grpc");
  if (name == "grpc-timeout") timeout_ = value;
  if (name == "grpc-encoding") encoding_ = value;
  return true;
}

void GrpcStream::end_of_headers() {
  is_begun_ = true;
  if (!is_post_ || !is_grpc_) return refuse_http();
  const auto method = methods_.find(path_);
  if (method == methods_.end())
    return finish({GrpcCode::Unimplemented, join("unknown method ", path_)});
  method_ = &method->second;
  if (!timeout_.empty()) {
    const auto time = read_timeout(timeout_);
    if (!time) return finish({GrpcCode::InvalidArgument, "grpc-timeout is none: " + timeout_});
    deadline_ = Clock::now() + *time;
  }
  if (encoding_.empty()) return;
  const auto encoding = read_encoding(encoding_);
  if (!encoding)
    return finish({GrpcCode::Unimplemented, join("grpc-encoding '", encoding_, "' is unknown")});
  body_.set_encoding(*encoding);
}

bool GrpcStream::receive(std::string_view bytes) {
  if (status_) return false;
  bool has_message = false;
  const auto wrong = body_.read(bytes, [&](std::string message) {
    has_message = true;
    take(std::move(message));
  });
  if (wrong) {
    finish(*wrong);
  } else if (status_) {
    body_.drop();
  } else {
    unacknowledged_ += bytes.size();
    give_room();
    count_held();
    if (*all_held_ > limits_.most_held_bytes)
      finish({GrpcCode::ResourceExhausted, "the server holds too many requests at a time"});
  }
  return has_message && method_->takes_many;
}

void GrpcStream::end_of_requests() {
  has_ended_ = true;
  if (status_) return;
  if (!body_.is_between_messages())
    return finish({GrpcCode::Internal, "the last message is cut short"});
  if (method_->takes_many) return finish_when_answered();
  if (!only_) return finish({GrpcCode::Internal, "there is no message"});
  std::string message = std::move(*only_);
  only_.reset();
  method_->on_message(shared_from_this(), std::move(message));
}

void GrpcStream::take(std::string message) {
  if (status_) return;
  if (method_->takes_many) return take_many(std::move(message));
  if (only_) return finish({GrpcCode::Internal, "the method takes one message, but more came"});
  asked_bytes_ = message.capacity();
  only_ = std::move(message);
}

// ---- turns

void GrpcStream::take_many(std::string message) {
  // Many small ones are more than their letters.
  const std::size_t bytes = message.capacity() + sizeof(Asked);
  turn_bytes_ += bytes;
  line_.push_back({std::move(message), bytes});
  begin_turns();
}

// Those that are answered at once, and what that makes room for, come here again.
void GrpcStream::begin_turns() {
  if (is_beginning_turns_) return;
  is_beginning_turns_ = true;
  while (!line_.empty() && turns_.size() < limits_.most_turns &&
         out_bytes_ <= limits_.most_answers_ahead) {
    Asked asked = std::move(line_.front());
    line_.pop_front();
    const auto turn = std::make_shared<GrpcTurn>(shared_from_this(), asked.bytes);
    turns_.push_back(turn);
    method_->on_message(turn, std::move(asked.message));
  }
  is_beginning_turns_ = false;
}

void GrpcStream::on_answer(std::size_t bytes) {
  out_bytes_ += bytes;
  const bool is_next = turns_.front()->has_answer();
  while (!turns_.empty() && turns_.front()->has_answer()) {
    push(turns_.front()->take_answer());
    turns_.pop_front();
  }
  if (!is_next) return count_held();
  begin_turns();
  give_room();
  respond();
  finish_when_answered();
}

void GrpcStream::let_go(std::size_t asked_bytes) {
  turn_bytes_ -= asked_bytes;
  count_held();
}

// Those that are worked on are held until that is done.
void GrpcStream::drop_turns() {
  for (const Asked& asked : line_) turn_bytes_ -= asked.bytes;
  line_.clear();
  for (const auto& turn : turns_) out_bytes_ -= turn->answer_bytes();
  turns_.clear();
}

void GrpcStream::finish_when_answered() {
  if (has_ended_ && line_.empty() && turns_.empty()) finish({});
}

// Whoever asks faster than it is answered waits: it cannot send more than it has room for.
void GrpcStream::give_room() {
  if (unacknowledged_ == 0 || !line_.empty() || !is_open()) return;
  nghttp2_session_consume_stream(http_, id_, std::exchange(unacknowledged_, 0));
}

// ---- the answer

void GrpcStream::send(std::string message) {
  if (!is_open()) return;
  out_bytes_ += message.size();
  push(std::move(message));
  respond();
}

void GrpcStream::push(std::string message) {
  if (out_.empty()) moved_ = Clock::now();
  out_.push_back({grpc_prefix(message.size()), std::move(message), 0});
}

void GrpcStream::finish(GrpcStatus status) {
  asked_bytes_ = 0;
  if (is_open()) {
    status_ = std::move(status);
    only_.reset();
    drop_turns();
    body_.drop();
    respond();
  }
  count_held();
}

void GrpcStream::respond() {
  count_held();
  if (is_answered_) {
    nghttp2_session_resume_data(http_, id_);
  } else if (out_.empty()) {
    with_status(first_headers(), [&](const std::vector<nghttp2_nv>& headers) {
      nghttp2_submit_response(http_, id_, headers.data(), headers.size(), nullptr);
    });
  } else {
    respond_with_body();
  }
  is_answered_ = true;
  on_output_();
}

void GrpcStream::respond_with_body() {
  nghttp2_data_provider data{};
  data.source.ptr = this;
  data.read_callback = [](nghttp2_session*, std::int32_t, std::uint8_t* to, std::size_t room,
                          std::uint32_t* flags, nghttp2_data_source* source, void*) {
    return static_cast<GrpcStream*>(source->ptr)->fill(to, room, *flags);
  };
  const std::vector<nghttp2_nv> headers = first_headers();
  nghttp2_submit_response(http_, id_, headers.data(), headers.size(), &data);
}

// A frame of the answer.
ssize_t GrpcStream::fill(std::uint8_t* to, std::size_t room, std::uint32_t& flags) {
  std::size_t filled = 0;
  while (!out_.empty() && filled < room) filled += fill_from(to + filled, room - filled);
  moved_ = Clock::now();
  begin_turns();
  give_room();
  count_held();
  if (!out_.empty()) return static_cast<ssize_t>(filled);
  if (status_) {
    flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    with_status({}, [&](const std::vector<nghttp2_nv>& headers) {
      nghttp2_submit_trailer(http_, id_, headers.data(), headers.size());
    });
  } else if (filled == 0) {
    return NGHTTP2_ERR_DEFERRED;
  }
  return static_cast<ssize_t>(filled);
}

std::size_t GrpcStream::fill_from(std::uint8_t* to, std::size_t room) {
  Message& message = out_.front();
  std::size_t filled = 0;
  if (message.sent < kGrpcPrefixBytes) {
    filled = std::min(room, kGrpcPrefixBytes - message.sent);
    std::memcpy(to, message.prefix.data() + message.sent, filled);
    message.sent += filled;
  }
  if (message.sent >= kGrpcPrefixBytes) {
    const std::size_t at = message.sent - kGrpcPrefixBytes;
    const std::size_t part = std::min(room - filled, message.text.size() - at);
    std::memcpy(to + filled, message.text.data() + at, part);
    message.sent += part;
    filled += part;
  }
  if (message.sent == kGrpcPrefixBytes + message.text.size()) {
    out_bytes_ -= message.text.size();
    out_.pop_front();
  }
  return filled;
}

template <class Submit>
void GrpcStream::with_status(std::vector<nghttp2_nv> headers, Submit submit) const {
  const std::string code = join(static_cast<int>(status_->code));
  const std::string text = percent_encoded(status_->text);
  headers.push_back(http2_header("grpc-status", code));
  if (!text.empty()) headers.push_back(http2_header("grpc-message", text));
  submit(headers);
}

void GrpcStream::refuse_http() {
  status_ = GrpcStatus{};
  is_answered_ = true;
  const nghttp2_nv unsupported = http2_header(":status", "415");
  nghttp2_submit_response(http_, id_, &unsupported, 1, nullptr);
  on_output_();
}

// ----

std::optional<Clock::time_point> GrpcStream::stands_since() const {
  if (out_.empty()) return std::nullopt;
  return moved_;
}

// What it asked goes on, and is held, until it is answered.
void GrpcStream::detach() {
  http_ = nullptr;
  body_.drop();
  only_.reset();
  drop_turns();
  out_.clear();
  out_bytes_ = 0;
  if (!has_ended_ || status_) asked_bytes_ = 0;
  count_held();
}

void GrpcStream::count_held() {
  const std::size_t now = body_.held_bytes() + asked_bytes_ + turn_bytes_ + out_bytes_;
  *all_held_ += now - held_;
  held_ = now;
}

}  // namespace mycel::serving
