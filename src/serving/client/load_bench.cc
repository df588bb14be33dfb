// SPDX-License-Identifier: Apache-2.0
// serving_load: asks a server the same question again and again, over connections of its own, and
// says how long the answers took as a line of JSON. One thread, so that a second core is the
// server's.
//
//   serving_load rest 127.0.0.1:1500 /model/add:add_common CONNECTIONS SECONDS [RATE] BODY REPLY
//   serving_load grpc 127.0.0.1:5500 add:add_common CONNECTIONS SECONDS [RATE]
//
// RATE is in requests per second over all connections; 0: as fast as answers come. Over gRPC the
// question is the sum of two 2x2 tensors of ones.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <ms_service.pb.h>

#include "serving/client/grpc_client.h"

namespace {

namespace asio = boost::asio;
namespace ms = mindspore::serving::proto;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

struct Plan {
  std::string_view protocol;
  std::string address, target;
  int connections = 1;
  double seconds = 1;
  double rate = 0;
  std::string body, reply;
};

// What came of the questions.
struct Tally {
  std::vector<float> right, refused;  // microseconds
  std::size_t wrong = 0;
  std::string first_wrong;
  Clock::time_point begin = Clock::now();

  void add(Clock::time_point asked, bool is_right, bool is_refused, std::string_view text) {
    const float us = std::chrono::duration<float, std::micro>(Clock::now() - asked).count();
    if (is_right) {
      right.push_back(us);
    } else if (is_refused) {
      refused.push_back(us);
    } else if (wrong++ == 0) {
      first_wrong = text;
    }
  }

  static float at(std::vector<float>& times, double part) {
    if (times.empty()) return 0;
    const auto place =
        times.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(times.size() - 1));
    std::nth_element(times.begin(), place, times.end());
    return *place;
  }

  int report() {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    std::printf(
        "{\"seconds\":%.2f,\"right\":%zu,\"right_per_second\":%.0f,\"p50_us\":%.1f,\"p90_us\":%.1f,"
        "\"p99_us\":%.1f,\"max_us\":%.1f,\"refused\":%zu,\"refused_p50_us\":%.1f,"
        "\"refused_p99_us\":%.1f,\"wrong\":%zu}\n",
        seconds, right.size(), static_cast<double>(right.size()) / seconds, at(right, 0.5),
        at(right, 0.9), at(right, 0.99), at(right, 1), refused.size(), at(refused, 0.5),
        at(refused, 0.99), wrong);
    if (wrong > 0) std::fprintf(stderr, "serving_load: %s\n", first_wrong.c_str());
    return wrong == 0 ? 0 : 1;
  }
};

// When question number i is due; the pace is kept whatever the answers take.
Clock::time_point due(const Plan& plan, Clock::time_point begin, std::size_t i) {
  if (plan.rate <= 0) return Clock::time_point{};
  return begin + std::chrono::duration_cast<Clock::duration>(
                     std::chrono::duration<double>(static_cast<double>(i) / plan.rate));
}

constexpr std::string_view kRefusal = "exceeds the limit";

struct Answer {
  bool is_right = false;
  std::string text;  // when it is not
};

// What is said on a connection, by one protocol.
class Talk {
 public:
  virtual ~Talk() = default;
  virtual std::string_view question() = 0;  // asks once more
  virtual std::optional<Answer> take(std::string_view bytes) = 0;
};

class RestTalk : public Talk {
 public:
  explicit RestTalk(const Plan& plan)
      : question_("POST " + plan.target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                  std::to_string(plan.body.size()) + "\r\n\r\n" + plan.body),
        wanted_(plan.reply) {}

  std::string_view question() override {
    text_.clear();
    return question_;
  }

  std::optional<Answer> take(std::string_view bytes) override {
    text_ += bytes;
    const std::size_t head = text_.find("\r\n\r\n");
    if (head == text_.npos) return std::nullopt;
    const std::string_view body = std::string_view(text_).substr(head + 4);
    std::size_t length = text_.find("Content-Length: ");
    if (length > head) length = text_.find("content-length: ");
    if (length < head && body.size() < std::strtoul(text_.data() + length + 16, nullptr, 10))
      return std::nullopt;
    if (body == wanted_) return Answer{true, {}};
    return Answer{false, std::string(body)};
  }

 private:
  const std::string question_, wanted_;
  std::string text_;
};

// The sum of two 2x2 tensors of ones.
class GrpcTalk : public Talk {
 public:
  explicit GrpcTalk(const Plan& plan) {
    ms::PredictRequest request;
    const std::size_t colon = plan.target.find(':');
    request.mutable_servable_spec()->set_name(plan.target.substr(0, colon));
    request.mutable_servable_spec()->set_method_name(plan.target.substr(colon + 1));
    auto& items = *request.add_instances()->mutable_items();
    const float ones[4] = {1, 1, 1, 1};
    for (const char* name : {"x1", "x2"}) {
      ms::Tensor& tensor = items[name];
      tensor.set_dtype(ms::MS_FLOAT32);
      for (int i = 0; i < 2; ++i) tensor.mutable_shape()->add_dims(2);
      tensor.set_data(ones, sizeof ones);
    }
    message_ = request.SerializeAsString();
  }

