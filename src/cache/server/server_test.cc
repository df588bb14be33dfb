// SPDX-License-Identifier: Apache-2.0
#include "cache/server/server.h"

#include <array>
#include <cstring>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cache/client/presence.h"
#include "cache/server/test_server.h"

namespace mycel::cache {
namespace {

using testing::HasSubstr;

CacheOptions mappable(std::uint32_t session, std::string description = "rows") {
  CacheOptions options;
  options.session = session;
  options.cache_id = 7;
  options.description = std::move(description);
  return options;
}

CacheOptions stream(std::uint32_t session) {
  CacheOptions options = mappable(session);
  options.kind = SourceKind::Stream;
  return options;
}

std::string message_of(const Result<std::unique_ptr<CacheClient>>& result) {
  return result ? "" : result.error().message();
}

// Waits, without a limit of its own, for what other threads are about to do.
template <class Condition>
void wait_until(Condition condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

class ServerTest : public testing::Test {
 protected:
  TestFolder folder_;
};

TEST_F(ServerTest, WithoutAServerTheErrorNamesThePort) {
  const std::string message = message_of(CacheClient::open(mappable(7)));
  EXPECT_THAT(message, HasSubstr("Cache server with port 50052 is unreachable"));
  EXPECT_THAT(message,
              HasSubstr("(session 7). Start a server with 'cache_admin --start -p 50052'"));
}

TEST_F(ServerTest, ASecondServerOnThePortIsRefused) {
  const TestServer server;
  const auto second = Server::start({});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message(), HasSubstr("Cache server is already up and running"));
  ServerOptions beside;
  beside.port = 50053;
  const TestServer neighbour(beside);
}

TEST_F(ServerTest, UnknownSessionIsAnError) {
  const TestServer server;
  EXPECT_THAT(message_of(CacheClient::open(mappable(4711))),
              HasSubstr("the session was not found!"));
}

TEST_F(ServerTest, SpillingNeedsASpillFolder) {
  const TestServer server;
  CacheOptions options = mappable(server.session());
  options.spilling = true;
  EXPECT_THAT(message_of(CacheClient::open(options)), HasSubstr("not set up with spill support"));
}

TEST_F(ServerTest, NothingIsLeftWhenItEnds) {
  const ServerPlace place = server_place(user_folders()[0], 50052);
  {
    TestServer server;
    EXPECT_TRUE(std::filesystem::exists(place.socket()));
    EXPECT_TRUE(std::filesystem::exists(place.lock()));
    const auto mode = std::filesystem::status(place.socket()).permissions();
    EXPECT_EQ(mode, std::filesystem::perms(0600));
  }
  EXPECT_FALSE(std::filesystem::exists(place.socket()));
  EXPECT_FALSE(std::filesystem::exists(place.lock()));
}

TEST_F(ServerTest, RowsOfOneClientAreFoundByAnother) {
  const TestServer server;
  const std::uint32_t session = server.session();
  const auto writer = CacheClient::open(mappable(session)).value();
  EXPECT_EQ(text_of(*writer, 5), "(none)");
  ASSERT_TRUE(offer(*writer, 5, "five"));
  ASSERT_TRUE(offer(*writer, 6, ""));
  ASSERT_TRUE(offer(*writer, 5, "again"));
  ASSERT_TRUE(writer->flush());
  const auto reader = CacheClient::open(mappable(session)).value();
  EXPECT_EQ(text_of(*reader, 5), "five");
  EXPECT_EQ(text_of(*reader, 6), "");
  EXPECT_EQ(text_of(*reader, 7), "(none)");
  const CacheStatistics statistics = reader->statistics().value();
  EXPECT_EQ(statistics.rows_in_memory, 2U);
  EXPECT_EQ(statistics.bytes_in_memory, 4U);
  EXPECT_EQ(statistics.hits, 2U);
  EXPECT_EQ(statistics.clients, 2U);
}

TEST_F(ServerTest, PartsAreOneRow) {
  const TestServer server;
  const auto client = CacheClient::open(mappable(server.session())).value();
  const std::array parts = {platform::as_bytes("ab"), platform::as_bytes(""),
                            platform::as_bytes("cde")};
  ASSERT_TRUE(client->offer(1, parts));
  ASSERT_TRUE(client->flush());
  EXPECT_EQ(text_of(*client, 1), "abcde");
}

TEST_F(ServerTest, AnotherDescriptionIsAnotherCache) {
  const TestServer server;
  const std::uint32_t session = server.session();
  const auto one = CacheClient::open(mappable(session, "x + 1")).value();
  const auto two = CacheClient::open(mappable(session, "x + 2")).value();
  ASSERT_TRUE(offer(*one, 0, "of one"));
  ASSERT_TRUE(one->flush());
  EXPECT_EQ(text_of(*two, 0), "(none)");
  EXPECT_NE(one->connection_id(), two->connection_id());
  EXPECT_EQ(server.control()->list_sessions().value()[0].caches.size(), 2U);
}

TEST_F(ServerTest, ManyRowsOutgrowTableAndSegments) {
  const TestServer server;
  const std::uint32_t session = server.session();
  const auto writer = CacheClient::open(mappable(session)).value();
  const auto reader = CacheClient::open(mappable(session)).value();
  constexpr std::uint64_t kRows = 20000;
  const auto text = [](std::uint64_t row) {
    return std::string(row % 700, static_cast<char>('a' + row % 26));
  };
  for (std::uint64_t row = 0; row < kRows; ++row) ASSERT_TRUE(offer(*writer, row * 977, text(row)));
  ASSERT_TRUE(writer->flush());
  for (std::uint64_t row = 0; row < kRows; ++row) {
    ASSERT_EQ(text_of(*reader, row * 977), text(row)) << row;
    ASSERT_EQ(text_of(*writer, row * 977), text(row)) << row;
  }
}

TEST_F(ServerTest, ARowMayBeLargerThanTheMemoryForRowsOnTheirWay) {
  const TestServer server;
  const auto client = CacheClient::open(mappable(server.session())).value();
  const std::string large(std::size_t{20} << 20, 'L');
  ASSERT_TRUE(offer(*client, 1, "before"));
  ASSERT_TRUE(offer(*client, 2, large));
  ASSERT_TRUE(offer(*client, 3, "after"));
  ASSERT_TRUE(client->flush());
  EXPECT_EQ(text_of(*client, 1), "before");
  EXPECT_TRUE(text_of(*client, 2) == large);
  EXPECT_EQ(text_of(*client, 3), "after");
}

TEST_F(ServerTest, ViewsOutliveSessionServerAndClient) {
  auto server = std::make_unique<TestServer>();
  const std::uint32_t session = server->session();
  auto client = CacheClient::open(mappable(session)).value();
  ASSERT_TRUE(offer(*client, 1, "kept"));
  ASSERT_TRUE(client->flush());
  const RowView view = client->find(1).value().value();
  ASSERT_TRUE(server->control()->destroy_session(session));
  const auto after = client->find(1);
  ASSERT_FALSE(after);
  EXPECT_THAT(after.error().message(),
              HasSubstr("Cache id " + std::to_string(client->connection_id()) + " not found"));
  EXPECT_FALSE(offer(*client, 2, "late") && client->flush());
  server.reset();
  client.reset();
  EXPECT_EQ(std::memcmp(view.bytes.data(), "kept", 4), 0);
}

TEST_F(ServerTest, ALostServerIsAnErrorAtOnce) {
  auto server = std::make_unique<TestServer>();
  const auto client = CacheClient::open(mappable(server->session())).value();
  ASSERT_TRUE(offer(*client, 1, "one"));
  ASSERT_TRUE(client->flush());
  server.reset();
  wait_until([&] { return !client->find(1); });
  EXPECT_THAT(client->find(1).error().message(), HasSubstr("cache_admin --start -p 50052"));
  EXPECT_FALSE(offer(*client, 2, "two"));
  EXPECT_FALSE(client->statistics());
}

TEST_F(ServerTest, AForkedChildReadsItsViewsAndGoesInPeace) {
  const TestServer server;
  auto client = CacheClient::open(mappable(server.session())).value();
  ASSERT_TRUE(offer(*client, 1, "one"));
  ASSERT_TRUE(client->flush());
  const RowView view = client->find(1).value().value();
  const pid_t child = fork();
  if (child == 0) {
    const bool is_right = std::memcmp(view.bytes.data(), "one", 3) == 0 && !client->flush();
    client.reset();
    _exit(is_right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text_of(*client, 1), "one");
}

TEST_F(ServerTest, ClientsCannotWriteToSharedMemory) {
  const TestServer server;
  const auto client = CacheClient::open(mappable(server.session())).value();
  const auto presence = Presence::open(50052).value();
  auto control = server.control();
  ASSERT_TRUE(control->attach(presence->client(), mappable(server.session())));
  const SharedPart part = presence->fetch(FrameKind::AskTable, 0).value();
  EXPECT_EQ(mmap(nullptr, part.size, PROT_WRITE, MAP_SHARED, part.descriptor.number(), 0),
            MAP_FAILED);
}

TEST_F(ServerTest, MemoryOfARowThatIsTooMuchIsRefusedQuietlyForMappableSources) {
  const TestServer server;
  CacheOptions options = mappable(server.session());
  options.size_mb = 1;
  const auto client = CacheClient::open(options).value();
  const std::string row(100000, 'r');
  for (std::uint64_t id = 0; id < 20; ++id) ASSERT_TRUE(offer(*client, id, row));
  ASSERT_TRUE(client->flush());
  EXPECT_FALSE(client->takes_rows());
  EXPECT_EQ(client->statistics().value().rows_in_memory, 10U);
  EXPECT_EQ(text_of(*client, 9), row);
  EXPECT_EQ(text_of(*client, 10), "(none)");
}

TEST_F(ServerTest, WhatDoesNotFitGoesToDisk) {
  ServerOptions settings;
  settings.spill_folder = folder_.path() / "spill";
  std::filesystem::create_directory(settings.spill_folder);
  const TestServer server(settings);
  CacheOptions options = mappable(server.session());
  options.size_mb = 1;
  options.spilling = true;
  const auto client = CacheClient::open(options).value();
  const auto row = [](std::uint64_t id) {
    return std::string(100001, static_cast<char>('a' + id));
  };
  for (std::uint64_t id = 0; id < 20; ++id) ASSERT_TRUE(offer(*client, id, row(id)));
  ASSERT_TRUE(client->flush());
  EXPECT_EQ(client->statistics().value().rows_on_disk, 10U);
  const std::array<std::uint64_t, 2> soon = {12, 13};
  client->will_need(soon);
  for (std::uint64_t id = 0; id < 20; ++id) EXPECT_TRUE(text_of(*client, id) == row(id)) << id;
  EXPECT_TRUE(std::filesystem::is_empty(settings.spill_folder));
}

TEST_F(ServerTest, SizeBeyondTheMachineIsRefused) {
  const TestServer server({}, {std::uint64_t{64} << 20, [] { return std::uint64_t{64} << 20; }});
  CacheOptions options = mappable(server.session());
  options.size_mb = 65;
  EXPECT_THAT(
      message_of(CacheClient::open(options)),
      HasSubstr("Out of memory. Requesting cache size 68157440 while available system memory "
                "67108864"));
  options.size_mb = 60;
  EXPECT_THAT(message_of(CacheClient::open(options)), HasSubstr("please destroy some sessions"));
}

TEST_F(ServerTest, AFullServerTakesNoNewCaches) {
  const TestServer server({}, {std::uint64_t{20} << 20, [] { return std::uint64_t{20} << 20; }});
  const std::uint32_t session = server.session();
  const auto first = CacheClient::open(mappable(session, "first")).value();
  const std::string row(std::size_t{1} << 20, 'r');
  for (std::uint64_t id = 0; first->takes_rows() && id < 100; ++id)
    ASSERT_TRUE(offer(*first, id, row));
  ASSERT_TRUE(first->flush());
  EXPECT_THAT(message_of(CacheClient::open(mappable(session, "second"))),
              HasSubstr("please destroy some sessions"));
  ASSERT_TRUE(server.control()->destroy_session(session));
  EXPECT_TRUE(CacheClient::open(mappable(server.session(), "third")));
}

TEST_F(ServerTest, AStreamIsBuiltOnceAndReadByAll) {
  const TestServer server;
  const std::uint32_t session = server.session();
  const auto builder = CacheClient::open(stream(session)).value();
  const auto reader = CacheClient::open(stream(session)).value();
  ASSERT_EQ(builder->begin_build({}).value(), BuildTurn::Build);
  BuildTurn turn = BuildTurn::Build;
  std::thread waiting([&] { turn = reader->begin_build({}).value(); });
  for (int row = 0; row < 3000; ++row) ASSERT_TRUE(append(*builder, std::to_string(row)));
  ASSERT_TRUE(builder->end_build());
  waiting.join();
  EXPECT_EQ(turn, BuildTurn::Ready);
  EXPECT_EQ(reader->row_count(), 3000U);
  EXPECT_EQ(text_of(*reader, 2999), "2999");
  EXPECT_EQ(text_of(*builder, 0), "0");
  EXPECT_EQ(CacheClient::open(stream(session)).value()->begin_build({}).value(), BuildTurn::Ready);
}

TEST_F(ServerTest, WhenTheBuilderGoesAWaitingClientBuilds) {
  const TestServer server;
  const std::uint32_t session = server.session();
  auto builder = CacheClient::open(stream(session)).value();
  const auto heir = CacheClient::open(stream(session)).value();
  ASSERT_EQ(builder->begin_build({}).value(), BuildTurn::Build);
  ASSERT_TRUE(append(*builder, "lost"));
  std::thread waiting([&] { EXPECT_EQ(heir->begin_build({}).value(), BuildTurn::Build); });
  builder.reset();
  waiting.join();
  ASSERT_TRUE(append(*heir, "found"));
  ASSERT_TRUE(heir->end_build());
  EXPECT_EQ(heir->row_count(), 1U);
  EXPECT_EQ(text_of(*heir, 0), "found");
}

TEST_F(ServerTest, AWaitForABuildCanBeStopped) {
  const TestServer server;
  const std::uint32_t session = server.session();
  const auto builder = CacheClient::open(stream(session)).value();
  const auto other = CacheClient::open(stream(session)).value();
  ASSERT_TRUE(builder->begin_build({}));
  std::stop_source stop;
  std::thread waiting([&] { EXPECT_FALSE(other->begin_build(stop.get_token())); });
  stop.request_stop();
  waiting.join();
}

TEST_F(ServerTest, WhoWaitsForABuildLooksAfterOtherThings) {
  const TestServer server;
  const std::uint32_t session = server.session();
  const auto builder = CacheClient::open(stream(session)).value();
  const auto other = CacheClient::open(stream(session)).value();
  ASSERT_TRUE(builder->begin_build({}));
  struct Interrupted {};
  int times = 0;
  const auto attend = [&] {
    if (++times == 3) throw Interrupted();
  };
  EXPECT_THROW(static_cast<void>(other->begin_build({}, attend)), Interrupted);
  ASSERT_TRUE(append(*builder, "one"));
  ASSERT_TRUE(builder->end_build());
  EXPECT_EQ(other->begin_build({}, attend).value(), BuildTurn::Ready);
}

TEST_F(ServerTest, AStreamThatDoesNotFitFailsForAll) {
  const TestServer server;
  CacheOptions options = stream(server.session());
  options.size_mb = 1;
  const auto builder = CacheClient::open(options).value();
  const auto other = CacheClient::open(options).value();
  ASSERT_EQ(builder->begin_build({}).value(), BuildTurn::Build);
  std::string waited;
  std::thread waiting([&] {
    const auto turn = other->begin_build({});
    waited = turn ? "no error" : turn.error().message();
  });
  wait_until([&] { return server.control()->server_info().value().clients == 2; });
  const std::string row(100000, 'r');
  for (int k = 0; k < 20; ++k) static_cast<void>(append(*builder, row));
  const auto end = builder->end_build();
  ASSERT_FALSE(end);
  EXPECT_THAT(
      end.error().message(),
      testing::StartsWith(
          "Out of memory. No enough storage for cache server to cache data. Give the cache a "
          "larger 'size'"));
  waiting.join();
  // Either it saw the failure, or it came later and got a turn of its own.
  if (waited != "no error") {
    EXPECT_THAT(waited, HasSubstr("No enough storage"));
  }
  EXPECT_EQ(server.control()->list_sessions().value()[0].caches[0].statistics.rows_in_memory, 0U);
}

TEST_F(ServerTest, RemovalOfTheSocketEndsTheServer) {
  const auto server = Server::start({}).value();
  std::filesystem::remove(server->place().socket());
  EXPECT_EQ(server->run(), Listener::End::SocketRemoved);
}

TEST_F(ServerTest, AnotherFileInItsPlaceEndsTheServerAndStays) {
  auto server = Server::start({}).value();
  const Path socket = server->place().socket();
  std::filesystem::remove(socket);
  ASSERT_TRUE(platform::replace_file(socket, platform::as_bytes("mine")));
  EXPECT_EQ(server->run(), Listener::End::SocketReplaced);
  server.reset();
  EXPECT_TRUE(std::filesystem::exists(socket));
}

TEST_F(ServerTest, LeftoversDoNotStopAStart) {
  const ServerPlace place = server_place(make_user_folder().value(), 50052);
  ASSERT_TRUE(platform::replace_file(place.socket(), platform::as_bytes("a plain file")));
  ASSERT_TRUE(platform::replace_file(place.lock(), platform::as_bytes("pid 1 start 1 boot x\n")));
  const TestServer server;
  EXPECT_NE(server.session(), 0U);
}

TEST_F(ServerTest, WorkersAreMadeToFitTheMachine) {
  EXPECT_EQ(adjusted_workers(100, 2, 1), 4);
  EXPECT_EQ(adjusted_workers(3, 2, 1), 3);
  EXPECT_EQ(adjusted_workers(1, 8, 2), 2);
  EXPECT_EQ(adjusted_workers(5, 8, 4), 8);
}

}  // namespace
}  // namespace mycel::cache
