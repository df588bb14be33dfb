// SPDX-License-Identifier: Apache-2.0
#include "serving/worker/child_process.h"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/error/error.h"

namespace mycel::serving {
namespace {

using testing::HasSubstr;

// Both ends of a socket; the child has a copy of theirs.
struct Pair {
  Pair() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ours = platform::Descriptor(ends[0]);
    theirs = platform::Descriptor(ends[1]);
  }
  // What the child wrote until it closed its end.
  std::string all() {
    theirs = platform::Descriptor();
    std::string text;
    char part[256];
    for (ssize_t size = 0; (size = read(ours.number(), part, sizeof part)) > 0;)
      text.append(part, static_cast<std::size_t>(size));
    return text;
  }
  platform::Descriptor ours, theirs;
};

int wait_for(ChildProcess& child) {
  std::optional<int> status;
  while (!(status = child.status())) usleep(1000);
  return *status;
}

TEST(ChildProcessTest, ProgramThatIsNotThereIsNamed) {
  const Pair pair;
  try {
    ChildProcess child({"/nowhere/serving_worker"}, pair.theirs.number(), "");
    FAIL() << "it was started";
  } catch (const platform::Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("'/nowhere/serving_worker' cannot be started"));
  }
}

TEST(ChildProcessTest, TellsHowItEnded) {
  const Pair pair;
  ChildProcess ordinary({"/bin/sh", "-c", "exit 3"}, pair.theirs.number(), "");
  EXPECT_EQ(ChildProcess::told(wait_for(ordinary)), "exit status 3");
  ChildProcess killed({"/bin/sh", "-c", "kill -9 $$"}, pair.theirs.number(), "");
  EXPECT_EQ(ChildProcess::told(wait_for(killed)), "killed by signal 9 (Killed)");
}

TEST(ChildProcessTest, GoesWithItsObject) {
  Pair pair;
  pid_t id = 0;
  {
    const ChildProcess child({"/bin/sh", "-c", "echo there >&3; exec sleep 1000"},
                             pair.theirs.number(), "");
    id = child.id();
    char text[6] = {};
    ASSERT_EQ(read(pair.ours.number(), text, sizeof text), 6);
  }
  EXPECT_EQ(kill(id, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

// A connection of a client that a worker held would stay open after we closed it.
TEST(ChildProcessTest, HasItsSocketAndNothingElseOfOurs) {
  constexpr int kFarUp = 50;
  const platform::Descriptor secret(
      fcntl(STDERR_FILENO, F_DUPFD, kFarUp));  // as asio's: no CLOEXEC
  ASSERT_GE(secret.number(), kFarUp);
  Pair pair;
  ChildProcess child({"/bin/sh", "-c", "for fd in /proc/$$/fd/*; do echo ${fd##*/} >&3; done"},
                     pair.theirs.number(), "");
  const std::string open = pair.all();
  EXPECT_THAT(open, HasSubstr("3\n"));
  EXPECT_THAT(open, testing::Not(HasSubstr("\n" + std::to_string(secret.number()) + "\n"))) << open;
  wait_for(child);
}

TEST(ChildProcessTest, SignalsArriveThoughWeBlockThem) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const Pair pair;
  ChildProcess child({"/bin/sh", "-c", "exec sleep 1000"}, pair.theirs.number(), "");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  child.signal(SIGTERM);
  EXPECT_THAT(ChildProcess::told(wait_for(child)), HasSubstr("signal 15"));
}

TEST(ChildProcessTest, OutputIsAppendedToTheLog) {
  const auto log = std::filesystem::temp_directory_path() /
                   ("child_process_test_" + std::to_string(getpid()) + ".log");
  std::filesystem::remove(log);
  const Pair pair;
  for (const char* text : {"echo one", "echo two >&2"}) {
    ChildProcess child({"/bin/sh", "-c", text}, pair.theirs.number(), log.string());
    wait_for(child);
  }
  std::ifstream file(log);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "one\ntwo\n");
  std::filesystem::remove(log);
}

}  // namespace
}  // namespace mycel::serving
