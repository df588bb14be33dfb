// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/http2.h"

namespace mycel::serving {

nghttp2_nv http2_header(std::string_view name, std::string_view value) {
  // The library takes what it only reads as something it might write.
  auto* name_bytes = reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data()));    // NOLINT
  auto* value_bytes = reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data()));  // NOLINT
  return {name_bytes, value_bytes, name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::ptrdiff_t http2_receive(nghttp2_session* session, std::string_view bytes) {
  return nghttp2_session_mem_recv(session, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                  bytes.size());
}

void http2_send(nghttp2_session* session, std::string& output) {
  constexpr std::size_t kWorthwhileBytes = 64 << 10;
  output.clear();
  while (output.size() < kWorthwhileBytes) {
    const std::uint8_t* part = nullptr;
    const auto length = nghttp2_session_mem_send(session, &part);
    if (length <= 0) return;
    output.append(http2_text(part, static_cast<std::size_t>(length)));
  }
}

}  // namespace mycel::serving
