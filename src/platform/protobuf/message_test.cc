// SPDX-License-Identifier: Apache-2.0
#include "platform/protobuf/message.h"

#include <limits>

#include <gtest/gtest.h>

namespace mycel::platform {
namespace {

constexpr MessageSource kSource{ErrorKind::Value, "not a message"};

TEST(Message, NumbersComeBack) {
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, std::uint64_t{1} << 35,
        std::numeric_limits<std::uint64_t>::max()}) {
    std::string text;
    MessageWriter(text).varint(3, number);
    MessageReader reader(text, kSource);
    std::uint32_t field = 0;
    Wire wire{};
    ASSERT_TRUE(reader.next(field, wire));
    EXPECT_EQ(field, 3U);
    EXPECT_EQ(wire, Wire::Varint);
    EXPECT_EQ(reader.varint(), number);
    EXPECT_TRUE(reader.at_end());
  }
}

TEST(Message, UnknownFieldsArePassedOver) {
  std::string text;
  MessageWriter writer(text);
  writer.varint(1, 5);
  writer.bytes(2, "skipped");
  text += std::string("\x1d\0\0\0\0", 5);          // field 3, 32 bits
  text += std::string("\x21\0\0\0\0\0\0\0\0", 9);  // field 4, 64 bits
  writer.bytes(5, "taken");
  std::string_view taken;
  for_fields(text, kSource, [&](MessageReader& reader, std::uint32_t field, Wire) {
    if (field == 5) taken = reader.bytes();
    return field == 5;
  });
  EXPECT_EQ(taken, "taken");
}

TEST(Message, LengthsBeyondTheEndAreRefused) {
  const std::string bad[] = {
      std::string("\x0a\x05"
                  "abc"),  // five bytes stated, three there
      std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),  // 2^64 - 1 bytes
      std::string("\x08\x80\x80"),                                  // a number that does not end
      std::string(12, '\x80'),                                      // a tag that does not end
      std::string("\x00\x00", 2),                                   // field number 0
      std::string("\x0b"),      // a kind of field that no longer exists
      std::string("\x0d\x01"),  // 32 bits stated, 8 there
  };
  for (const std::string& text : bad) {
    EXPECT_THROW(
        for_fields(text, kSource, [](MessageReader&, std::uint32_t, Wire) { return false; }),
        Error);
  }
}

}  // namespace
}  // namespace mycel::platform
