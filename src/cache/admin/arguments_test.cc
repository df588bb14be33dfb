// SPDX-License-Identifier: Apache-2.0
#include "cache/admin/arguments.h"

#include <gtest/gtest.h>

namespace mycel::cache {
namespace {

using Words = std::vector<std::string>;

std::string mistake(const Words& words) {
  const auto arguments = parse_arguments(words);
  return arguments ? "" : arguments.error().message();
}

TEST(ArgumentsTest, AValueIsTheNextWordWhateverItLooksLike) {
  EXPECT_EQ(mistake({"--start", "-p", "-w", "3"}), "Invalid numeric value: -w");
  const Arguments given = parse_arguments(Words{"--start", "-s", "-p"}).value();
  EXPECT_EQ(given.spill_folder, "-p");
}

TEST(ArgumentsTest, WordsAreOneStream) {
  const Arguments given = parse_arguments(Words{"", "--start -p", "  50060\t-w 1"}).value();
  EXPECT_EQ(given.command, Command::Start);
  EXPECT_EQ(given.port, 50060);
  EXPECT_EQ(given.workers, 1);
}

TEST(ArgumentsTest, OptionsStandBeforeOrAfterTheCommand) {
  EXPECT_EQ(parse_arguments(Words{"-p", "2000", "-g"}).value().port, 2000);
  EXPECT_EQ(parse_arguments(Words{"-g", "--port", "2000"}).value().port, 2000);
}

TEST(ArgumentsTest, SessionsAreReadUntilSomethingElseComes) {
  const Arguments given = parse_arguments(Words{"-d", "1", "4294967295", "-p", "2000"}).value();
  EXPECT_EQ(given.sessions, (std::vector<std::uint32_t>{1, 4294967295U}));
  EXPECT_EQ(given.port, 2000);
  EXPECT_NE(mistake({"-d", "4294967296"}), "");
  EXPECT_NE(mistake({"-d", "-1"}), "");
}

TEST(ArgumentsTest, NumbersTooLargeForAnythingAreOutOfRange) {
  EXPECT_EQ(mistake({"-g", "-p", "4294967297"}), "Port must be in range (1025..65535).");
  EXPECT_EQ(mistake({"-g", "-p", "18446744073709551616"}), "Port must be in range (1025..65535).");
}

TEST(ArgumentsTest, FirstMistakeInTheOrderOfChecks) {
  EXPECT_EQ(mistake({"word", "-p", "1", "-h", "x"}),
            "Invalid host interface: x. Current limitation, only 127.0.0.1 can be used.");
  EXPECT_EQ(mistake({"word", "-p", "1"}).substr(0, 33), "Invalid arguments provided:  word");
  EXPECT_EQ(mistake({"-p", "1"}).substr(0, 19), "No command provided");
  EXPECT_EQ(mistake({"--start", "-p", "1", "-r", "2", "-l", "7"}),
            "Log level must be in range (0..4).");
}

}  // namespace
}  // namespace mycel::cache
