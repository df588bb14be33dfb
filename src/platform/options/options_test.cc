// SPDX-License-Identifier: Apache-2.0
#include "platform/options/options.h"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "platform/error/error.h"

namespace mycel::platform {
namespace {

// Sets a variable for one test.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~ScopedVariable() { unsetenv(name_); }

 private:
  const char* name_;
};

TEST(OptionsTest, UndeclaredNameIsOurBug) {
  try {
    setting("NOBODY_DECLARED_THIS");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Internal);
  }
}

TEST(OptionsTest, EveryVariableIsListedOnceSortedAndExplained) {
  const auto all = settings();
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &Setting::name));
  EXPECT_EQ(std::ranges::adjacent_find(all, {}, &Setting::name), all.end());
  for (const Setting& one : all) EXPECT_FALSE(one.help.empty()) << one.name;
}

TEST(OptionsTest, NumberOutOfRangeNamesTheVariable) {
  const ScopedVariable variable("MYCEL_SIMULATED_DEVICES", "many");
  try {
    integer_setting("MYCEL_SIMULATED_DEVICES", 1, 16);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Value);
    EXPECT_NE(error.message().find("'MYCEL_SIMULATED_DEVICES'"), std::string::npos);
    EXPECT_NE(error.message().find("'many'"), std::string::npos);
  }
}

TEST(OptionsTest, DefaultHoldsUntilTheVariableIsSet) {
  EXPECT_EQ(integer_setting("MYCEL_SIMULATED_DEVICES", 1, 16), 2);
  const ScopedVariable variable("MYCEL_SIMULATED_DEVICES", "5");
  EXPECT_EQ(integer_setting("MYCEL_SIMULATED_DEVICES", 1, 16), 5);
}

TEST(OptionsTest, FlagsTakeTheUsualWords) {
  for (const char* yes : {"1", "True", "on"}) {
    const ScopedVariable variable("MYCEL_SIMULATED_COMPUTE", yes);
    EXPECT_TRUE(flag_setting("MYCEL_SIMULATED_COMPUTE"));
  }
  for (const char* no : {"0", "OFF", ""}) {
    const ScopedVariable variable("MYCEL_SIMULATED_COMPUTE", no);
    EXPECT_FALSE(flag_setting("MYCEL_SIMULATED_COMPUTE"));
  }
  const ScopedVariable variable("MYCEL_SIMULATED_COMPUTE", "2");
  EXPECT_THROW(flag_setting("MYCEL_SIMULATED_COMPUTE"), Error);
}

TEST(OptionsTest, IntegerTakesTheWholeText) {
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_FALSE(parse_integer(""));
  EXPECT_FALSE(parse_integer("1 "));
  EXPECT_FALSE(parse_integer("1x"));
  EXPECT_FALSE(parse_integer("99999999999999999999"));
}

}  // namespace
}  // namespace mycel::platform
