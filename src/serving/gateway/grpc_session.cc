// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/grpc_session.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nghttp2/nghttp2.h>

#include "platform/error/error.h"
#include "serving/gateway/grpc_stream.h"
#include "serving/gateway/http2.h"

namespace mycel::serving {
namespace {

constexpr std::int32_t kConnectionWindow = 16 << 20;
constexpr std::uint32_t kCallWindow = 4 << 20;
constexpr std::size_t kMostSettings = 32;
constexpr std::size_t kMostAcknowledgements = 1000;
constexpr std::uint64_t kManyResets = 1'000'000;
// Data that is worth the work of a frame, and what an answer is worth: a client asks with a few
// frames, and acknowledges what it gets with a few.
constexpr double kBytesOfFrame = 256;
constexpr double kFramesOfAnswer = 16;

struct OptionDeleter {
  void operator()(nghttp2_option* option) const { nghttp2_option_del(option); }
};
struct CallbacksDeleter {
  void operator()(nghttp2_session_callbacks* callbacks) const {
    nghttp2_session_callbacks_del(callbacks);
  }
};

}  // namespace

struct GrpcSession::Callbacks {
  static GrpcSession& self(void* own) { return *static_cast<GrpcSession*>(own); }

  static GrpcStream* call_of(GrpcSession& session, std::int32_t id) {
    const auto found = session.calls_.find(id);
    return found == session.calls_.end() ? nullptr : found->second.get();
  }

  static int on_begin_frame(nghttp2_session* /*http*/, const nghttp2_frame_hd* head, void* own) {
    GrpcSession& session = self(own);
    const double worth = head->type == NGHTTP2_DATA
                             ? std::min(static_cast<double>(head->length) / kBytesOfFrame, 1.0)
                             : 0;
    session.frames_left_ -= 1 - worth;
    if (session.frames_left_ >= 0) return 0;
    session.trouble_ = "more frames than requests that are answered";
    return NGHTTP2_ERR_CALLBACK_FAILURE;
  }

  static int on_begin_headers(nghttp2_session* /*http*/, const nghttp2_frame* frame, void* own) {
    GrpcSession& session = self(own);
    session.is_in_headers_ = true;
    session.headers_begin_ = Clock::now();
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    const std::int32_t id = frame->hd.stream_id;
    session.calls_[id] =
        std::make_shared<GrpcStream>(session.session_, id, session.shared_, session.on_output_);
    return 0;
  }

  static int on_header(nghttp2_session* /*http*/, const nghttp2_frame* frame,
                       const std::uint8_t* name, std::size_t name_length, const std::uint8_t* value,
                       std::size_t value_length, std::uint8_t /*flags*/, void* own) {
    GrpcStream* call = call_of(self(own), frame->hd.stream_id);
    const bool is_taken = call == nullptr || call->add_header(http2_text(name, name_length),
                                                              http2_text(value, value_length));
    return is_taken ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }

  static int on_frame(nghttp2_session* /*http*/, const nghttp2_frame* frame, void* own) {
    GrpcSession& session = self(own);
    session.has_begun_ = true;
    if (frame->hd.type == NGHTTP2_HEADERS) session.is_in_headers_ = false;
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    GrpcStream* call = call_of(session, frame->hd.stream_id);
    if (call == nullptr) return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
      call->end_of_headers();
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      session.useful_ = session.heard_;
      call->end_of_requests();
    }
    return 0;
  }

  static int on_data(nghttp2_session* http, std::uint8_t /*flags*/, std::int32_t id,
                     const std::uint8_t* bytes, std::size_t length, void* own) {
    // Calls give back their own room, when they have use for more; none keeps others waiting.
    nghttp2_session_consume_connection(http, length);
    GrpcSession& session = self(own);
    GrpcStream* call = call_of(session, id);
    // A message of many is worth the frame it came with: it waits for its turn, and is answered.
    if (call != nullptr && call->receive(http2_text(bytes, length))) session.earn_frames(1);
    return 0;
  }

  static int on_close(nghttp2_session* /*http*/, std::int32_t id, std::uint32_t /*code*/,
                      void* own) {
    GrpcSession& session = self(own);
    const auto found = session.calls_.find(id);
    if (found == session.calls_.end()) return 0;
    found->second->detach();
    session.calls_.erase(found);
    session.is_in_headers_ = false;
    return 0;
  }

