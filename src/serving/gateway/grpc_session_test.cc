// SPDX-License-Identifier: Apache-2.0
// Both ends of a connection in one thread, without a socket: what clients may do, and what becomes
// of those that do more.
#include "serving/gateway/grpc_session.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include "serving/client/grpc_client.h"
#include "serving/gateway/http2.h"

namespace mycel::serving {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;

constexpr std::size_t kMostMessage = 1 << 20;
constexpr std::size_t kCallWindow = 4 << 20;  // what a call may send before it is read

class GrpcSessionTest : public testing::Test {
 protected:
  GrpcSessionTest() {
    limits_.most_message_bytes = kMostMessage;
    methods_["/echo"] = {[](const std::shared_ptr<GrpcCall>& call, std::string message) {
      call->send(std::move(message));
      call->finish({});
    }};
    methods_["/keep"] = {[this](std::shared_ptr<GrpcCall> call, const std::string& /*message*/) {
      kept_.push_back(std::move(call));
    }};
    methods_["/turns"].takes_many = true;
    methods_["/turns"].on_message = methods_["/keep"].on_message;
    methods_["/chat"].takes_many = true;
    methods_["/chat"].on_message = [](const std::shared_ptr<GrpcCall>& call, std::string message) {
      call->send(std::move(message));
    };
  }

  GrpcSession& server() {
    if (!server_) server_.emplace(shared_, [] {});
    return *server_;
  }

  // What is wrong, when the server says so.
  std::optional<std::string> exchange() {
    while (true) {
      const std::string_view asked = client_.output();
      if (!asked.empty()) {
        if (const auto trouble = server().receive(asked)) return std::string(*trouble);
      }
      const std::string_view answered = server().output();
      EXPECT_TRUE(client_.receive(answered));
      if (asked.empty() && answered.empty()) return std::nullopt;
    }
  }

  std::int32_t ask(const std::string& path, const std::string& message,
                   const GrpcClient::Headers& more = {}) {
    return client_.ask(path, message, taken(), more);
  }
  std::int32_t ask_bytes(const std::string& path, const std::string& body, bool is_last = true) {
    return client_.ask_bytes(path, body, is_last, taken());
  }
  GrpcClient::Done taken() {
    return [this](GrpcReply reply) { replies_.push_back(std::move(reply)); };
  }

  GrpcReply reply_to(const std::string& path, const std::string& message,
                     const GrpcClient::Headers& more = {}) {
    ask(path, message, more);
    EXPECT_EQ(exchange(), std::nullopt);
    return replies_.empty() ? GrpcReply{} : replies_.back();
  }

  static int number(GrpcCode code) { return static_cast<int>(code); }
  static std::string framed(const std::string& text) {
    const auto prefix = grpc_prefix(text.size());
    return std::string(prefix.data(), prefix.size()) + text;
  }

