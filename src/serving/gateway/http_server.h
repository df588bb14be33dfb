// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

namespace mycel::serving {

using HttpRequest = boost::beast::http::request<boost::beast::http::string_body>;
using HttpReply = boost::beast::http::response<boost::beast::http::string_body>;

struct HttpLimits {
  std::size_t most_body_bytes = std::size_t{100} << 20;
  std::size_t most_header_bytes = 16 << 10;
  // Of bodies that are not answered, of all connections together; small ones do not count.
  std::size_t most_held_bytes = std::size_t{1} << 30;
  std::size_t small_body_bytes = 64 << 10;
  std::size_t most_connections = 4096;
  // When there is no room, the connection that has asked nothing for longest, and so long, makes
  // it.
  std::chrono::milliseconds least_silence{1'000};
  std::chrono::milliseconds header_time{
      10'000};  // from the first byte of a request to its last header
  std::chrono::milliseconds body_time{60'000};  // without a byte of progress
  // After body_time, bodies that come or are taken slower than that are given up.
  std::size_t least_body_rate = 1024;            // bytes per second
  std::chrono::milliseconds idle_time{75'000};   // between two requests
  std::chrono::milliseconds linger_time{2'000};  // for the rest of what was refused
};

// An HTTP/1.1 server on the thread of its io_context. One request of a connection is answered
// before the next is read. Whatever comes is bounded in size and time.
class HttpServer {
 public:
  // Answers now or later, once, on the thread of the io_context.
  using Respond = std::function<void(HttpReply)>;
  using Handler = std::function<void(HttpRequest, Respond)>;
  // What is said to a body over the limit. Of the request there is all but the body.
  using TooLarge = std::function<HttpReply(const HttpRequest& request, std::size_t limit)>;

  // RuntimeError naming the address when it cannot be listened to. Without `tls`: plain HTTP.
  HttpServer(boost::asio::io_context& context, const std::string& host, std::uint16_t port,
             std::shared_ptr<boost::asio::ssl::context> tls, HttpLimits limits, Handler handler,
             TooLarge too_large);
  ~HttpServer();

  // Takes no more connections, closes those that wait for a request; requests under way are
  // answered.
  void stop();
  std::size_t connections() const;
  std::uint16_t port() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace mycel::serving