  static int on_sent(nghttp2_session* http, const nghttp2_frame* frame, void* own) {
    GrpcSession& session = self(own);
    const bool is_data = frame->hd.type == NGHTTP2_DATA;
    if (!is_data && frame->hd.type != NGHTTP2_HEADERS) return 0;
    session.useful_ = Clock::now();
    session.earn_frames(kFramesOfAnswer);
    // Whoever is answered before it has sent all need not send the rest.
    const GrpcStream* call = call_of(session, frame->hd.stream_id);
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 && call != nullptr && !call->has_ended())
      nghttp2_submit_rst_stream(http, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
    return 0;
  }
};

GrpcSession::GrpcSession(GrpcShared& shared, std::function<void()> on_output)
    : shared_(shared),
      on_output_(std::move(on_output)),
      frames_left_(shared.limits.most_frames_ahead) {
  nghttp2_session_callbacks* made = nullptr;
  nghttp2_option* option = nullptr;
  const bool is_made =
      nghttp2_session_callbacks_new(&made) == 0 && nghttp2_option_new(&option) == 0;
  const std::unique_ptr<nghttp2_session_callbacks, CallbacksDeleter> callbacks(made);
  const std::unique_ptr<nghttp2_option, OptionDeleter> options(option);
  platform::require(is_made, platform::ErrorKind::Memory, "no memory is left for a connection");
  nghttp2_session_callbacks_set_on_begin_frame_callback(made, Callbacks::on_begin_frame);
  nghttp2_session_callbacks_set_on_begin_headers_callback(made, Callbacks::on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(made, Callbacks::on_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(made, Callbacks::on_frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, Callbacks::on_data);
  nghttp2_session_callbacks_set_on_stream_close_callback(made, Callbacks::on_close);
  nghttp2_session_callbacks_set_on_frame_send_callback(made, Callbacks::on_sent);
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_max_settings(option, kMostSettings);
  nghttp2_option_set_max_outbound_ack(option, kMostAcknowledgements);
  // Calls taken back are counted with all other frames: of many that are answered, some may be.
  nghttp2_option_set_stream_reset_rate_limit(option, kManyResets, kManyResets);
  platform::require(nghttp2_session_server_new2(&session_, made, this, option) == 0,
                    platform::ErrorKind::Memory, "no memory is left for a connection");
  const std::array<nghttp2_settings_entry, 3> settings{{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, shared.limits.most_calls},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kCallWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, shared.limits.most_header_bytes},
  }};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

GrpcSession::~GrpcSession() {
  for (const auto& [id, call] : calls_) call->detach();
  nghttp2_session_del(session_);
}

std::optional<std::string_view> GrpcSession::receive(std::string_view bytes) {
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> since = now - std::exchange(heard_, now);
  earn_frames(since.count() * shared_.limits.frames_per_second);
  const auto taken = http2_receive(session_, bytes);
  if (taken >= 0) return std::nullopt;
  return trouble_.empty() ? std::string_view(nghttp2_strerror(static_cast<int>(taken))) : trouble_;
}

void GrpcSession::earn_frames(double count) {
  frames_left_ = std::min(shared_.limits.most_frames_ahead, frames_left_ + count);
}

std::string_view GrpcSession::output() {
  http2_send(session_, output_);
  return output_;
}

void GrpcSession::go_away() {
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                        nullptr, 0);
  on_output_();
}

bool GrpcSession::is_over() const {
  return nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
}

std::optional<std::string_view> GrpcSession::look(Clock::time_point now) {
  const GrpcLimits& limits = shared_.limits;
  if (!has_begun_ && now - begin_ > limits.begin_time) return "it does not begin as HTTP/2 does";
  if (is_in_headers_ && now - headers_begin_ > limits.header_time)
    return "the headers of a call take too long";
  if (calls_.empty() && now - useful_ > limits.idle_time) return "it asks nothing";
  for (const auto& [id, call] : calls_) {
    const auto since = call->stands_since();
    if (since && now - *since > limits.write_time) return kTakesNothing;
    if (call->deadline() < now)
      call->finish({GrpcCode::DeadlineExceeded, "the request's deadline passed"});
  }
  return std::nullopt;
}

Clock::time_point GrpcSession::last_useful(Clock::time_point now) const {
  const bool is_in_work = std::any_of(calls_.begin(), calls_.end(),
                                      [](const auto& call) { return call.second->is_in_work(); });
  return is_in_work ? now : useful_;
}

}  // namespace mycel::serving
