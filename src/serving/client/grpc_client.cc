// SPDX-License-Identifier: Apache-2.0
#include "serving/client/grpc_client.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "platform/error/error.h"
#include "serving/gateway/http2.h"

namespace mycel::serving {
namespace {

constexpr std::size_t kMostReplyBytes = std::numeric_limits<std::uint32_t>::max();

}  // namespace

struct GrpcClient::Call {
  std::string body;
  std::size_t sent = 0;
  bool is_last = true;  // the body is all there will be
  GrpcBody received{kMostReplyBytes};
  GrpcReply reply;
  Done done;

  ssize_t fill(std::uint8_t* to, std::size_t room, std::uint32_t& flags) {
    const std::size_t part = std::min(room, body.size() - sent);
    std::memcpy(to, body.data() + sent, part);
    sent += part;
    if (sent < body.size()) return static_cast<ssize_t>(part);
    if (is_last) {
      flags |= NGHTTP2_DATA_FLAG_EOF;
    } else if (part == 0) {
      return NGHTTP2_ERR_DEFERRED;
    }
    return static_cast<ssize_t>(part);
  }

  void add_header(std::string_view name, std::string_view value) {
    const std::string text(value);
    if (name == ":status") reply.http_status = std::atoi(text.c_str());
    if (name == "grpc-status") reply.status = std::atoi(text.c_str());
    if (name == "grpc-message") reply.text = text;
  }
};

struct GrpcClient::Callbacks {
  static Call* call_of(void* own, std::int32_t id) {
    auto& calls = static_cast<GrpcClient*>(own)->calls_;
    const auto found = calls.find(id);
    return found == calls.end() ? nullptr : found->second.get();
  }

  static int on_header(nghttp2_session* /*http*/, const nghttp2_frame* frame,
                       const std::uint8_t* name, std::size_t name_length, const std::uint8_t* value,
                       std::size_t value_length, std::uint8_t /*flags*/, void* own) {
    if (Call* call = call_of(own, frame->hd.stream_id))
      call->add_header(http2_text(name, name_length), http2_text(value, value_length));
    return 0;
  }

  static int on_data(nghttp2_session* /*http*/, std::uint8_t /*flags*/, std::int32_t id,
                     const std::uint8_t* bytes, std::size_t length, void* own) {
    Call* call = call_of(own, id);
    if (call == nullptr) return 0;
    const auto wrong = call->received.read(http2_text(bytes, length), [call](std::string message) {
      call->reply.messages.push_back(std::move(message));
    });
    return wrong ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
  }

  static int on_frame(nghttp2_session* /*http*/, const nghttp2_frame* frame, void* own) {
    if (frame->hd.type == NGHTTP2_GOAWAY) static_cast<GrpcClient*>(own)->is_told_to_go_ = true;
    return 0;
  }

  static int on_close(nghttp2_session* /*http*/, std::int32_t id, std::uint32_t /*code*/,
                      void* own) {
    auto& calls = static_cast<GrpcClient*>(own)->calls_;
    const auto found = calls.find(id);
    if (found == calls.end()) return 0;
    const std::unique_ptr<Call> call = std::move(found->second);
    calls.erase(found);
    call->done(std::move(call->reply));
    return 0;
  }
};

GrpcClient::GrpcClient() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, Callbacks::on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Callbacks::on_data);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Callbacks::on_frame);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Callbacks::on_close);
  nghttp2_session_client_new(&session_, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
}

// Callers of calls that are open are told.
GrpcClient::~GrpcClient() {
  const auto calls = std::exchange(calls_, {});
  for (const auto& [id, call] : calls) call->done(std::move(call->reply));
  nghttp2_session_del(session_);
}

std::int32_t GrpcClient::ask(const std::string& path, std::string_view message, Done done,
                             const Headers& more) {
  const auto prefix = grpc_prefix(message.size());
  std::string body(prefix.data(), prefix.size());
  body += message;
  return ask_bytes(path, std::move(body), true, std::move(done), more);
}

std::int32_t GrpcClient::ask_bytes(const std::string& path, std::string body, bool is_last,
                                   Done done, const Headers& more) {
  auto call = std::make_unique<Call>();
  call->body = std::move(body);
  call->is_last = is_last;
  call->done = std::move(done);
  std::vector<nghttp2_nv> headers = {
      http2_header(":method", "POST"), http2_header(":scheme", "http"),
      http2_header(":path", path),     http2_header(":authority", "localhost"),
      http2_header("te", "trailers"),  http2_header("content-type", "application/grpc"),
  };
  for (const auto& [name, value] : more) headers.push_back(http2_header(name, value));
  nghttp2_data_provider data{};
  data.source.ptr = call.get();
  data.read_callback = [](nghttp2_session*, std::int32_t, std::uint8_t* to, std::size_t room,
                          std::uint32_t* flags, nghttp2_data_source* source, void*) {
    return static_cast<Call*>(source->ptr)->fill(to, room, *flags);
  };
  const std::int32_t id =
      nghttp2_submit_request(session_, nullptr, headers.data(), headers.size(), &data, nullptr);
  platform::require(id > 0, platform::ErrorKind::Runtime,
                    "no call can be made: ", nghttp2_strerror(id));
  calls_[id] = std::move(call);
  return id;
}

void GrpcClient::cancel(std::int32_t call) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, call, NGHTTP2_CANCEL);
}

bool GrpcClient::receive(std::string_view bytes) { return http2_receive(session_, bytes) >= 0; }

std::string_view GrpcClient::output() {
  http2_send(session_, output_);
  return output_;
}

}  // namespace mycel::serving
