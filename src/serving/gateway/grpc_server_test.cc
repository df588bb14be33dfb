// SPDX-License-Identifier: Apache-2.0
// The port of gRPC on real sockets: what a connection may do before, after and beside its calls.
#include "serving/gateway/grpc_server.h"

#include <filesystem>
#include <fstream>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "platform/error/error.h"
#include "serving/client/socket_grpc_client.h"

namespace mycel::serving {
namespace {

namespace asio = boost::asio;
using testing::ElementsAre;
using testing::HasSubstr;
using std::chrono_literals::operator""ms;

class GrpcServerTest : public testing::Test {
 protected:
  template <class Work>
  auto on_server(Work work_to_do) {
    std::packaged_task<decltype(work_to_do())()> task(std::move(work_to_do));
    auto result = task.get_future();
    asio::post(context_, [&task] { task(); });
    return result.get();
  }

  GrpcServerTest() {
    methods_["/echo"] = {[](const std::shared_ptr<GrpcCall>& call, std::string message) {
      call->send(std::move(message));
      call->finish({});
    }};
    methods_["/keep"] = {[this](std::shared_ptr<GrpcCall> call, const std::string& /*message*/) {
      kept_.push_back(std::move(call));
      arrived_.set_value();
    }};
  }
  ~GrpcServerTest() override {
    on_server([this] {
      server_.reset();
      kept_.clear();
    });
    context_.stop();
    thread_.join();
    std::filesystem::remove_all(folder_);
  }

  // The reason why it cannot be started, or nothing.
  std::string start(const std::string& path) {
    Address address;
    address.host = path;
    address.is_local_socket = true;
    return on_server([&]() -> std::string {
      try {
        server_ = std::make_unique<GrpcServer>(context_, address, nullptr, methods_, limits_);
      } catch (const platform::Error& error) {
        return error.message();
      }
      return "";
    });
  }
  std::size_t connections() {
    return on_server([this] { return server_->connections(); });
  }

  static std::string new_folder() {
    std::string folder = (std::filesystem::temp_directory_path() / "grpc_test_XXXXXX").string();
    mkdtemp(folder.data());
    return folder;
  }

