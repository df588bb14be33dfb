// SPDX-License-Identifier: Apache-2.0
// What both ends of HTTP/2 need of the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nghttp2/nghttp2.h>

namespace mycel::serving {

// Name and value have to live until the header is submitted.
nghttp2_nv http2_header(std::string_view name, std::string_view value);

inline std::string_view http2_text(const std::uint8_t* bytes, std::size_t length) {
  return {reinterpret_cast<const char*>(bytes), length};
}

// As nghttp2_session_mem_recv: bytes taken, or what is wrong.
std::ptrdiff_t http2_receive(nghttp2_session* session, std::string_view bytes);

// The next bytes to send, as many as are worth a write, in place of what `output` was.
void http2_send(nghttp2_session* session, std::string& output);

}  // namespace mycel::serving
