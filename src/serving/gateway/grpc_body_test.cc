// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/grpc_body.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

namespace mycel::serving {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using std::chrono_literals::operator""h;
using std::chrono_literals::operator""us;

constexpr std::size_t kMost = 1000;

std::string framed(const std::string& text, bool is_packed = false) {
  const auto prefix = grpc_prefix(text.size());
  std::string bytes(prefix.data(), prefix.size());
  bytes[0] = is_packed ? 1 : 0;
  return bytes + text;
}

std::string packed(const std::string& text, GrpcEncoding encoding) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED,
               MAX_WBITS + (encoding == GrpcEncoding::Gzip ? 16 : 0), 8, Z_DEFAULT_STRATEGY);
  std::string bytes(deflateBound(&stream, text.size()), '\0');
  std::string from = text;
  stream.next_in = reinterpret_cast<Bytef*>(from.data());
  stream.avail_in = static_cast<uInt>(from.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

struct Read {
  std::vector<std::string> messages;
  std::optional<GrpcStatus> wrong;
};

Read read(const std::string& bytes, std::size_t step = std::string::npos,
          GrpcEncoding encoding = GrpcEncoding::Identity) {
  GrpcBody body(kMost);
  body.set_encoding(encoding);
  Read read;
  for (std::size_t at = 0; at < bytes.size() && !read.wrong;) {
    const std::string part = bytes.substr(at, step);
    at += part.size();
    read.wrong =
        body.read(part, [&](std::string message) { read.messages.push_back(std::move(message)); });
  }
  return read;
}

// ---- what is wrong with a body

TEST(GrpcBodyTest, TooLongMessagesAreRefusedBeforeTheyCome) {
  const Read longer = read(framed(std::string(kMost + 1, 'x')).substr(0, 5));
  ASSERT_TRUE(longer.wrong);
  EXPECT_EQ(longer.wrong->code, GrpcCode::ResourceExhausted);
  EXPECT_THAT(longer.wrong->text, HasSubstr("1001 vs. 1000"));
}

TEST(GrpcBodyTest, UnknownFlagsAreRefused) {
  std::string bytes = framed("a");
  bytes[0] = 2;
  EXPECT_EQ(read(bytes).wrong->code, GrpcCode::Internal);
}

TEST(GrpcBodyTest, CompressionWithoutItsNameIsRefused) {
  EXPECT_EQ(read(framed("a", true)).wrong->code, GrpcCode::Internal);
}

TEST(GrpcBodyTest, DamagedCompressionIsRefused) {
  for (const GrpcEncoding encoding : {GrpcEncoding::Gzip, GrpcEncoding::Deflate}) {
    std::string bytes = packed("some words that are there", encoding);
    EXPECT_TRUE(read(framed(bytes.substr(0, bytes.size() / 2), true), 9, encoding).wrong);
    bytes[0] = '?';
    EXPECT_TRUE(read(framed(bytes, true), 9, encoding).wrong);
    EXPECT_TRUE(read(framed("", true), 9, encoding).wrong);
  }
}

// A few bytes that would become very many.
TEST(GrpcBodyTest, BombsAreRefused) {
  const std::string bomb = packed(std::string(std::size_t{1} << 20, '\0'), GrpcEncoding::Gzip);
  ASSERT_LT(bomb.size(), kMost * 2);
  GrpcBody body(kMost * 2);
  body.set_encoding(GrpcEncoding::Gzip);
  const auto wrong = body.read(framed(bomb, true), [](const std::string&) { FAIL(); });
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->code, GrpcCode::ResourceExhausted);
}

// ---- what is right

TEST(GrpcBodyTest, MessagesComeInAnyPieces) {
  const std::string bytes = framed("one") + framed("") + framed(std::string(kMost, 'x'));
  for (const std::size_t step : {std::size_t{1}, std::size_t{2}, std::size_t{7}, bytes.size()}) {
    const Read all = read(bytes, step);
    EXPECT_FALSE(all.wrong);
    EXPECT_THAT(all.messages, ElementsAre("one", "", std::string(kMost, 'x')));
  }
}

TEST(GrpcBodyTest, CompressedMessagesComeWhole) {
  for (const GrpcEncoding encoding : {GrpcEncoding::Gzip, GrpcEncoding::Deflate}) {
    const std::string bytes = framed(packed("hello", encoding), true) + framed("as it is") +
                              framed(packed("", encoding), true);
    EXPECT_THAT(read(bytes, 3, encoding).messages, ElementsAre("hello", "as it is", ""));
  }
}

TEST(GrpcBodyTest, KnowsWhetherAMessageIsCut) {
  GrpcBody body(kMost);
  const auto ignore = [](const std::string&) {};
  EXPECT_TRUE(body.is_between_messages());
  body.read(std::string(3, '\0'), ignore);
  EXPECT_FALSE(body.is_between_messages());
  body.read(std::string("\0\2a", 3), ignore);
  EXPECT_FALSE(body.is_between_messages());
  EXPECT_GE(body.held_bytes(), 1U);
  body.read("b", ignore);
  EXPECT_TRUE(body.is_between_messages());
}

// ---- headers

TEST(GrpcHeaderTest, TimeoutsHaveUnits) {
  EXPECT_EQ(read_timeout("1H"), 1h);
  EXPECT_EQ(read_timeout("20u"), 20us);
  EXPECT_EQ(read_timeout("0n"), 0us);
  EXPECT_GT(read_timeout("99999999H"), 24h);
  EXPECT_GT(Clock::now() + *read_timeout("99999999H"), Clock::now());  // it does not wrap
  for (const std::string_view text : {"", "1", "H", "1x", "-1S", "1.5S", "123456789S", "S1"})
    EXPECT_FALSE(read_timeout(text)) << text;
}

TEST(GrpcHeaderTest, StatusTextsAreEncoded) {
  EXPECT_EQ(percent_encoded("100 % of it\n"), "100 %25 of it%0A");
  EXPECT_EQ(percent_encoded("\xC3\xA4"), "%C3%A4");
}

TEST(GrpcHeaderTest, StatusTextsAreShort) {
  std::string letters;
  for (int i = 0; i < 100'000; ++i) letters += "\xC3\xA4";
  const std::string encoded = percent_encoded(letters);
  EXPECT_LT(encoded.size(), 5000U);
  EXPECT_EQ(encoded.substr(encoded.size() - 9), "%C3%A4...");
  EXPECT_LT(percent_encoded(std::string(100'000, '\x80')).size(), 5000U);  // no UTF-8 at all
}

TEST(GrpcHeaderTest, EncodingsHaveNames) {
  EXPECT_EQ(read_encoding("gzip"), GrpcEncoding::Gzip);
  EXPECT_FALSE(read_encoding("br"));
}

}  // namespace
}  // namespace mycel::serving