  GrpcMethods methods_;
  GrpcLimits limits_;
  GrpcShared shared_{methods_, limits_};
  std::vector<std::shared_ptr<GrpcCall>> kept_;
  std::vector<GrpcReply> replies_;
  std::optional<GrpcSession> server_;
  GrpcClient client_;
};

// ---- calls that are wrong

TEST_F(GrpcSessionTest, UnknownMethodsAreNotImplemented) {
  const GrpcReply reply = reply_to("/other", "");
  EXPECT_EQ(reply.status, number(GrpcCode::Unimplemented));
  EXPECT_THAT(reply.text, HasSubstr("unknown method /other"));
}

TEST_F(GrpcSessionTest, BodiesThatAreNoneAreRefused) {
  for (const std::string& body :
       {std::string(), std::string(3, '\0'), framed("a").substr(0, 5), framed("a") + framed("b")}) {
    ask_bytes("/echo", body);
    ASSERT_EQ(exchange(), std::nullopt);
    EXPECT_EQ(replies_.back().status, number(GrpcCode::Internal)) << replies_.back().text;
  }
}

TEST_F(GrpcSessionTest, UnknownEncodingsAndTimesAreRefused) {
  EXPECT_EQ(reply_to("/echo", "a", {{"grpc-encoding", "br"}}).status,
            number(GrpcCode::Unimplemented));
  EXPECT_EQ(reply_to("/echo", "a", {{"grpc-timeout", "soon"}}).status,
            number(GrpcCode::InvalidArgument));
}

TEST_F(GrpcSessionTest, OtherHttpIsRefused) {
  EXPECT_EQ(reply_to("/echo", "a", {{"content-type", "text/plain"}}).http_status, 415);
}

TEST_F(GrpcSessionTest, TooLongMessagesAreRefused) {
  const GrpcReply reply = reply_to("/echo", std::string(kMostMessage + 1, 'x'));
  EXPECT_EQ(reply.status, number(GrpcCode::ResourceExhausted));
}

TEST_F(GrpcSessionTest, TooLongHeadersEndTheCallAlone) {
  ask("/echo", "a", {{"long", std::string(limits_.most_header_bytes, 'x')}});
  ask("/echo", "b");
  EXPECT_EQ(exchange(), std::nullopt);
  ASSERT_EQ(replies_.size(), 2U);
  EXPECT_EQ(replies_[0].status + replies_[1].status, -1 + 0);
}

// ---- calls that are right

TEST_F(GrpcSessionTest, AnswersComeWithTheirStatus) {
  const GrpcReply reply = reply_to("/echo", "hello");
  EXPECT_EQ(reply.http_status, 200);
  EXPECT_EQ(reply.status, 0);
  EXPECT_THAT(reply.messages, ElementsAre("hello"));
  EXPECT_THAT(reply_to("/echo", "").messages, ElementsAre(""));
}

TEST_F(GrpcSessionTest, LongMessagesCome) {
  const std::string message(kMostMessage, 'x');
  EXPECT_THAT(reply_to("/echo", message).messages, ElementsAre(message));
  EXPECT_EQ(*shared_.held_bytes, 0U);
}

TEST_F(GrpcSessionTest, ManyCallsAtATime) {
  for (int i = 0; i < 1000; ++i) ask("/echo", std::to_string(i));
  EXPECT_EQ(exchange(), std::nullopt);
  ASSERT_EQ(replies_.size(), 1000U);
  for (const GrpcReply& reply : replies_) EXPECT_EQ(reply.status, 0);
}

TEST_F(GrpcSessionTest, CallsThatAreAnsweredLater) {
  ask("/keep", "a");
  ask("/keep", "b");
  exchange();
  ASSERT_EQ(kept_.size(), 2U);
  EXPECT_GT(*shared_.held_bytes, 0U);
  kept_[1]->finish({GrpcCode::NotFound, "no b"});
  kept_[0]->send("is a");
  kept_[0]->finish({});
  kept_[0]->finish({GrpcCode::Internal, "it is answered already"});
  exchange();
  ASSERT_EQ(replies_.size(), 2U);
  EXPECT_EQ(replies_[0].text, "no b");
  EXPECT_THAT(replies_[1].messages, ElementsAre("is a"));
  EXPECT_EQ(*shared_.held_bytes, 0U);
}

TEST_F(GrpcSessionTest, ConversationsEndWithTheClient) {
  ask_bytes("/chat", framed("one") + framed("two"), false);
  exchange();
  EXPECT_TRUE(replies_.empty());
  ask_bytes("/chat", framed("three"));
  exchange();
  ASSERT_EQ(replies_.size(), 1U);
  EXPECT_THAT(replies_[0].messages, ElementsAre("three"));
  EXPECT_EQ(replies_[0].status, 0);
}

TEST_F(GrpcSessionTest, AnswersOfAConversationAreInItsOrder) {
  ask_bytes("/turns", framed("a") + framed("b") + framed("c"));
  exchange();
  ASSERT_EQ(kept_.size(), 3U);
  kept_[2]->send("of c");
  kept_[1]->send("of b");
  exchange();
  EXPECT_TRUE(replies_.empty());
  EXPECT_FALSE(kept_[2]->is_open());
  kept_[2]->send("of c again");
  kept_[0]->send("of a");
  exchange();
  ASSERT_EQ(replies_.size(), 1U);  // the client had no more, so that was all
  EXPECT_THAT(replies_[0].messages, ElementsAre("of a", "of b", "of c"));
  EXPECT_EQ(replies_[0].status, 0);
  kept_.clear();
  EXPECT_EQ(*shared_.held_bytes, 0U);
}

TEST_F(GrpcSessionTest, AnErrorOfATurnEndsTheConversation) {
  ask_bytes("/turns", framed("a") + framed("b"), false);
  exchange();
  kept_.at(1)->finish({GrpcCode::InvalidArgument, "no b"});
  exchange();
  ASSERT_EQ(replies_.size(), 1U);
  EXPECT_EQ(replies_[0].text, "no b");
  EXPECT_FALSE(kept_[0]->is_open());
  kept_[0]->send("too late");
  kept_.clear();
  EXPECT_EQ(*shared_.held_bytes, 0U);
}

TEST_F(GrpcSessionTest, TurnsBeyondTheLimitWait) {
  limits_.most_turns = 2;
  ask_bytes("/turns", framed("a") + framed("b") + framed("c"));
  exchange();
  ASSERT_EQ(kept_.size(), 2U);
  kept_[1]->send("of b");  // is still in the line behind a
  EXPECT_EQ(kept_.size(), 2U);
  kept_[0]->send("of a");
  ASSERT_EQ(kept_.size(), 3U);
  kept_[2]->send("of c");
  exchange();
  EXPECT_THAT(replies_.at(0).messages, ElementsAre("of a", "of b", "of c"));
}

TEST_F(GrpcSessionTest, LateCallsEnd) {
  ask("/keep", "a", {{"grpc-timeout", "1S"}});
  exchange();
  EXPECT_EQ(server().look(Clock::now()), std::nullopt);
  EXPECT_TRUE(kept_[0]->is_open());
  EXPECT_EQ(server().look(Clock::now() + 2s), std::nullopt);
  exchange();
  EXPECT_EQ(replies_.at(0).status, number(GrpcCode::DeadlineExceeded));
  EXPECT_FALSE(kept_[0]->is_open());
}

// ---- clients that go

TEST_F(GrpcSessionTest, CancelledCallsAreNotOpen) {
  const std::int32_t call = ask("/keep", "a");
  exchange();
  client_.cancel(call);
  exchange();
  EXPECT_FALSE(kept_[0]->is_open());
  EXPECT_GT(*shared_.held_bytes, 0U);  // what it asked is still being worked on
  kept_[0]->send("too late");
  kept_[0]->finish({});
  EXPECT_EQ(*shared_.held_bytes, 0U);
  EXPECT_THAT(reply_to("/echo", "b").messages, ElementsAre("b"));
}

TEST_F(GrpcSessionTest, CancelledConversationsAreHeldUntilTheirTurnsAreOver) {
  const std::int32_t call =
      ask_bytes("/turns", framed(std::string(1000, 'a')) + framed("b") + framed("c"), false);
  exchange();
  kept_.at(1)->send("of b");
  client_.cancel(call);
  exchange();
  EXPECT_FALSE(kept_[0]->is_open());
  EXPECT_GE(*shared_.held_bytes, 1000U);
  kept_[0]->send("too late");
  kept_.clear();
  EXPECT_EQ(*shared_.held_bytes, 0U);
}

TEST_F(GrpcSessionTest, CallsOutliveTheirConnection) {
  ask("/keep", "a");
  exchange();
  server_.reset();
  EXPECT_FALSE(kept_[0]->is_open());
  kept_[0]->finish({});
  kept_.clear();
  EXPECT_EQ(*shared_.held_bytes, 0U);
}

TEST_F(GrpcSessionTest, NoNewCallsWhenItGoesAway) {
  ask("/keep", "a");
  exchange();
  server().go_away();
  exchange();
  EXPECT_TRUE(client_.is_told_to_go());
  EXPECT_FALSE(server().is_over());
  kept_[0]->finish({});
  exchange();
  EXPECT_EQ(replies_.at(0).status, 0);
  EXPECT_TRUE(server().is_over());
}

// ---- clients that do too much

TEST_F(GrpcSessionTest, CallsThatAreTakenBackAreBounded) {
  std::optional<std::string> trouble;
  int calls = 0;
  for (; !trouble && calls < 100'000; ++calls) {
    const std::int32_t call = ask("/keep", "a");
    trouble = exchange();
    client_.cancel(call);
    if (!trouble) trouble = exchange();
  }
  ASSERT_TRUE(trouble);
  EXPECT_THAT(*trouble, HasSubstr("more frames than requests that are answered"));
  EXPECT_LT(calls, limits_.most_frames_ahead);
}

TEST_F(GrpcSessionTest, CallsThatAreAnsweredAreNot) {
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(reply_to("/echo", "a").status, 0) << i;
}

TEST_F(GrpcSessionTest, PingsAreBounded) {
  std::optional<std::string> trouble;
  for (int i = 0; !trouble && i < 100'000; ++i) {
    nghttp2_submit_ping(client_.session(), NGHTTP2_FLAG_NONE, nullptr);
    trouble = exchange();
  }
  EXPECT_TRUE(trouble);
}

TEST_F(GrpcSessionTest, SettingsAreBounded) {
  std::optional<std::string> trouble;
  for (int i = 0; !trouble && i < 100'000; ++i) {
    nghttp2_submit_settings(client_.session(), NGHTTP2_FLAG_NONE, nullptr, 0);
    trouble = exchange();
  }
  EXPECT_TRUE(trouble);
}

TEST_F(GrpcSessionTest, EmptyDataIsBounded) {
  ask_bytes("/echo", "", false);
  exchange();
  // A frame of data of no bytes for the first call.
  constexpr std::array<char, 9> kNothing = {0, 0, 0, 0, 0, 0, 0, 0, 1};
  std::optional<std::string_view> trouble;
  for (int i = 0; !trouble && i < 100'000; ++i)
    trouble = server().receive({kNothing.data(), kNothing.size()});
  EXPECT_TRUE(trouble);
}

// Headers that never end, frame by frame.
TEST_F(GrpcSessionTest, ContinuationsAreBounded) {
  exchange();
  std::string bytes("\0\0\1\1\0\0\0\0\1\x83", 10);  // HEADERS, not their end: ":method: POST"
  std::optional<std::string_view> trouble = server().receive(bytes);
  const std::string more("\0\0\1\x9\0\0\0\0\1\x83", 10);
  for (int i = 0; !trouble && i < 100'000; ++i) trouble = server().receive(more);
  EXPECT_TRUE(trouble);
}

TEST_F(GrpcSessionTest, OpenCallsAreBounded) {
  exchange();
  for (std::uint32_t i = 0; i < 2 * limits_.most_calls; ++i) ask("/keep", "a");
  exchange();
  EXPECT_EQ(kept_.size(), limits_.most_calls);  // others wait at the client's
}

TEST_F(GrpcSessionTest, HeldBytesAreBounded) {
  limits_.most_held_bytes = 3 * kMostMessage;
  for (int i = 0; i < 6; ++i) ask_bytes("/keep", framed(std::string(kMostMessage, 'x')), false);
  exchange();
  EXPECT_GE(replies_.size(), 3U);
  for (const GrpcReply& reply : replies_)
    EXPECT_EQ(reply.status, number(GrpcCode::ResourceExhausted));
  EXPECT_LE(*shared_.held_bytes, limits_.most_held_bytes);
}

// Asks and asks, and takes none of the answers.
TEST_F(GrpcSessionTest, AnswersThatAreNotTakenAreBounded) {
  const std::array<nghttp2_settings_entry, 1> settings{{{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0}}};
  nghttp2_submit_settings(client_.session(), NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  std::string body;
  for (int i = 0; i < 64; ++i) body += framed(std::string(100'000, 'x'));
  ask_bytes("/chat", body, false);
  exchange();
  EXPECT_LE(*shared_.held_bytes, limits_.most_answers_ahead + 2 * kCallWindow);
  EXPECT_EQ(server().look(Clock::now()), std::nullopt);
  EXPECT_EQ(server().look(Clock::now() + limits_.write_time + 1s), kTakesNothing);
}

// Whoever asks faster than it is answered is not refused, and sends no more than it has room for.
TEST_F(GrpcSessionTest, ClientsAheadOfTheirAnswersWait) {
  limits_.most_turns = 1;
  constexpr std::size_t kMessages = 64;
  std::string body;
  for (std::size_t i = 0; i < kMessages; ++i) body += framed(std::string(200'000, 'x'));
  ask_bytes("/turns", body);
  exchange();
  EXPECT_LE(*shared_.held_bytes, 2 * kCallWindow);
  for (std::size_t i = 0; i < kMessages; ++i) {
    ASSERT_EQ(kept_.size(), 1U) << i;
    std::exchange(kept_, {})[0]->send("so");
    exchange();
  }
  ASSERT_EQ(replies_.size(), 1U);
  EXPECT_EQ(replies_[0].status, 0);
  EXPECT_EQ(replies_[0].messages.size(), kMessages);
  EXPECT_EQ(*shared_.held_bytes, 0U);
}

// Many small messages come before the first is answered.
TEST_F(GrpcSessionTest, MessagesThatWaitForTheirTurnAreNoAttack) {
  limits_.most_turns = 1;
  ask_bytes("/turns", "", false);
  exchange();
  const std::string frame = std::string("\0\0\6\0\0\0\0\0\1", 9) + framed("a");
  for (int i = 0; i < 30'000; ++i) ASSERT_EQ(server().receive(frame), std::nullopt) << i;
  EXPECT_EQ(kept_.size(), 1U);
  EXPECT_GT(*shared_.held_bytes, 30'000 * sizeof(std::string));
}

// ---- clients that do too little

TEST_F(GrpcSessionTest, SilenceIsBounded) {
  EXPECT_NE(server().look(Clock::now() + limits_.begin_time + 1s), std::nullopt);
  exchange();
  EXPECT_EQ(server().look(Clock::now() + limits_.begin_time + 1s), std::nullopt);
  EXPECT_NE(server().look(Clock::now() + limits_.idle_time + 1s), std::nullopt);
}

TEST_F(GrpcSessionTest, HeadersMayNotTakeForEver) {
  exchange();
  server().receive(std::string("\0\0\1\1\0\0\0\0\1\x83", 10));
  EXPECT_EQ(server().look(Clock::now()), std::nullopt);
  EXPECT_NE(server().look(Clock::now() + limits_.header_time + 1s), std::nullopt);
}

TEST_F(GrpcSessionTest, KnowsWhenItWasOfUse) {
  exchange();
  const Clock::time_point begin = Clock::now();
  EXPECT_LT(server().last_useful(begin), begin);
  nghttp2_submit_ping(client_.session(), NGHTTP2_FLAG_NONE, nullptr);
  exchange();
  EXPECT_LT(server().last_useful(begin), begin);
  ask("/keep", "a");
  exchange();
  const Clock::time_point later = Clock::now() + 100ms;
  EXPECT_EQ(server().last_useful(later), later);
  kept_[0]->finish({});
  exchange();
  EXPECT_GT(server().last_useful(later), begin);
}

TEST_F(GrpcSessionTest, OtherProtocolsAreClosed) {
  EXPECT_TRUE(server().receive("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
}

}  // namespace
}  // namespace mycel::serving
