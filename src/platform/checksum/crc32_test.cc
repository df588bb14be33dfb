// SPDX-License-Identifier: Apache-2.0
#include "platform/checksum/crc32.h"

#include <string>

#include <gtest/gtest.h>

namespace mycel::platform {
namespace {

TEST(Crc32, GivesThePublishedValues) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926U);
  EXPECT_EQ(crc32(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
}

TEST(Crc32, GoesOnWhereItStopped) {
  const std::string text(1000, 'x');
  for (const std::size_t cut : {0, 1, 7, 8, 9, 500, 1000}) {
    const std::string_view view = text;
    EXPECT_EQ(crc32(view.substr(cut), crc32(view.substr(0, cut))), crc32(text));
    EXPECT_EQ(crc32c(view.substr(cut), crc32c(view.substr(0, cut))), crc32c(text));
  }
}

}  // namespace
}  // namespace mycel::platform
