// SPDX-License-Identifier: Apache-2.0
// Without gRPC in between, so that a sanitizer sees all there is.
#include "cache/server/session_table.h"

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cache/client/shared_rows.h"

namespace mycel::cache {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kMemory = std::uint64_t{512} << 20;
constexpr std::uint64_t kStaging = 1 << 16;

class SessionTableTest : public testing::Test {
 protected:
  // A client with memory for rows that has joined a cache.
  std::uint64_t join(const JoinRequest& request) {
    const std::uint64_t client = table_.add_client();
    platform::Descriptor memory(memfd_create("rows", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    EXPECT_EQ(ftruncate(memory.number(), kStaging), 0);
    EXPECT_EQ(pwrite(memory.number(), "row", 3, 0), 3);
    fcntl(memory.number(), F_ADD_SEALS, F_SEAL_SHRINK);
    EXPECT_TRUE(table_.set_staging(client, std::move(memory), kStaging));
    EXPECT_TRUE(table_.join_cache(client, request));
    return client;
  }
  JoinRequest request(bool is_stream = false) const {
    JoinRequest request;
    request.session = session_;
    request.description = "rows";
    request.is_stream = is_stream;
    return request;
  }
  // What the listener does for a client.
  SharedRows::Fetch fetch_for(std::uint64_t client) {
    return [this, client](FrameKind kind, std::uint64_t number) -> Result<SharedPart> {
      Result<LentPart> part = table_.part(client, kind, number);
      if (!part) return part.error();
      return SharedPart{platform::Descriptor(dup(part.value().descriptor)), part.value().size};
    };
  }

  MemoryBudget budget_{{kMemory, [] { return kMemory; }}, 0.8};
  SessionTable table_{{.port = 50052, .budget = &budget_, .spill = nullptr, .prepare = {}}};
  std::uint32_t session_ = table_.generate_session();
};

TEST_F(SessionTableTest, CallsOfStrangersAreRefused) {
  EXPECT_FALSE(table_.store(1, 0, {}));
  EXPECT_FALSE(table_.begin_build(1));
  EXPECT_FALSE(table_.statistics(1));
  EXPECT_FALSE(table_.part(1, FrameKind::AskHeader, 0));
  const std::uint64_t client = table_.add_client();
  EXPECT_FALSE(table_.store(client, 0, {}));
  EXPECT_FALSE(table_.report(client, 1, 1));
}

TEST_F(SessionTableTest, OnlyTheBuilderWritesToAStream) {
  const std::uint64_t builder = join(request(true));
  const std::uint64_t other = join(request(true));
  const StagedRows row{{0}, {0}, {3}};
  EXPECT_FALSE(table_.store(builder, 0, row));
  const BuildAnswer answer = table_.begin_build(builder).value();
  EXPECT_EQ(table_.begin_build(other).value().turn, BuildAnswer::Turn::Wait);
  EXPECT_FALSE(table_.store(other, answer.cookie, row));
  EXPECT_FALSE(table_.store(builder, answer.cookie + 1, row));
  EXPECT_TRUE(table_.store(builder, answer.cookie, row));
  EXPECT_FALSE(table_.end_build(other, answer.cookie, 1));
  EXPECT_FALSE(table_.end_build(builder, answer.cookie, 2));
  EXPECT_TRUE(table_.end_build(builder, answer.cookie, 1));
  EXPECT_FALSE(table_.store(builder, answer.cookie, {{1}, {0}, {3}}));
}

TEST_F(SessionTableTest, ABuilderThatIsNotHeardOfLosesItsTurn) {
  SessionTable table({.port = 50052,
                      .budget = &budget_,
                      .spill = nullptr,
                      .prepare = {},
                      .longest_silence = std::chrono::milliseconds(-1)});
  JoinRequest request = this->request(true);
  request.session = table.generate_session();
  const std::uint64_t silent = table.add_client();
  const std::uint64_t heir = table.add_client();
  ASSERT_TRUE(table.join_cache(silent, request));
  ASSERT_TRUE(table.join_cache(heir, request));
  const BuildAnswer lost = table.begin_build(silent).value();
  EXPECT_EQ(table.begin_build(heir).value().turn, BuildAnswer::Turn::Build);
  EXPECT_EQ(table.store(silent, lost.cookie, {{0}, {0}, {3}}).value(), Room::TurnLost);
  EXPECT_EQ(table.end_build(silent, lost.cookie, 1).value(), BuildStep::TurnLost);
  EXPECT_FALSE(table.store(silent, lost.cookie + 1, {{0}, {0}, {3}}));
  // It may wait for its turn like any other.
  EXPECT_EQ(table.begin_build(silent).value().turn, BuildAnswer::Turn::Build);
}

TEST_F(SessionTableTest, ABuilderThatIsHeardOfKeepsItsTurn) {
  const std::uint64_t builder = join(request(true));
  const std::uint64_t other = join(request(true));
  const BuildAnswer answer = table_.begin_build(builder).value();
  EXPECT_TRUE(table_.report(builder, 0, 0));
  EXPECT_EQ(table_.begin_build(other).value().turn, BuildAnswer::Turn::Wait);
  EXPECT_EQ(table_.store(builder, answer.cookie, {{0}, {0}, {3}}).value(), Room::Enough);
  EXPECT_EQ(table_.end_build(builder, answer.cookie, 1).value(), BuildStep::Kept);
  EXPECT_EQ(table_.begin_build(other).value().turn, BuildAnswer::Turn::Ready);
}

TEST_F(SessionTableTest, AMappableCacheIsNotBuilt) {
  const std::uint64_t client = join(request());
  EXPECT_FALSE(table_.begin_build(client));
  EXPECT_FALSE(table_.join_cache(client, request()));
}

TEST_F(SessionTableTest, AllMemoryComesBackWithSessions) {
  const std::uint64_t client = join(request());
  ASSERT_TRUE(table_.store(client, 0, {{0}, {0}, {3}}));
  EXPECT_GT(budget_.used_bytes(), 0U);
  ASSERT_TRUE(table_.destroy_session(session_));
  const auto late = table_.store(client, 0, {{1}, {0}, {3}});
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().message(), HasSubstr("not found"));
  table_.remove_client(client);
  EXPECT_EQ(budget_.used_bytes(), 0U);
}

TEST_F(SessionTableTest, ThreadsThatStoreReadListAndLeave) {
  constexpr std::uint64_t kRows = 3000;
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (std::uint64_t k = 0; k < 2; ++k) {
    threads.emplace_back([&, k] {
      const std::uint64_t client = join(request());
      for (std::uint64_t row = 0; row < kRows; ++row)
        ASSERT_TRUE(table_.store(client, 0, {{row, row + k * kRows}, {0, 0}, {3, 3}}));
      is_over = true;
    });
  }
  threads.emplace_back([&] {
    const auto rows = SharedRows::open(fetch_for(join(request()))).value();
    for (std::uint64_t row = 0; !is_over; row = (row + 1) % kRows) {
      const std::optional<RowView> found = rows->find(row).value();
      ASSERT_TRUE(!found || std::memcmp(found->bytes.data(), "row", 3) == 0);
    }
    ASSERT_TRUE(rows->find(kRows - 1).value());
  });
  threads.emplace_back([&] {
    while (!is_over) {
      const std::uint64_t client = join(request(true));
      const Result<BuildAnswer> answer = table_.begin_build(client);
      if (answer && answer.value().turn == BuildAnswer::Turn::Build)
        static_cast<void>(table_.store(client, answer.value().cookie, {{0}, {0}, {3}}));
      static_cast<void>(table_.list());
      table_.remove_client(client);
    }
  });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace mycel::cache
