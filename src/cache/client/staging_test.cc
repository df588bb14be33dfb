// SPDX-License-Identifier: Apache-2.0
#include "cache/client/staging.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace mycel::cache {
namespace {

Result<Done> put(Staging& staging, std::uint64_t row_id, std::string_view text) {
  const Bytes part = platform::as_bytes(text);
  return staging.put(row_id, std::span(&part, 1));
}

// Remembers the memory it was told of, and reads rows as the server does.
struct Receiver {
  int descriptor = -1;
  int announced = 0;
  Staging::Announce announce() {
    return [this](int number, std::uint64_t) -> Result<Done> {
      descriptor = number;
      ++announced;
      return Done{};
    };
  }
  std::string read(const StagedRows& rows, std::size_t k) const {
    std::string text(rows.lengths[k], ' ');
    EXPECT_EQ(pread(descriptor, text.data(), text.size(), static_cast<off_t>(rows.offsets[k])),
              static_cast<ssize_t>(text.size()));
    return text;
  }
};

TEST(StagingTest, MemoryThatIsNotTakenIsAnError) {
  Staging staging(4096, [](int, std::uint64_t) -> Result<Done> {
    return platform::Error(platform::ErrorKind::Runtime, "no");
  });
  EXPECT_FALSE(put(staging, 1, "row"));
}

TEST(StagingTest, PutAfterCloseIsAnError) {
  Receiver receiver;
  Staging staging(4096, receiver.announce());
  staging.close(false);
  EXPECT_FALSE(put(staging, 1, "row"));
  EXPECT_FALSE(staging.next({}));
}

TEST(StagingTest, WhatWasPutBeforeCloseStillGoesOut) {
  Receiver receiver;
  Staging staging(4096, receiver.announce());
  ASSERT_TRUE(put(staging, 1, "one"));
  ASSERT_TRUE(put(staging, 2, "two"));
  staging.close(false);
  const auto rows = staging.next({});
  ASSERT_TRUE(rows);
  EXPECT_EQ(receiver.read(*rows, 1), "two");
  staging.done();
  EXPECT_FALSE(staging.next({}));
  staging.wait_sent();
}

TEST(StagingTest, RowsOfALostServerAreForgotten) {
  Receiver receiver;
  Staging staging(4096, receiver.announce());
  ASSERT_TRUE(put(staging, 1, "one"));
  staging.close(true);
  EXPECT_FALSE(staging.next({}));
  staging.wait_sent();
}

TEST(StagingTest, AWriterWaitsForRoomAndOneHalfIsNeverWrittenWhileItIsSent) {
  Receiver receiver;
  Staging staging(4096, receiver.announce());
  constexpr std::uint64_t kRows = 500;
  const auto text = [](std::uint64_t row) {
    return std::string(1000, static_cast<char>('a' + row % 26));
  };
  std::thread writer([&] {
    for (std::uint64_t row = 0; row < kRows; ++row) ASSERT_TRUE(put(staging, row, text(row)));
    staging.close(false);
  });
  std::uint64_t expected = 0;
  while (const auto rows = staging.next({})) {
    for (std::size_t k = 0; k < rows->row_ids.size(); ++k, ++expected) {
      EXPECT_EQ(rows->row_ids[k], expected);
      EXPECT_EQ(receiver.read(*rows, k), text(expected));
    }
    staging.done();
  }
  writer.join();
  EXPECT_EQ(expected, kRows);
  EXPECT_EQ(receiver.announced, 1);
}

TEST(StagingTest, ALargeRowGetsLargerMemory) {
  Receiver receiver;
  Staging staging(4096, receiver.announce());
  ASSERT_TRUE(put(staging, 1, std::string(100000, 'x')));
  const auto rows = staging.next({});
  EXPECT_EQ(receiver.read(*rows, 0), std::string(100000, 'x'));
}

}  // namespace
}  // namespace mycel::cache
