// SPDX-License-Identifier: Apache-2.0
#include "platform/json/json.h"

#include <gtest/gtest.h>

namespace mycel::platform {
namespace {

std::string message_of(std::string_view text) {
  try {
    parse_json(text, "x.json");
  } catch (const Error& error) {
    return error.message();
  }
  return "none";
}

TEST(JsonTest, MistakesAreToldWithTheirPlace) {
  EXPECT_EQ(message_of("{\"a\": 1,\n  x}"),
            "x.json: line 2, column 3: expected a member name in quotes, but got 'x'");
  EXPECT_EQ(message_of(""),
            "x.json: line 1, column 1: expected a value, but got the end of the text");
  for (const char* bad :
       {"[1,]", "{\"a\"}", "01", "1.", ".5", "-", "\"a", "\"\\q\"", "\"\\u12\"", "\"\\ud800\"",
        "\"\xff\"", "\"\xed\xa0\x80\"", "\"\xc3\"", "[1] 2", "tru", "\"\n\"", "1e999", "1e", "+1"})
    EXPECT_NE(message_of(bad), "none") << bad;
}

TEST(JsonTest, NestingIsBounded) {
  EXPECT_NE(message_of(std::string(100000, '[')), "none");
  EXPECT_EQ(message_of(std::string(100, '[') + std::string(100, ']')), "none");
}

TEST(JsonTest, ValuesAreRead) {
  const Json json = parse_json(
      " {\"i\": -7, \"r\": 2.5e1, \"big\": 18446744073709551615, \"s\": "
      "\"\\u00e9\\ud83d\\ude00\\n\","
      "\"l\": [true, null, {}], \"i\": 8}",
      "");
  EXPECT_EQ(json.at("i").integer(), 8);
  EXPECT_EQ(json.at("r").integer(), 25);
  EXPECT_EQ(json.at("big").real(), 18446744073709551615.0);
  EXPECT_EQ(json.at("s").string(), "\xC3\xA9\xF0\x9F\x98\x80\n");
  EXPECT_EQ(json.at("l").array().size(), 3u);
  EXPECT_EQ(json.find("nothing"), nullptr);
  EXPECT_THROW(json.at("nothing"), Error);
  EXPECT_THROW(json.at("s").integer(), Error);
  EXPECT_THROW(json.at("big").integer(), Error);
}

TEST(JsonTest, TextComesBackUnchanged) {
  const std::string text =
      "{\"b\":[1,-2.5,3.0,1e+300,true,null],\"a\":{},\"\xC3\xA9/\":\"\\\"\\\\\\n\\u0001\"}";
  EXPECT_EQ(parse_json(text, "").text(), text);
}

}  // namespace
}  // namespace mycel::platform
