// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/error/error.h"

namespace mycel::serving {
namespace {

using testing::HasSubstr;

std::string refusal_of(std::string_view text) {
  try {
    read_address(text, "Serving gRPC");
  } catch (const platform::Error& error) {
    return error.message();
  }
  return "";
}

TEST(AddressTest, WhatIsNoAddressIsRefused) {
  for (const std::string_view text : {"", "127.0.0.1", ":80", "127.0.0.1:", "127.0.0.1:http", ":"})
    EXPECT_THAT(refusal_of(text), HasSubstr("is illegal")) << text;
  EXPECT_THAT(refusal_of("unix:"), HasSubstr("Empty grpc server unix domain socket address"));
}

TEST(AddressTest, PortsHaveARange) {
  for (const std::string_view text : {"a:0", "a:-1", "a:65536"})
    EXPECT_THAT(refusal_of(text), HasSubstr("is out of legal range [1 ~ 65535]")) << text;
}

TEST(AddressTest, HostAndPort) {
  const Address address = read_address("127.0.0.1:65535", "RESTful server");
  EXPECT_EQ(address.host, "127.0.0.1");
  EXPECT_EQ(address.port, 65535);
  EXPECT_FALSE(address.is_local_socket);
  EXPECT_EQ(read_address("[::1]:80", "RESTful server").host, "[::1]");
}

TEST(AddressTest, LocalSocket) {
  const Address address = read_address("unix:some/path:1", "Serving gRPC");
  EXPECT_TRUE(address.is_local_socket);
  EXPECT_EQ(address.host, "some/path:1");
}

}  // namespace
}  // namespace mycel::serving
