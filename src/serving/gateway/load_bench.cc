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
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <grpcpp/grpcpp.h>
#include <ms_service.grpc.pb.h>

namespace {

namespace asio = boost::asio;
namespace ms = mindspore::serving::proto;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

struct Plan {
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

// ---- REST

class RestLoad {
 public:
  explicit RestLoad(const Plan& plan) : plan_(plan) {
    request_ = "POST " + plan.target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
               std::to_string(plan.body.size()) + "\r\n\r\n" + plan.body;
    const std::size_t colon = plan.address.rfind(':');
    const tcp::endpoint server(
        asio::ip::make_address(plan.address.substr(0, colon)),
        static_cast<std::uint16_t>(std::atoi(plan.address.c_str() + colon + 1)));
    for (int i = 0; i < plan.connections; ++i) {
      connections_.push_back(std::make_unique<Connection>(context_));
      connections_.back()->socket.connect(server);
      connections_.back()->socket.set_option(tcp::no_delay(true));
    }
  }

  int run() {
    tally_.begin = Clock::now();
    end_ = tally_.begin + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(plan_.seconds));
    for (const auto& connection : connections_) next(*connection);
    context_.run();
    return tally_.report();
  }

 private:
  struct Connection {
    explicit Connection(asio::io_context& context) : socket(context), timer(context) {}
    tcp::socket socket;
    asio::steady_timer timer;
    Clock::time_point asked;
    std::string text;
    char part[16384];
  };

  void next(Connection& own) {
    const Clock::time_point now = Clock::now();
    if (now >= end_) return;
    const Clock::time_point when = due(plan_, tally_.begin, asked_++);
    if (when <= now) return ask(own);
    own.timer.expires_at(std::min(when, end_));
    own.timer.async_wait([this, &own](error_code) {
      if (Clock::now() < end_) ask(own);
    });
  }

  void ask(Connection& own) {
    own.asked = Clock::now();
    asio::async_write(own.socket, asio::buffer(request_),
                      [this, &own](error_code error, std::size_t) {
                        if (error) return fail(own, error);
                        read(own);
                      });
  }

  void read(Connection& own) {
    own.socket.async_read_some(
        asio::buffer(own.part), [this, &own](error_code error, std::size_t size) {
          if (error) return fail(own, error);
          own.text.append(own.part, size);
          if (!is_whole(own.text)) return read(own);
          const std::size_t head = own.text.find("\r\n\r\n") + 4;
          const std::string_view body = std::string_view(own.text).substr(head);
          tally_.add(own.asked, body == plan_.reply, body.find(kRefusal) != body.npos, body);
          own.text.clear();
          next(own);
        });
  }

  void fail(Connection& own, error_code error) {
    tally_.add(own.asked, false, false, "the connection broke: " + error.message());
  }

  static bool is_whole(std::string_view text) {
    const std::size_t head = text.find("\r\n\r\n");
    if (head == text.npos) return false;
    const std::size_t length = text.find("Content-Length: ");
    if (length == text.npos || length > head) return true;
    return text.size() >= head + 4 + std::strtoul(text.data() + length + 16, nullptr, 10);
  }

  const Plan plan_;
  std::string request_;
  asio::io_context context_{1};
  std::vector<std::unique_ptr<Connection>> connections_;
  Tally tally_;
  Clock::time_point end_;
  std::size_t asked_ = 0;
};

// ---- gRPC

struct Call {
  grpc::ClientContext context;
  ms::PredictReply reply;
  grpc::Status status;
  Clock::time_point asked;
  std::unique_ptr<grpc::ClientAsyncResponseReader<ms::PredictReply>> reader;
};

int grpc_load(const Plan& plan) {
  const auto stub =
      ms::MSService::NewStub(grpc::CreateChannel(plan.address, grpc::InsecureChannelCredentials()));
  ms::PredictRequest request;
  const std::size_t colon = plan.target.find(':');
  request.mutable_servable_spec()->set_name(plan.target.substr(0, colon));
  request.mutable_servable_spec()->set_method_name(plan.target.substr(colon + 1));
  auto& items = *request.add_instances()->mutable_items();
  const float ones[4] = {1, 1, 1, 1};
  const float twos[4] = {2, 2, 2, 2};
  for (const char* name : {"x1", "x2"}) {
    ms::Tensor& tensor = items[name];
    tensor.set_dtype(ms::MS_FLOAT32);
    for (int i = 0; i < 2; ++i) tensor.mutable_shape()->add_dims(2);
    tensor.set_data(ones, sizeof ones);
  }
  const std::string wanted(reinterpret_cast<const char*>(twos), sizeof twos);
  grpc::CompletionQueue queue;
  Tally tally;
  const auto end = tally.begin + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(plan.seconds));
  std::size_t asked = 0;
  int open = 0;
  const auto ask = [&] {
    auto* call = new Call;  // NOLINT: the queue gives it back
    call->asked = Clock::now();
    call->reader = stub->AsyncPredict(&call->context, request, &queue);
    call->reader->Finish(&call->reply, &call->status, call);
    ++asked;
    ++open;
  };
  while (Clock::now() < end || open > 0) {
    while (open < plan.connections && Clock::now() < end &&
           due(plan, tally.begin, asked) <= Clock::now())
      ask();
    void* tag = nullptr;
    bool ok = false;
    const auto pause = std::chrono::system_clock::now() + std::chrono::microseconds(200);
    if (queue.AsyncNext(&tag, &ok, pause) != grpc::CompletionQueue::GOT_EVENT) continue;
    const std::unique_ptr<Call> call(static_cast<Call*>(tag));
    --open;
    std::string text = call->status.error_message();
    if (call->reply.error_msg_size() > 0) text = call->reply.error_msg(0).error_msg();
    const bool is_right = call->status.ok() && call->reply.instances_size() == 1 &&
                          call->reply.instances(0).items().size() == 1 &&
                          call->reply.instances(0).items().begin()->second.data() == wanted;
    tally.add(call->asked, is_right, text.find(kRefusal) != text.npos, text);
  }
  return tally.report();
}

}  // namespace

int main(int count, char** words) {
  if (count < 6) {
    std::fputs(
        "usage: serving_load rest|grpc ADDRESS TARGET CONNECTIONS SECONDS [RATE [BODY REPLY]]\n",
        stderr);
    return 2;
  }
  Plan plan{words[2], words[3], std::atoi(words[4]), std::atof(words[5]), 0, {}, {}};
  if (count > 6) plan.rate = std::atof(words[6]);
  if (count > 8) {
    plan.body = words[7];
    plan.reply = words[8];
  }
  return std::string_view(words[1]) == "grpc" ? grpc_load(plan) : RestLoad(plan).run();
}
