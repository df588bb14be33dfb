// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include "serving/gateway/grpc_server.h"

namespace mycel::serving {

// A connection as its server knows it.
class OpenConnection {
 public:
  virtual ~OpenConnection() = default;
  virtual void close() = 0;
  virtual void go_away() = 0;
  // From time to time. The reason why it is to be closed, when something should be over by now.
  virtual std::optional<std::string_view> look(Clock::time_point now) = 0;
  virtual Clock::time_point last_useful(Clock::time_point now) const = 0;
};

// A server as its connections know it.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  virtual const GrpcServerLimits& limits() const = 0;
  virtual GrpcShared& shared() = 0;
  virtual void add(OpenConnection& connection) = 0;
  virtual void remove(OpenConnection& connection) = 0;
  virtual void tell_closed(std::string_view why) = 0;
};

template <class Stream>
inline constexpr bool kIsTls = false;
template <class Socket>
inline constexpr bool kIsTls<boost::asio::ssl::stream<Socket>> = true;

// Between a socket, or TLS on one, and the session.
template <class Stream>
class GrpcConnection : public OpenConnection,
                       public std::enable_shared_from_this<GrpcConnection<Stream>> {
 public:
  GrpcConnection(std::shared_ptr<ConnectionHost> host, Stream stream)
      : host_(std::move(host)),
        stream_(std::move(stream)),
        session_(host_->shared(), [this] { write_soon(); }) {
    host_->add(*this);
  }
  ~GrpcConnection() override { host_->remove(*this); }

  void begin() {
    Error ignored;
    stream_.lowest_layer().non_blocking(true, ignored);
    if constexpr (kIsTls<Stream>) {
      stream_.async_handshake(boost::asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](Error error) {
                                if (!error) self->open();
                              });
    } else {
      open();
    }
  }

  void close() override {
    Error ignored;
    stream_.lowest_layer().close(ignored);
    host_->remove(*this);
  }

  void go_away() override { session_.go_away(); }

  std::optional<std::string_view> look(Clock::time_point now) override {
    if (!is_open_ && now - begin_ > host_->limits().handshake_time)
      return "its handshake takes too long";
    if (is_writing_ && now - write_begin_ > host_->limits().calls.write_time) return kTakesNothing;
    return session_.look(now);
  }

  Clock::time_point last_useful(Clock::time_point now) const override {
    return session_.last_useful(now);
  }

 private:
  using Error = boost::system::error_code;

  static constexpr std::size_t kBufferBytes = 16 << 10;

  void open() {
    is_open_ = true;
    write();
    read();
  }

  void read() {
    stream_.async_read_some(boost::asio::buffer(input_),
                            [self = this->shared_from_this()](Error error, std::size_t size) {
                              if (error) return self->close();
                              self->on_input({self->input_.data(), size});
                            });
  }

  void on_input(std::string_view bytes) {
    trouble_ = session_.receive(bytes);
    write();
    if (!trouble_) return read();
    host_->tell_closed(*trouble_);
    if (!is_writing_) close();
  }

  // Answers that are ready at the same time go out together.
  void write_soon() {
    if (std::exchange(is_write_due_, true)) return;
    boost::asio::post(stream_.get_executor(), [weak = this->weak_from_this()] {
      if (const auto self = weak.lock()) self->write();
    });
  }

  void write() {
    is_write_due_ = false;
    if (!is_open_) return;
    while (!is_writing_) {
      std::string_view bytes = session_.output();
      if (bytes.empty()) {
        if (trouble_ || session_.is_over()) finish();
        return;
      }
      // Most of the time the socket has room for all of it, and nobody has to be waited for.
      if constexpr (!kIsTls<Stream>) {
        Error error;
        bytes.remove_prefix(
            stream_.write_some(boost::asio::buffer(bytes.data(), bytes.size()), error));
        if (error && error != boost::asio::error::would_block) return close();
        if (bytes.empty()) continue;
      }
      write_rest(bytes);
    }
  }

  void write_rest(std::string_view bytes) {
    is_writing_ = true;
    write_begin_ = Clock::now();
    boost::asio::async_write(stream_, boost::asio::buffer(bytes.data(), bytes.size()),
                             [self = this->shared_from_this()](Error error, std::size_t) {
                               self->is_writing_ = false;
                               if (error) return self->close();
                               self->write();
                             });
  }

  void finish() {
    if (std::exchange(is_finished_, true)) return;
    if constexpr (kIsTls<Stream>) {
      stream_.async_shutdown([self = this->shared_from_this()](Error) { self->close(); });
    } else {
      close();
    }
  }

  std::shared_ptr<ConnectionHost> host_;
  Stream stream_;
  GrpcSession session_;
  std::array<char, kBufferBytes> input_;
  std::optional<std::string_view> trouble_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point write_begin_;
  bool is_open_ = false, is_writing_ = false, is_write_due_ = false, is_finished_ = false;
};

}  // namespace mycel::serving
