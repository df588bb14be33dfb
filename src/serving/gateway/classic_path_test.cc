// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/classic_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mycel::serving {
namespace {

using testing::HasSubstr;

std::string refusal_of(std::string_view target) {
  const auto path = read_classic_path(target);
  const auto* text = std::get_if<std::string>(&path);
  return text == nullptr ? "" : *text;
}

TEST(ClassicPathTest, WithoutModelOrMethodIsRefused) {
  EXPECT_THAT(refusal_of("/model/add"),
              HasSubstr("please check url, the keyword:[service method] must contain"));
  EXPECT_THAT(refusal_of("/model/add:"), HasSubstr("[service method] must contain"));
  EXPECT_THAT(refusal_of("/model:8080/add"), HasSubstr("[service method] must contain"));
  EXPECT_THAT(refusal_of("/version/1:sum"),
              HasSubstr("please check url, the keyword:[model] must contain"));
  EXPECT_THAT(refusal_of("/models/add:sum"), HasSubstr("[model] must contain"));
  EXPECT_THAT(refusal_of("/add:sum"), HasSubstr("please check url"));
  EXPECT_THAT(refusal_of(""), HasSubstr("please check url"));
  EXPECT_THAT(refusal_of(":"), HasSubstr("please check url"));
  EXPECT_THAT(refusal_of("/model/:sum"), HasSubstr("please check url"));
}

TEST(ClassicPathTest, VersionsThatAreNoneAreRefused) {
  for (const std::string_view version : {"-1", "4294967296", "one", "1.5", "+1", "1a"})
    EXPECT_THAT(refusal_of("/model/add/version/" + std::string(version) + ":sum"),
                testing::AllOf(HasSubstr("please check url"), HasSubstr("version")))
        << version;
}

TEST(ClassicPathTest, PartsComeInAnyOrder) {
  for (const std::string_view target :
       {"/model/add/version/3:sum", "/version/3/model/add:sum", "/version/3/model/add:sum?x=1"}) {
    const auto path = std::get<ClassicPath>(read_classic_path(target));
    EXPECT_EQ(path.servable, "add");
    EXPECT_EQ(path.method, "sum");
    EXPECT_EQ(path.version, 3U);
  }
}

TEST(ClassicPathTest, WithoutVersionItIsTheNewest) {
  EXPECT_EQ(std::get<ClassicPath>(read_classic_path("/model/add:sum")).version, 0U);
  EXPECT_EQ(std::get<ClassicPath>(read_classic_path("/model/add/version/4294967295:sum")).version,
            4294967295U);
}

}  // namespace
}  // namespace mycel::serving
