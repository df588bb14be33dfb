// SPDX-License-Identifier: Apache-2.0
#include "serving/worker/fake_worker.h"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "platform/json/json.h"
#include "serving/worker/channel.h"
#include "serving/worker/child_process.h"

namespace mycel::serving {
namespace {

constexpr const char* kSignatures =
    R"([[{"inputs":[{"name":"a","type":11,"dims":[2,2]},{"name":"b","type":11,"dims":[2,2]}],)"
    R"("outputs":[{"name":"y","type":11,"dims":[2,2]}],"batch_size":2}]])";

Outcome sum_of(const Instance& instance) {
  float a[2], b[2], y[2];
  std::memcpy(a, instance.at(0).bytes.data(), sizeof a);
  std::memcpy(b, instance.at(1).bytes.data(), sizeof b);
  for (int i = 0; i < 2; ++i) y[i] = a[i] + b[i];
  return Instance{make_value(ElementType::Float32, {2}, std::as_bytes(std::span(y)))};
}

// Whether no process has done so with this version yet.
bool is_first(const std::string& version_folder) {
  const auto mark = std::filesystem::path(version_folder) / "was_there";
  if (std::filesystem::exists(mark)) return false;
  std::ofstream file(mark);
  return true;
}

// Not a test: what the tests start as a worker. It never returns.
TEST(FakeWorker, DISABLED_Serves) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Channel channel{platform::Descriptor(kWorkerSocket)};
  std::string name;
  while (true) {
    auto received = channel.read();
    if (!received || !received.value()) _exit(0);
    const IncomingFrame frame = *std::move(received).value();
    if (frame.head.kind == FrameKind::Stop) _exit(0);
    if (frame.head.kind == FrameKind::Load) {
      const platform::Json load = platform::parse_json(frame.description, "load");
      name = load.at("servable").at("name").string();
      if (name == "dies") kill(getpid(), SIGKILL);
      if (name == "once" && !is_first(load.at("version_folder").string())) _exit(1);
      if (name == "refuses") {
        channel.write(write_text(FrameKind::Failed, 0, "Load model failed, because it wants so"));
        _exit(1);
      }
      channel.write(write_text(FrameKind::Ready, 0, kSignatures));
      continue;
    }
    if (name == "hangs") continue;
    if (name == "leaves") _exit(0);
    if (name == "mad") {
      OutgoingFrame frame_of_its_own = write_text(FrameKind::Result, frame.head.id, "madness");
      frame_of_its_own.beginning[0] = 'x';
      channel.write(frame_of_its_own);
      continue;
    }
    const RunOrder order = read_run(frame.description, frame.data, frame.head.data_bytes).value();
    std::vector<Outcome> outcomes;
    for (const Instance& instance : order.instances) outcomes.push_back(sum_of(instance));
    channel.write(write_result(frame.head.id, outcomes));
    if (name == "once") kill(getpid(), SIGKILL);
  }
}

}  // namespace
}  // namespace mycel::serving
