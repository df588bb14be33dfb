// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/http_server.h"

#include <chrono>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include "platform/log/log.h"
#include "serving/gateway/accept_loop.h"

namespace mycel::serving {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

// A connection as the server knows it.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual void close_if_waiting() = 0;
  // When it last was of use: now, while the server owes it an answer.
  virtual Clock::time_point last_useful(Clock::time_point now) const = 0;
  virtual void close() = 0;
};

}  // namespace

struct HttpServer::State : std::enable_shared_from_this<HttpServer::State> {
  State(std::shared_ptr<asio::ssl::context> tls_context, HttpLimits own_limits, Handler own_handler,
        TooLarge own_too_large)
      : tls(std::move(tls_context)),
        limits(own_limits),
        handler(std::move(own_handler)),
        too_large(std::move(own_too_large)) {}

  void begin(tcp::socket socket);
  bool make_room();

  std::shared_ptr<asio::ssl::context> tls;
  const HttpLimits limits;
  const Handler handler;
  const TooLarge too_large;
  std::unordered_set<Connection*> connections;
  std::size_t held_bytes = 0;  // of bodies
  std::optional<AcceptLoop<tcp>> loop;
  std::uint16_t port = 0;
  bool is_stopped = false;
};

namespace {

template <class Stream>
beast::tcp_stream& lowest(Stream& stream) {
  return beast::get_lowest_layer(stream);
}

}  // namespace

namespace {

template <class Stream, class ServerState>
class HttpConnection : public Connection,
                       public std::enable_shared_from_this<HttpConnection<Stream, ServerState>> {
 public:
  HttpConnection(std::shared_ptr<ServerState> server, Stream stream)
      : server_(std::move(server)), stream_(std::move(stream)) {
    server_->connections.insert(this);
  }
  ~HttpConnection() override {
    hold(0);
    server_->connections.erase(this);
  }

  void begin() {
    if constexpr (kIsTls) {
      lowest(stream_).expires_after(server_->limits.header_time);
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](error_code error) {
                                if (!error) self->read_request();
                              });
    } else {
      read_request();
    }
  }

  void close_if_waiting() override {
    if (is_waiting_) lowest(stream_).cancel();
  }

  Clock::time_point last_useful(Clock::time_point now) const override {
    return is_in_work_ ? now : useful_;
  }

  void close() override {
    useful_ = Clock::time_point::max();  // it is closed once
    lowest(stream_).close();
  }

 private:
  static constexpr bool kIsTls = !std::is_same_v<Stream, beast::tcp_stream>;

  // An answer on its way.
  struct Sent {
    explicit Sent(HttpReply own_reply) : reply(std::move(own_reply)) {}

    HttpReply reply;
    http::response_serializer<http::string_body> serializer{reply};
    std::size_t bytes = 0;
  };

  void read_request() {
    if (server_->is_stopped) return finish();
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(server_->limits.most_header_bytes));
    parser_->body_limit(server_->limits.most_body_bytes);
    is_waiting_ = buffer_.size() == 0;
    // The first byte may take its time, what follows may not.
    if (!is_waiting_) return read_header();
    lowest(stream_).expires_after(server_->limits.idle_time);
    stream_.async_read_some(buffer_.prepare(kFirstBytes),
                            [self = this->shared_from_this()](error_code error, std::size_t size) {
                              self->is_waiting_ = false;
                              if (error) return self->finish();
                              self->buffer_.commit(size);
                              self->read_header();
                            });
  }

  void read_header() {
    lowest(stream_).expires_after(server_->limits.header_time);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = this->shared_from_this()](error_code error, std::size_t) {
                              if (error) return self->on_bad(error);
                              self->part_begin_ = Clock::now();
                              self->read_body();
                            });
  }

  void read_body() {
    const auto expectation = parser_->get()[http::field::expect];
    if (!parser_->is_done() && beast::iequals(expectation, "100-continue")) return send_continue();
    read_some_body();
  }

  void send_continue() {
    auto reply = std::make_shared<http::response<http::empty_body>>(http::status::continue_, 11);
    http::async_write(stream_, *reply,
                      [self = this->shared_from_this(), reply](error_code error, std::size_t) {
                        if (error) return self->finish();
                        self->read_some_body();
                      });
  }

  void read_some_body() {
    hold(parser_->get().body().size());
    if (is_too_much()) return refuse_body();
    if (parser_->is_done()) return handle();
    if (is_too_slow(held_bytes_)) return finish();
    lowest(stream_).expires_after(server_->limits.body_time);
    http::async_read_some(stream_, buffer_, *parser_,
                          [self = this->shared_from_this()](error_code error, std::size_t) {
                            if (error) return self->on_bad(error);
                            self->read_some_body();
                          });
  }

  // That so much of a body came, or went, since it began.
  bool is_too_slow(std::size_t bytes) const {
    const Clock::duration time = Clock::now() - part_begin_;
    const double least = std::chrono::duration<double>(time).count() *
                         static_cast<double>(server_->limits.least_body_rate);
    return time > server_->limits.body_time && static_cast<double>(bytes) < least;
  }

  // Small requests are taken whatever others hold.
  bool is_too_much() const {
    return held_bytes_ > server_->limits.small_body_bytes &&
           server_->held_bytes > server_->limits.most_held_bytes;
  }

  void hold(std::size_t bytes) {
    server_->held_bytes += bytes - held_bytes_;
    held_bytes_ = bytes;
  }

  void refuse_body() {
    parser_->get().body() = {};
    hold(0);
    is_unread_ = true;
    keep_alive_ = false;
    HttpReply reply(http::status::service_unavailable, 11);
    reply.set(http::field::content_type, "application/json");
    reply.set(http::field::retry_after, "1");
    reply.body() = "{\"error\":\"the requests of all clients are too large together\"}";
    write(std::move(reply));
  }

  // What is no HTTP, or too much of it, gets an answer and no second chance.
  void on_bad(error_code error) {
    is_unread_ = true;
    if (error == http::error::body_limit) {
      keep_alive_ = false;
      return write(server_->too_large(parser_->get(), server_->limits.most_body_bytes));
    }
    const bool is_ours =
        error.category() == http::make_error_code(http::error::bad_version).category();
    if (!is_ours || error == http::error::end_of_stream || error == http::error::partial_message)
      return finish();
    HttpReply reply(error == http::error::header_limit
                        ? http::status::request_header_fields_too_large
                        : http::status::bad_request,
                    11);
    reply.set(http::field::content_type, "application/json");
    reply.body() = "{\"error\":\"malformed HTTP request: " + error.message() + "\"}";
    keep_alive_ = false;
    write(std::move(reply));
  }

  void handle() {
    lowest(stream_).expires_never();
    is_in_work_ = true;
    HttpRequest request = parser_->release();
    keep_alive_ = request.keep_alive();
    is_head_ = request.method() == http::verb::head;
    version_ = request.version();
    server_->handler(std::move(request), [self = this->shared_from_this()](HttpReply reply) {
      self->write(std::move(reply));
    });
  }

  void write(HttpReply reply) {
    reply.version(version_);
    reply.keep_alive(keep_alive_ && !server_->is_stopped);
    reply.prepare_payload();
    if (is_head_) reply.body().clear();
    hold(0);
    is_in_work_ = false;
    part_begin_ = Clock::now();
    write_some(std::make_shared<Sent>(std::move(reply)));
  }

  void write_some(std::shared_ptr<Sent> sent) {
    useful_ = Clock::now();
    lowest(stream_).expires_after(server_->limits.body_time);
    http::async_write_some(
        stream_, sent->serializer,
        [self = this->shared_from_this(), sent](error_code error, std::size_t size) {
          sent->bytes += size;
          if (error) return self->finish();
          if (!sent->serializer.is_done())
            return self->is_too_slow(sent->bytes) ? self->finish() : self->write_some(sent);
          if (self->is_unread_) return self->linger();
          if (!sent->reply.keep_alive()) return self->finish();
          self->read_request();
        });
  }

  void finish() {
    error_code ignored;
    if constexpr (kIsTls) {
      lowest(stream_).expires_after(kCloseTime);
      stream_.async_shutdown([self = this->shared_from_this()](error_code) {});
    } else {
      lowest(stream_).socket().shutdown(tcp::socket::shutdown_send, ignored);
    }
  }

  // A connection that is closed while something lies there unread is reset, and the client may
  // lose the answer it was just sent.
  void linger() {
    if constexpr (kIsTls) {
      finish();
    } else {
      error_code ignored;
      stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
      stream_.expires_after(server_->limits.linger_time);
      discard();
    }
  }

  void discard() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kDiscardBytes),
                            [self = this->shared_from_this()](error_code error, std::size_t) {
                              if (!error) self->discard();
                            });
  }

  static constexpr std::size_t kFirstBytes = 4096;
  static constexpr std::size_t kDiscardBytes = 64 << 10;
  static constexpr std::chrono::seconds kCloseTime{5};

  std::shared_ptr<ServerState> server_;
  Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  unsigned version_ = 11;
  bool keep_alive_ = false;
  bool is_head_ = false;
  bool is_waiting_ = false;
  bool is_unread_ = false;   // it sent what nobody will read
  bool is_in_work_ = false;  // it asked, and has no answer yet
  std::size_t held_bytes_ = 0;
  Clock::time_point part_begin_;  // of a body, or of an answer
  Clock::time_point useful_ = Clock::now();
};

}  // namespace

