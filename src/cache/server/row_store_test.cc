// SPDX-License-Identifier: Apache-2.0
#include "cache/server/row_store.h"

#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cache/server/test_server.h"

namespace mycel::cache {
namespace {

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

MachineMemory machine(std::uint64_t bytes) {
  return {bytes, [bytes] { return bytes; }};
}

platform::Descriptor memory_of(std::uint64_t size, int seals) {
  platform::Descriptor memory(memfd_create("rows", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(ftruncate(memory.number(), static_cast<off_t>(size)), 0);
  fcntl(memory.number(), F_ADD_SEALS, seals);
  return memory;
}

class RowStoreTest : public testing::Test {
 protected:
  std::shared_ptr<RowStore> make(const StoreLimits& limits = {}) {
    return RowStore::make(budget_, limits, StoreState::Open).value();
  }
  MemoryBudget budget_{machine(kPlenty), 0.8};
  std::shared_ptr<const StagingMemory> staging_ =
      StagingMemory::check(memory_of(1 << 20, F_SEAL_SHRINK), 1 << 20).value();
};

TEST_F(RowStoreTest, OnlyMemoryThatCannotShrinkIsTaken) {
  EXPECT_FALSE(StagingMemory::check(memory_of(4096, 0), 4096));
  EXPECT_FALSE(StagingMemory::check(memory_of(4096, F_SEAL_SHRINK), 4097));
  EXPECT_FALSE(StagingMemory::check(platform::Descriptor(open("/dev/zero", O_RDONLY)), 10));
  EXPECT_FALSE(StagingMemory::check(platform::Descriptor(), 10));
}

TEST_F(RowStoreTest, RowsOutsideOfTheMemoryAreRefused) {
  const auto store = make();
  for (const auto& [offset, length] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, (1 << 20) + 1}, {1 << 20, 1}, {~0ULL, 2}, {2, ~0ULL}, {~0ULL, ~0ULL}}) {
    EXPECT_FALSE(store->store(*staging_, {{1}, {offset}, {length}}, false)) << offset;
  }
  EXPECT_FALSE(store->store(*staging_, {{1, 2}, {0}, {1}}, false));
  EXPECT_EQ(store->statistics().rows_in_memory, 0U);
}

TEST_F(RowStoreTest, RowsOfABuildComeInOrder) {
  const auto store = make();
  EXPECT_TRUE(store->store(*staging_, {{0, 1}, {0, 0}, {1, 1}}, true));
  EXPECT_FALSE(store->store(*staging_, {{3}, {0}, {1}}, true));
  EXPECT_FALSE(store->store(*staging_, {{1}, {0}, {1}}, true));
}

TEST_F(RowStoreTest, MemoryComesBackWithTheStore) {
  const auto store = make();
  ASSERT_TRUE(store->store(*staging_, {{0}, {0}, {1000}}, false));
  if (store->wants_spare()) store->make_spare();
  EXPECT_GT(budget_.used_bytes(), 1000U);
  store->discard();
  EXPECT_LT(budget_.used_bytes(), 100000U);
}

TEST_F(RowStoreTest, ThereIsNoSuchPart) {
  const auto store = make();
  EXPECT_TRUE(store->part(FrameKind::AskHeader, 0));
  EXPECT_TRUE(store->part(FrameKind::AskTable, 99));
  EXPECT_FALSE(store->part(FrameKind::AskSegment, 0));
  EXPECT_FALSE(store->part(FrameKind::AskSpill, 0));
  EXPECT_FALSE(store->part(FrameKind::Hello, 0));
}

TEST_F(RowStoreTest, TheRestOfTheMachineKeepsItsShare) {
  std::uint64_t available = kPlenty;
  MemoryBudget budget({kPlenty, [&] { return available; }}, 0.5);
  EXPECT_FALSE(budget.take(kPlenty / 2 + 1));
  EXPECT_TRUE(budget.take(kPlenty / 2));
  available = kPlenty / 2 + 4096;
  EXPECT_TRUE(budget.take(4096));
  EXPECT_FALSE(budget.take(4097));
  EXPECT_EQ(budget.used_bytes(), 0U);
}

TEST_F(RowStoreTest, AFullDiskEndsStoringAndKeepsWhatIsThere) {
  const TestFolder folder;
  const SpillFolder spill = SpillFolder::open(folder.path(), 50052).value();
  const auto store = make({4096, &spill});
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{100000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  Result<Room> room = Room::Enough;
  std::uint64_t row = 0;
  for (; room && room.value() == Room::Enough && row < 100; ++row)
    room = store->store(*staging_, {{row}, {0}, {30000}}, false);
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_TRUE(room);
  EXPECT_EQ(room.value(), Room::NoDisk);
  EXPECT_EQ(store->statistics().rows_on_disk, 3U);
  EXPECT_EQ(store->store(*staging_, {{row}, {0}, {1}}, false).value(), Room::NoDisk);
}

TEST(SpillFolderTest, ANamedFileLeavesNothing) {
  const TestFolder folder;
  const SpillFolder spill = SpillFolder::open(folder.path(), 50052).value();
  const auto file = spill.make_file(SpillFolder::FileKind::Named);
  ASSERT_TRUE(file);
  EXPECT_EQ(pwrite(file.value().number(), "x", 1, 0), 1);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(SpillFolderTest, WrongFoldersAreToldInKnownWords) {
  EXPECT_EQ(SpillFolder::open("spill", 1).error().message(),
            "Spilling directory must be an absolute path");
  EXPECT_NE(
      SpillFolder::open("/proc/nothing", 1)
          .error()
          .message()
          .find("Spilling directory is not writable\nUnable to create directory /proc/nothing/"),
      std::string::npos);
}

}  // namespace
}  // namespace mycel::cache
