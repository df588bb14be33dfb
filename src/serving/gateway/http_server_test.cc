// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/http_server.h"

#include <future>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/error/error.h"

namespace mycel::serving {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using testing::HasSubstr;
using testing::StartsWith;
using std::chrono_literals::operator""ms;

// Answers with the verb, the target and the body. "/later" is answered when the test says so.
class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() {
    limits_.most_body_bytes = 1000;
    limits_.most_header_bytes = 1000;
    limits_.header_time = 100ms;
    limits_.body_time = 100ms;
    limits_.idle_time = 10'000ms;
    limits_.linger_time = 200ms;
  }
  template <class Work>
  auto on_server(Work work_to_do) {
    std::packaged_task<decltype(work_to_do())()> task(std::move(work_to_do));
    auto result = task.get_future();
    asio::post(context_, [&task] { task(); });
    return result.get();
  }

  ~HttpServerTest() override {
    if (!thread_.joinable()) return;
    on_server([this] {
      later_.clear();
      server_.reset();
    });
    work_.reset();
    context_.stop();
    thread_.join();
  }

  void start() {
    const auto handle = [this](HttpRequest request, HttpServer::Respond respond) {
      HttpReply reply(http::status::ok, 11);
      reply.body() = std::string(request.method_string()) + " " + std::string(request.target()) +
                     " " + request.body();
      if (request.target() == "/later") {
        later_.push_back([respond, reply] { respond(reply); });
        arrived_.set_value();
        return;
      }
      respond(reply);
    };
    const auto too_large = [](const HttpRequest& /*request*/, std::size_t limit) {
      HttpReply reply(http::status::payload_too_large, 11);
      reply.body() = "bigger than " + std::to_string(limit);
      return reply;
    };
    server_ =
        std::make_unique<HttpServer>(context_, "127.0.0.1", 0, nullptr, limits_, handle, too_large);
    port_ = server_->port();
    thread_ = std::thread([this] { context_.run(); });
  }

  // A client of the server.
  class Client {
   public:
    explicit Client(std::uint16_t port) : socket_(context_) {
      socket_.connect({asio::ip::make_address("127.0.0.1"), port});
    }
    void send(std::string_view text) {
      error_code ignored;
      asio::write(socket_, asio::buffer(text.data(), text.size()), ignored);
    }
    void end_of_requests() { socket_.shutdown(tcp::socket::shutdown_send); }
    // One answer: its head, and as many bytes as it says.
    std::string answer() {
      while (text_.find("\r\n\r\n") == text_.npos)
        if (!more()) return std::exchange(text_, "");
      const std::size_t head = text_.find("\r\n\r\n") + 4;
      const std::size_t length = text_.find("Content-Length: ");
      const std::size_t size = length < head ? std::stoul(text_.substr(length + 16)) : 0;
      while (text_.size() < head + size)
        if (!more()) break;
      std::string own = text_.substr(0, head + size);
      text_.erase(0, own.size());
      return own;
    }
    // So many bytes, or all until the server closes.
    std::size_t take(std::size_t bytes) {
      std::string to(bytes, 0);
      error_code ignored;
      return asio::read(socket_, asio::buffer(to), ignored);
    }
    // Everything until the server closes.
    std::string rest() {
      while (more()) continue;
      return std::exchange(text_, "");
    }

   private:
    bool more() {
      char part[4096];
      error_code error;
      const std::size_t size = socket_.read_some(asio::buffer(part), error);
      text_.append(part, size);
      return !error;
    }
    asio::io_context context_;
    tcp::socket socket_;
    std::string text_;
  };

  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{context_.get_executor()};
  HttpLimits limits_;
  std::unique_ptr<HttpServer> server_;
  std::vector<std::function<void()>> later_;
  std::promise<void> arrived_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

TEST_F(HttpServerTest, AddressThatIsTakenIsTold) {
  start();
  try {
    HttpServer other(context_, "127.0.0.1", port_, nullptr, limits_, {}, {});
    FAIL() << "it listens";
  } catch (const platform::Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("127.0.0.1:" + std::to_string(port_)));
  }
  EXPECT_THROW(HttpServer(context_, "no.such.host.invalid", 1, nullptr, limits_, {}, {}),
               platform::Error);
}

