// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/base64.h"

#include <gtest/gtest.h>

namespace mycel::serving {
namespace {

std::string encoded(std::string_view text) {
  return to_base64(std::as_bytes(std::span(text.data(), text.size())));
}

TEST(Base64Test, RefusesWhatIsNoBase64) {
  for (const std::string_view text :
       {"a", "ab", "abc", "ab=c", "=abc", "a===", "====", "ab c", "ab-_", "abcd\n", "ab\xff="})
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
}

TEST(Base64Test, EncodesTheExamplesOfTheStandard) {
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foob"), "Zm9vYg==");
  EXPECT_EQ(encoded("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
}

TEST(Base64Test, BytesComeBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  for (std::size_t size = 0; size <= all.size(); ++size)
    EXPECT_EQ(from_base64(encoded(all.substr(0, size))), all.substr(0, size));
}

}  // namespace
}  // namespace mycel::serving