  std::string_view question() override {
    reply_.reset();
    client_.ask("/mindspore.serving.proto.MSService/Predict", message_,
                [this](mycel::serving::GrpcReply reply) { reply_ = std::move(reply); });
    return client_.output();
  }

  std::optional<Answer> take(std::string_view bytes) override {
    if (!client_.receive(bytes)) return Answer{false, "it is no HTTP/2"};
    if (!reply_) return std::nullopt;
    if (reply_->status != 0 || reply_->messages.size() != 1) return Answer{false, reply_->text};
    ms::PredictReply reply;
    reply.ParseFromString(reply_->messages[0]);
    if (reply.error_msg_size() > 0) return Answer{false, reply.error_msg(0).error_msg()};
    const float twos[4] = {2, 2, 2, 2};
    const std::string_view wanted(reinterpret_cast<const char*>(twos), sizeof twos);
    const bool is_right = reply.instances_size() == 1 && reply.instances(0).items().size() == 1 &&
                          reply.instances(0).items().begin()->second.data() == wanted;
    return Answer{is_right, "another sum"};
  }

 private:
  std::string message_;
  mycel::serving::GrpcClient client_;
  std::optional<mycel::serving::GrpcReply> reply_;
};

// Connections that ask, each one thing at a time.
class Load {
 public:
  explicit Load(const Plan& plan) : plan_(plan), timer_(context_) {
    const std::size_t colon = plan.address.rfind(':');
    const tcp::endpoint server(
        asio::ip::make_address(plan.address.substr(0, colon)),
        static_cast<std::uint16_t>(std::atoi(plan.address.c_str() + colon + 1)));
    for (int i = 0; i < plan.connections; ++i) {
      connections_.push_back(std::make_unique<Connection>(context_));
      Connection& own = *connections_.back();
      own.socket.connect(server);
      own.socket.set_option(tcp::no_delay(true));
      if (plan.protocol == "grpc") {
        own.talk = std::make_unique<GrpcTalk>(plan);
      } else {
        own.talk = std::make_unique<RestTalk>(plan);
      }
    }
  }

  int run() {
    tally_.begin = Clock::now();
    end_ = tally_.begin + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(plan_.seconds));
    for (const auto& connection : connections_) free_.push_back(connection.get());
    ask_what_is_due();
    context_.run();
    return tally_.report();
  }

 private:
  struct Connection {
    explicit Connection(asio::io_context& context) : socket(context) {}
    tcp::socket socket;
    std::unique_ptr<Talk> talk;
    Clock::time_point asked;
    char part[16384];
  };

  // One timer for all connections: a program that wakes for every question takes the processor away
  // from the server that it measures.
  void ask_what_is_due() {
    const Clock::time_point now = Clock::now();
    if (now >= end_) return;
    while (!free_.empty() && due(plan_, tally_.begin, asked_) <= now) {
      Connection& own = *free_.front();
      free_.pop_front();
      ++asked_;
      ask(own);
    }
    if (free_.empty() || is_waiting_) return;  // whoever is answered asks at once
    is_waiting_ = true;
    const Clock::time_point next = due(plan_, tally_.begin, asked_);
    timer_.expires_at(std::min(std::max(next, now + kLeastWait), end_));
    timer_.async_wait([this](error_code) {
      is_waiting_ = false;
      ask_what_is_due();
    });
  }

  void ask(Connection& own) {
    own.asked = Clock::now();
    const std::string_view question = own.talk->question();
    asio::async_write(own.socket, asio::buffer(question.data(), question.size()),
                      [this, &own](error_code error, std::size_t) {
                        if (error) return fail(own, error);
                        read(own);
                      });
  }

  void read(Connection& own) {
    own.socket.async_read_some(
        asio::buffer(own.part), [this, &own](error_code error, std::size_t size) {
          if (error) return fail(own, error);
          const auto answer = own.talk->take({own.part, size});
          if (!answer) return read(own);
          const bool is_refused = answer->text.find(kRefusal) != answer->text.npos;
          tally_.add(own.asked, answer->is_right, is_refused, answer->text);
          free_.push_back(&own);
          ask_what_is_due();
        });
  }

  void fail(Connection& own, error_code error) {
    tally_.add(own.asked, false, false, "the connection broke: " + error.message());
  }

  static constexpr std::chrono::microseconds kLeastWait{100};

  const Plan plan_;
  asio::io_context context_{1};
  asio::steady_timer timer_;
  bool is_waiting_ = false;       // for the timer
  std::deque<Connection*> free_;  // that ask nothing, the longest first
  std::vector<std::unique_ptr<Connection>> connections_;
  Tally tally_;
  Clock::time_point end_;
  std::size_t asked_ = 0;
};

}  // namespace

int main(int count, char** words) {
  if (count < 6) {
    std::fputs(
        "usage: serving_load rest|grpc ADDRESS TARGET CONNECTIONS SECONDS [RATE [BODY REPLY]]\n",
        stderr);
    return 2;
  }
  Plan plan{words[1], words[2], words[3], std::atoi(words[4]), std::atof(words[5]), 0, {}, {}};
  if (count > 6) plan.rate = std::atof(words[6]);
  if (count > 8) {
    plan.body = words[7];
    plan.reply = words[8];
  }
  return Load(plan).run();
}
