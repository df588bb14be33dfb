// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/grpc_server.h"

#include <array>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <openssl/ssl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "platform/error/error.h"
#include "platform/log/log.h"
#include "serving/gateway/accept_loop.h"
#include "serving/gateway/grpc_connection.h"

namespace mycel::serving {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using platform::ErrorKind;
using Local = asio::local::stream_protocol;

constexpr std::chrono::seconds kLookEvery{1};
// Application protocols of TLS, each after its length.
constexpr std::array<unsigned char, 3> kHttp2 = {2, 'h', '2'};

int choose_http2(SSL* /*ssl*/, const unsigned char** out, unsigned char* out_length,
                 const unsigned char* offered, unsigned offered_length, void* /*unused*/) {
  unsigned char* chosen = nullptr;
  const int found = SSL_select_next_proto(&chosen, out_length, kHttp2.data(), kHttp2.size(),
                                          offered, offered_length);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// A socket file that nobody listens at. Whatever else is there stays, and the bind says so.
void remove_left_socket(asio::io_context& context, const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode)) return;
  error_code error;
  Local::socket probe(context);
  probe.connect(Local::endpoint(path), error);
  if (error == asio::error::connection_refused) unlink(path.c_str());
}

}  // namespace

struct GrpcServer::State : ConnectionHost, std::enable_shared_from_this<GrpcServer::State> {
  State(asio::io_context& own_context, std::shared_ptr<asio::ssl::context> own_tls,
        const GrpcMethods& methods, GrpcServerLimits own_limits)
      : context(own_context),
        tls(std::move(own_tls)),
        all_limits(own_limits),
        common{methods, all_limits.calls},
        timer(own_context) {}

  const GrpcServerLimits& limits() const override { return all_limits; }
  GrpcShared& shared() override { return common; }
  void add(OpenConnection& connection) override { open.insert(&connection); }
  void remove(OpenConnection& connection) override { open.erase(&connection); }
  void tell_closed(std::string_view why) override;

  void listen(const Address& address);
  template <class Socket>
  void begin(Socket socket);
  bool make_room();
  void look();
  std::vector<OpenConnection*> all() const { return {open.begin(), open.end()}; }

  asio::io_context& context;
  const std::shared_ptr<asio::ssl::context> tls;
  const GrpcServerLimits all_limits;
  GrpcShared common;
  asio::steady_timer timer;
  std::optional<AcceptLoop<tcp>> tcp_loop;
  std::optional<AcceptLoop<Local>> local_loop;
  std::string socket_file;
  std::uint16_t port = 0;
  std::unordered_set<OpenConnection*> open;
  std::size_t untold = 0;
  Clock::time_point told;
};

// Attacks are many connections: one line a second is enough.
void GrpcServer::State::tell_closed(std::string_view why) {
  ++untold;
  const Clock::time_point now = Clock::now();
  if (now - told < kLookEvery) return;
  platform::log_warning("serving: a gRPC connection was closed: ", why, " (", untold,
                        " since this was last said)");
  told = now;
  untold = 0;
}

void GrpcServer::State::listen(const Address& address) {
  error_code error;
  if (address.is_local_socket) {
    platform::require(address.host.size() < sizeof(sockaddr_un::sun_path), ErrorKind::Runtime,
                      "the path of the socket, ", address.host,
                      ", is too long: ", sizeof(sockaddr_un::sun_path) - 1, " bytes at most");
    remove_left_socket(context, address.host);
    Local::acceptor acceptor(context);
    acceptor.open(Local(), error);
    if (!error) acceptor.bind(Local::endpoint(address.host), error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    platform::require(!error, ErrorKind::Runtime, "bind to the socket ", address.host,
                      " failed: ", error.message());
    socket_file = address.host;
    local_loop.emplace(std::move(acceptor),
                       [this](Local::socket socket) { begin(std::move(socket)); });
  } else {
    tcp::acceptor acceptor(context);
    listen_at(acceptor, address.host, address.port);
    port = acceptor.local_endpoint().port();
    tcp_loop.emplace(std::move(acceptor), [this](tcp::socket socket) {
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      begin(std::move(socket));
    });
  }
  look();
}

template <class Socket>
void GrpcServer::State::begin(Socket socket) {
  if (open.size() >= all_limits.most_connections && !make_room())
    return tell_closed("there are too many");
  if (tls == nullptr)
    return std::make_shared<GrpcConnection<Socket>>(shared_from_this(), std::move(socket))->begin();
  using Secure = asio::ssl::stream<Socket>;
  std::make_shared<GrpcConnection<Secure>>(shared_from_this(), Secure(std::move(socket), *tls))
      ->begin();
}

bool GrpcServer::State::make_room() {
  OpenConnection* const least = least_useful(open, all_limits.least_silence);
  if (least == nullptr) return false;
  tell_closed("it asked nothing, and others wait");
  least->close();
  return true;
}

void GrpcServer::State::look() {
  const Clock::time_point now = Clock::now();
  for (OpenConnection* connection : all()) {
    const auto why = connection->look(now);
    if (!why) continue;
    tell_closed(*why);
    connection->close();
  }
  timer.expires_after(kLookEvery);
  timer.async_wait([weak = weak_from_this()](error_code error) {
    const std::shared_ptr<State> self = weak.lock();
    if (self != nullptr && !error) self->look();
  });
}

GrpcServer::GrpcServer(asio::io_context& context, const Address& address,
                       std::shared_ptr<asio::ssl::context> tls, const GrpcMethods& methods,
                       GrpcServerLimits limits) {
  if (tls != nullptr) SSL_CTX_set_alpn_select_cb(tls->native_handle(), choose_http2, nullptr);
  state_ = std::make_shared<State>(context, std::move(tls), methods, limits);
  state_->listen(address);
}

GrpcServer::~GrpcServer() {
  close_port();
  state_->timer.cancel();
  for (OpenConnection* connection : state_->all()) connection->close();
}

void GrpcServer::close_port() {
  state_->tcp_loop.reset();
  if (!state_->local_loop) return;
  state_->local_loop.reset();
  unlink(state_->socket_file.c_str());
}

void GrpcServer::go_away() {
  for (OpenConnection* connection : state_->all()) connection->go_away();
}

std::size_t GrpcServer::connections() const { return state_->open.size(); }

std::uint16_t GrpcServer::port() const { return state_->port; }

}  // namespace mycel::serving
