// SPDX-License-Identifier: Apache-2.0
#include "cache/client/presence.h"

#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cache/client/control.h"
#include "cache/client/places.h"

namespace mycel::cache {
namespace {

constexpr int kAnswerMs = 500;

// A server that answers the first question when nobody waits for it any more.
void answer_late(int listening) {
  pollfd caller{listening, POLLIN, 0};
  ASSERT_EQ(poll(&caller, 1, 10'000), 1);  // accept would not wait
  const Descriptor socket(accept(listening, nullptr, nullptr));
  const Descriptor memory(memfd_create("part", MFD_CLOEXEC));
  Frame reply;
  reply.kind = FrameKind::Welcome;
  ASSERT_TRUE(receive_frame(socket.number(), 10'000));
  ASSERT_TRUE(send_frame(socket.number(), reply));
  reply.kind = FrameKind::Descriptor;
  bool is_late = true;
  while (const Result<ReceivedFrame> question = receive_frame(socket.number(), 10'000)) {
    if (std::exchange(is_late, false))
      std::this_thread::sleep_for(std::chrono::milliseconds(2 * kAnswerMs));
    reply.size = question.value().frame.number;
    ASSERT_TRUE(send_frame(socket.number(), reply, memory.number()));
  }
}

TEST(PresenceTest, LateAnswersAreNotTakenForOthers) {
  std::string folder = (std::filesystem::temp_directory_path() / "presence-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  setenv("MYCEL_CACHE_DIR", folder.c_str(), 1);
  const Path path = server_place(make_user_folder().value(), kDefaultPort).socket();
  const Descriptor listening = listen_socket(path).value();
  std::thread server([&] { answer_late(listening.number()); });
  auto presence = Presence::open(kDefaultPort, kAnswerMs).value();
  EXPECT_FALSE(presence->fetch(FrameKind::AskSegment, 111));
  for (const std::uint64_t number : {222, 333}) {
    Result<SharedPart> part = presence->fetch(FrameKind::AskTable, number);
    while (!part) part = presence->fetch(FrameKind::AskTable, number);
    EXPECT_EQ(part.value().size, number);
  }
  presence.reset();
  server.join();
  unsetenv("MYCEL_CACHE_DIR");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace mycel::cache
