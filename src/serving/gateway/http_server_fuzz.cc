// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: whatever a client may send to the REST port, in two pieces, and what of it is read
// as a request. README.md says how to build and run it.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <variant>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include "serving/gateway/classic_json.h"
#include "serving/gateway/classic_path.h"
#include "serving/gateway/http_server.h"
#include "serving/gateway/open_inference.h"

namespace {

using namespace mycel::serving;  // NOLINT: this file is about nothing else
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct Place {
  Place()
      : server(
            context, "127.0.0.1", 0, nullptr, limits(),
            [](HttpRequest request, const HttpServer::Respond& respond) {
              read_classic_path({request.target().data(), request.target().size()});
              read_classic_body(request.body());
              read_open_inference(request.body(), request.body().size());
              HttpReply reply(boost::beast::http::status::ok, 11);
              reply.body() = request.body();
              respond(std::move(reply));
            },
            [](const HttpRequest&, std::size_t) {
              return HttpReply(boost::beast::http::status::payload_too_large, 11);
            }) {}

  static HttpLimits limits() {
    HttpLimits limits;
    limits.most_body_bytes = 4096;
    limits.most_header_bytes = 1024;
    limits.linger_time = std::chrono::milliseconds(1);
    return limits;
  }

  asio::io_context context;
  HttpServer server;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static Place place;
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const std::string_view head = input.substr(0, size / 2);
  const std::string_view rest = input.substr(head.size());
  {
    error_code ignored;
    tcp::socket client(place.context);
    client.connect({asio::ip::make_address("127.0.0.1"), place.server.port()}, ignored);
    if (ignored) return 0;  // the fuzzer's own clock has interrupted it
    client.set_option(asio::socket_base::linger(true, 0));  // no port is kept for a minute
    for (const std::string_view part : {head, rest}) {
      asio::write(client, asio::buffer(part.data(), part.size()), ignored);
      place.context.poll();
    }
    client.shutdown(tcp::socket::shutdown_send, ignored);
    place.context.poll();
  }
  for (int i = 0; place.server.connections() > 0; ++i) {
    place.context.poll();
    if (i > 10'000'000) std::abort();  // a connection that is gone is kept
  }
  return 0;
}