void HttpServer::State::begin(tcp::socket socket) {
  if (connections.size() >= limits.most_connections && !make_room()) {
    platform::log_warning("serving: a connection was refused: there are ", limits.most_connections);
    return;
  }
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  if (tls == nullptr) {
    using Plain = HttpConnection<beast::tcp_stream, State>;
    return std::make_shared<Plain>(shared_from_this(), beast::tcp_stream(std::move(socket)))
        ->begin();
  }
  using Secure = HttpConnection<beast::ssl_stream<beast::tcp_stream>, State>;
  std::make_shared<Secure>(shared_from_this(), beast::ssl_stream<beast::tcp_stream>(
                                                   beast::tcp_stream(std::move(socket)), *tls))
      ->begin();
}

bool HttpServer::State::make_room() {
  Connection* const least = least_useful(connections, limits.least_silence);
  if (least == nullptr) return false;
  least->close();
  return true;
}

HttpServer::HttpServer(asio::io_context& context, const std::string& host, std::uint16_t port,
                       std::shared_ptr<asio::ssl::context> tls, HttpLimits limits, Handler handler,
                       TooLarge too_large)
    : state_(std::make_shared<State>(std::move(tls), limits, std::move(handler),
                                     std::move(too_large))) {
  tcp::acceptor acceptor(context);
  listen_at(acceptor, host, port);
  state_->port = acceptor.local_endpoint().port();
  // The loop is gone before the state is: ~HttpServer stops it.
  state_->loop.emplace(std::move(acceptor), [state = state_.get()](tcp::socket socket) {
    state->begin(std::move(socket));
  });
}

HttpServer::~HttpServer() { stop(); }

void HttpServer::stop() {
  if (std::exchange(state_->is_stopped, true)) return;
  state_->loop.reset();
  for (Connection* connection : state_->connections) connection->close_if_waiting();
}

std::size_t HttpServer::connections() const { return state_->connections.size(); }

std::uint16_t HttpServer::port() const { return state_->port; }

}  // namespace mycel::serving
