// SPDX-License-Identifier: Apache-2.0
#include "device/named_device.h"

#include <gtest/gtest.h>

#include "platform/error/error.h"

namespace mycel::device {
namespace {

TEST(NamedDeviceTest, WhatIsNotThereIsRefused) {
  EXPECT_THROW(named_device("Abacus"), platform::Error);
  EXPECT_THROW(named_device("CPU", -1), platform::Error);
  EXPECT_THROW(named_device("CPU", 100), platform::Error);
}

TEST(NamedDeviceTest, TheHostIsTheFirstDevice) {
  EXPECT_EQ(named_device("CPU"), Device{});
  EXPECT_EQ(named_device("CPU", 0), Device{});
}

}  // namespace
}  // namespace mycel::device