  const std::string folder_ = new_folder();
  const std::string path_ = folder_ + "/socket";
  GrpcMethods methods_;
  GrpcServerLimits limits_;
  std::vector<std::shared_ptr<GrpcCall>> kept_;
  std::promise<void> arrived_;
  asio::io_context context_;
  asio::executor_work_guard<asio::io_context::executor_type> work_{context_.get_executor()};
  std::thread thread_{[this] { context_.run(); }};
  std::unique_ptr<GrpcServer> server_;
};

// ---- the address

TEST_F(GrpcServerTest, PlacesThatCannotBeAreTold) {
  EXPECT_THAT(start(folder_ + "/nowhere/socket"), HasSubstr("No such file"));
  EXPECT_THAT(start(folder_ + "/" + std::string(200, 'x')), HasSubstr("too long"));
}

TEST_F(GrpcServerTest, FilesOfOthersStay) {
  std::ofstream(path_) << "mine";
  EXPECT_THAT(start(path_), HasSubstr("Address already in use"));
  EXPECT_TRUE(std::filesystem::is_regular_file(path_));
}

TEST_F(GrpcServerTest, SocketsInUseAreTold) {
  ASSERT_EQ(start(path_), "");
  const std::unique_ptr<GrpcServer> first = std::move(server_);
  EXPECT_THAT(start(path_), HasSubstr("Address already in use"));
  EXPECT_THAT(SocketGrpcClient("unix:" + path_).ask("/echo", "a").messages, ElementsAre("a"));
  on_server([&] { first->close_port(); });
}

TEST_F(GrpcServerTest, SocketsOfThoseWhoDiedAreReplaced) {
  const int left = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path_.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(left, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  close(left);
  ASSERT_EQ(start(path_), "");
  EXPECT_THAT(SocketGrpcClient("unix:" + path_).ask("/echo", "a").messages, ElementsAre("a"));
}

TEST_F(GrpcServerTest, TheSocketGoesWithTheServer) {
  ASSERT_EQ(start(path_), "");
  on_server([this] { server_.reset(); });
  EXPECT_FALSE(std::filesystem::exists(path_));
}

// ---- connections

TEST_F(GrpcServerTest, OtherProtocolsAreClosed) {
  ASSERT_EQ(start(path_), "");
  SocketGrpcClient client("unix:" + path_);
  client.send_bytes("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  while (client.exchange()) {
  }
  while (connections() > 0) std::this_thread::yield();
}

TEST_F(GrpcServerTest, SlowBeginningsAreClosed) {
  limits_.calls.begin_time = 10ms;
  ASSERT_EQ(start(path_), "");
  SocketGrpcClient client("unix:" + path_);
  client.send_bytes("PRI * HT");
  while (connections() == 0) std::this_thread::yield();
  while (connections() > 0) std::this_thread::sleep_for(10ms);
}

TEST_F(GrpcServerTest, HalfClosedConnectionsAreClosed) {
  ASSERT_EQ(start(path_), "");
  SocketGrpcClient client("unix:" + path_);
  EXPECT_EQ(client.ask("/echo", "a").status, 0);
  client.stop_sending();
  while (client.exchange()) {
  }
  while (connections() > 0) std::this_thread::yield();
}

TEST_F(GrpcServerTest, TheLeastUsefulMakesRoom) {
  limits_.most_connections = 2;
  limits_.least_silence = 0ms;
  ASSERT_EQ(start(path_), "");
  SocketGrpcClient first("unix:" + path_);
  EXPECT_EQ(first.ask("/echo", "a").status, 0);
  SocketGrpcClient second("unix:" + path_);
  EXPECT_EQ(second.ask("/echo", "a").status, 0);
  EXPECT_EQ(first.ask("/echo", "a").status, 0);
  SocketGrpcClient third("unix:" + path_);
  EXPECT_EQ(third.ask("/echo", "a").status, 0);
  EXPECT_EQ(first.ask("/echo", "a").status, 0);
  EXPECT_EQ(second.ask("/echo", "a").status, -1);
}

// Whoever waits for an answer is of use.
TEST_F(GrpcServerTest, WithoutRoomOthersAreRefused) {
  limits_.most_connections = 1;
  limits_.least_silence = 0ms;
  ASSERT_EQ(start(path_), "");
  SocketGrpcClient first("unix:" + path_);
  GrpcReply answer;
  first.calls().ask("/keep", "a", [&](GrpcReply reply) { answer = std::move(reply); });
  first.send();
  arrived_.get_future().wait();
  EXPECT_EQ(SocketGrpcClient("unix:" + path_).ask("/echo", "a").status, -1);
  on_server([this] { kept_[0]->finish({}); });
  while (answer.status != 0 && first.exchange()) {
  }
  EXPECT_EQ(answer.status, 0);
}

TEST_F(GrpcServerTest, WhatIsAskedIsAnsweredBeforeItGoes) {
  ASSERT_EQ(start(path_), "");
  SocketGrpcClient client("unix:" + path_);
  GrpcReply answer;
  client.calls().ask("/keep", "a", [&](GrpcReply reply) { answer = std::move(reply); });
  client.send();
  arrived_.get_future().wait();
  on_server([this] {
    server_->close_port();
    server_->go_away();
    asio::post(context_, [this] {
      kept_[0]->send(std::string(std::size_t{1} << 20, 'x'));
      kept_[0]->finish({});
    });
  });
  while (client.exchange()) {
  }
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.messages.at(0).size(), std::size_t{1} << 20);
  EXPECT_TRUE(client.calls().is_told_to_go());
}

}  // namespace
}  // namespace mycel::serving