TEST_F(HttpServerTest, MalformedRequestsAreAnsweredAndClosed) {
  start();
  for (const std::string_view text :
       {"nonsense\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01", "GET  / HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"}) {
    Client client(port_);
    client.send(text);
    EXPECT_THAT(client.rest(), testing::AnyOf(StartsWith("HTTP/1.1 400 "), testing::IsEmpty()))
        << text;
  }
  Client client(port_);
  client.send("GET /still/there HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.answer(), HasSubstr("GET /still/there"));
}

TEST_F(HttpServerTest, OversizedHeadIsRefused) {
  start();
  Client client(port_);
  client.send("GET / HTTP/1.1\r\nX: " + std::string(2000, 'x') + "\r\n\r\n");
  EXPECT_THAT(client.rest(), StartsWith("HTTP/1.1 431 "));
}

// The client is told even though it is still sending.
TEST_F(HttpServerTest, OversizedBodyIsRefused) {
  start();
  Client client(port_);
  client.send("POST / HTTP/1.1\r\nContent-Length: 3000000\r\n\r\n");
  client.send(std::string(3'000'000, 'x'));
  const std::string answer = client.rest();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(answer, HasSubstr("bigger than 1000"));
}

TEST_F(HttpServerTest, OversizedChunksAreRefused) {
  start();
  Client client(port_);
  client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 3; ++i) client.send("1f4\r\n" + std::string(500, 'x') + "\r\n");
  EXPECT_THAT(client.rest(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, ExpectingTooMuchIsRefusedBeforeItIsSent) {
  start();
  Client client(port_);
  client.send("POST / HTTP/1.1\r\nContent-Length: 2000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(client.answer(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, SlowHeadIsCutOff) {
  start();
  Client client(port_);
  client.send("GET / HTTP/1.1\r\nX: ");
  EXPECT_EQ(client.rest(), "");
}

// A byte now and then is no progress either.
TEST_F(HttpServerTest, HeadThatDripsIsCutOff) {
  start();
  Client client(port_);
  std::thread drip([&] {
    for (int i = 0; i < 50; ++i) {
      client.send("x");
      std::this_thread::sleep_for(10ms);
    }
  });
  const auto begin = std::chrono::steady_clock::now();
  client.rest();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5000ms);
  drip.join();
}

TEST_F(HttpServerTest, SlowBodyIsCutOff) {
  start();
  Client client(port_);
  client.send("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(client.rest(), "");
}

TEST_F(HttpServerTest, BodyThatDripsIsCutOff) {
  limits_.least_body_rate = 500;
  start();
  Client client(port_);
  client.send("POST / HTTP/1.1\r\nContent-Length: 1000\r\n\r\n");
  std::thread drip([&] {
    for (int i = 0; i < 100; ++i) {
      client.send("x");
      std::this_thread::sleep_for(10ms);
    }
  });
  EXPECT_EQ(client.rest(), "");
  drip.join();
}

TEST_F(HttpServerTest, IdleConnectionIsClosed) {
  limits_.idle_time = 50ms;
  start();
  Client client(port_);
  EXPECT_EQ(client.rest(), "");
}

TEST_F(HttpServerTest, MoreConnectionsThanMayBeAreClosed) {
  limits_.most_connections = 1;
  limits_.least_silence = 60'000ms;
  start();
  Client first(port_);
  first.send("GET /first HTTP/1.1\r\n\r\n");
  EXPECT_THAT(first.answer(), HasSubstr("/first"));
  Client second(port_);
  EXPECT_EQ(second.rest(), "");
  first.send("GET /again HTTP/1.1\r\n\r\n");
  EXPECT_THAT(first.answer(), HasSubstr("/again"));
}

TEST_F(HttpServerTest, TheLeastUsefulMakesRoom) {
  limits_.most_connections = 2;
  limits_.least_silence = 0ms;
  start();
  Client idle(port_);
  Client late(port_);
  late.send("GET /la");
  Client asks(port_);
  asks.send("GET /asks HTTP/1.1\r\n\r\n");
  EXPECT_THAT(asks.answer(), HasSubstr("/asks"));
  EXPECT_EQ(idle.rest(), "");
  late.send("te HTTP/1.1\r\n\r\n");
  EXPECT_THAT(late.answer(), HasSubstr("/late"));
}

// Whoever waits for an answer is of use.
TEST_F(HttpServerTest, WithoutRoomOthersAreRefused) {
  limits_.most_connections = 1;
  limits_.least_silence = 0ms;
  start();
  Client first(port_);
  first.send("GET /later HTTP/1.1\r\n\r\n");
  arrived_.get_future().wait();
  EXPECT_EQ(Client(port_).rest(), "");
  on_server([this] { later_[0](); });
  EXPECT_THAT(first.answer(), HasSubstr("/later"));
}

TEST_F(HttpServerTest, BodiesOfAllAreBounded) {
  limits_.most_body_bytes = 5000;
  limits_.most_held_bytes = 5000;
  limits_.small_body_bytes = 1000;
  start();
  Client first(port_);
  first.send("POST /later HTTP/1.1\r\nContent-Length: 3000\r\n\r\n" + std::string(3000, 'a'));
  arrived_.get_future().wait();
  Client second(port_);
  second.send("POST /b HTTP/1.1\r\nContent-Length: 4000\r\n\r\n" + std::string(3000, 'b'));
  EXPECT_THAT(second.rest(), HasSubstr("503 Service Unavailable"));
  Client small(port_);
  small.send("POST /small HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody");
  EXPECT_THAT(small.answer(), HasSubstr("POST /small body"));
  on_server([this] { later_[0](); });
  EXPECT_THAT(first.answer(), HasSubstr("/later"));
  Client third(port_);
  third.send("POST /c HTTP/1.1\r\nContent-Length: 4000\r\n\r\n" + std::string(4000, 'c'));
  EXPECT_THAT(third.answer(), HasSubstr("POST /c"));
}

TEST_F(HttpServerTest, LargeAnswersMayTakeTheirTime) {
  limits_.body_time = 150ms;
  limits_.most_body_bytes = 64 << 20;
  start();
  Client client(port_);
  const std::size_t size = 48 << 20;
  client.send("POST /large HTTP/1.1\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" +
              std::string(size, 'x'));
  std::size_t taken = 0;
  for (int i = 0; i < 12; ++i) {
    std::this_thread::sleep_for(50ms);
    taken += client.take(4 << 20);
  }
  EXPECT_GE(taken, size);
}

TEST_F(HttpServerTest, ConnectionIsKept) {
  start();
  Client client(port_);
  for (const std::string_view target : {"/one", "/two", "/three"}) {
    client.send("POST " + std::string(target) + " HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody");
    EXPECT_THAT(client.answer(), HasSubstr("POST " + std::string(target) + " body"));
  }
}

TEST_F(HttpServerTest, ConnectionIsClosedWhenAsked) {
  start();
  Client client(port_);
  client.send("GET /last HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.rest(), HasSubstr("/last"));
  Client old(port_);
  old.send("GET /old HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old.rest(), HasSubstr("/old"));
}

TEST_F(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  start();
  Client client(port_);
  client.send(
      "POST /1 HTTP/1.1\r\nContent-Length: 1\r\n\r\na"
      "GET /2 HTTP/1.1\r\n\r\n"
      "POST /3 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nb\r\n0\r\n\r\n");
  EXPECT_THAT(client.answer(), HasSubstr("POST /1 a"));
  EXPECT_THAT(client.answer(), HasSubstr("GET /2 "));
  EXPECT_THAT(client.answer(), HasSubstr("POST /3 b"));
}

TEST_F(HttpServerTest, ContinuesWhenAsked) {
  start();
  Client client(port_);
  client.send("POST / HTTP/1.1\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(client.answer(), StartsWith("HTTP/1.1 100 "));
  client.send("body");
  EXPECT_THAT(client.answer(), HasSubstr("POST / body"));
}

TEST_F(HttpServerTest, HeadHasNoBody) {
  start();
  Client client(port_);
  client.send("HEAD /x HTTP/1.1\r\nConnection: close\r\n\r\n");
  const std::string answer = client.rest();
  EXPECT_THAT(answer, HasSubstr("Content-Length: "));
  EXPECT_THAT(answer, testing::EndsWith("\r\n\r\n"));
}

TEST_F(HttpServerTest, HalfClosedClientGetsItsAnswer) {
  start();
  Client client(port_);
  client.send("POST /half HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody");
  client.end_of_requests();
  EXPECT_THAT(client.rest(), HasSubstr("POST /half body"));
}

TEST_F(HttpServerTest, HalfARequestIsNoRequest) {
  start();
  Client client(port_);
  client.send("POST /half HTTP/1.1\r\nContent-Length: 4\r\n\r\nbo");
  client.end_of_requests();
  EXPECT_EQ(client.rest(), "");
}

TEST_F(HttpServerTest, StoppedItAnswersWhatIsUnderWayAndClosesTheRest) {
  start();
  Client idle(port_), busy(port_);
  idle.send("GET /idle HTTP/1.1\r\n\r\n");
  EXPECT_THAT(idle.answer(), HasSubstr("/idle"));
  busy.send("GET /later HTTP/1.1\r\n\r\n");
  arrived_.get_future().wait();
  on_server([this] { server_->stop(); });
  EXPECT_EQ(idle.rest(), "");
  on_server([this] { later_.at(0)(); });
  const std::string answer = busy.rest();
  EXPECT_THAT(answer, HasSubstr("/later"));
  EXPECT_THAT(answer, HasSubstr("Connection: close"));
}

TEST_F(HttpServerTest, AnswersMayComeAfterTheServerIsGone) {
  start();
  Client client(port_);
  client.send("GET /later HTTP/1.1\r\n\r\n");
  arrived_.get_future().wait();
  on_server([this] { server_.reset(); });
  on_server([this] { later_.at(0)(); });
  EXPECT_THAT(client.rest(), HasSubstr("/later"));
}

TEST_F(HttpServerTest, AnswersMayComeAfterTheClientIsGone) {
  start();
  {
    Client client(port_);
    client.send("GET /later HTTP/1.1\r\n\r\n");
    arrived_.get_future().wait();
  }
  on_server([this] { later_.at(0)(); });
  Client client(port_);
  client.send("GET /next HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.answer(), HasSubstr("/next"));
}

}  // namespace
}  // namespace mycel::serving
