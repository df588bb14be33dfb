// SPDX-License-Identifier: Apache-2.0
#include "cache/client/server_lock.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mycel::cache {
namespace {

class ServerLockTest : public testing::Test {
 protected:
  ServerLockTest() {
    std::string name = (std::filesystem::temp_directory_path() / "lock-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    path_ = folder_ / "lock";
  }
  ~ServerLockTest() override { std::filesystem::remove_all(folder_); }
  Path folder_;
  Path path_;
};

TEST_F(ServerLockTest, AFileThatCannotBeMadeIsNamed) {
  const auto lock = ServerLock::take(folder_ / "nowhere" / "lock");
  ASSERT_FALSE(lock);
  EXPECT_NE(lock.error().message().find("nowhere/lock"), std::string::npos);
}

TEST_F(ServerLockTest, OneHoldsItAtATime) {
  EXPECT_FALSE(lock_holder(path_));
  {
    const std::optional<ServerLock> lock = ServerLock::take(path_).value();
    ASSERT_TRUE(lock);
    EXPECT_FALSE(ServerLock::take(path_).value());
    EXPECT_EQ(lock_holder(path_)->process, this_process());
  }
  EXPECT_TRUE(ServerLock::take(path_).value());
}

TEST_F(ServerLockTest, TheFileOfAnotherServerStays) {
  std::optional<ServerLock> first = ServerLock::take(path_).value();
  std::filesystem::remove(path_);
  const std::optional<ServerLock> second = ServerLock::take(path_).value();
  ASSERT_TRUE(first && second);
  first->remove_file();
  EXPECT_TRUE(lock_holder(path_));
}

TEST_F(ServerLockTest, ANameInTheFileIsNoLock) {
  const std::string dead = text_of({1 << 22, 5, "boot"});
  ASSERT_TRUE(platform::replace_file(path_, platform::as_bytes(dead)));
  EXPECT_FALSE(lock_holder(path_));
  EXPECT_TRUE(ServerLock::take(path_).value());
}

TEST_F(ServerLockTest, APipeInThePlaceOfTheFileIsNotWaitedFor) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(lock_holder(path_));
}

TEST(ProcessIdentityTest, TextGoesBothWays) {
  const ProcessIdentity process = this_process();
  EXPECT_EQ(parse_identity(text_of(process)), process);
  EXPECT_TRUE(is_alive(process));
  for (const char* text :
       {"", "pid", "pid 0 start 1 boot x", "pid x start 1 boot x", "pid 5 start 1"})
    EXPECT_FALSE(parse_identity(text)) << text;
}

TEST(ProcessIdentityTest, TheSameNumberAtAnotherTimeIsAnotherProcess) {
  ProcessIdentity process = this_process();
  ++process.start_ticks;
  EXPECT_FALSE(is_alive(process));
}

}  // namespace
}  // namespace mycel::cache
