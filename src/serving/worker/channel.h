// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "platform/error/error.h"
#include "platform/file/file.h"
#include "serving/worker/alertness.h"
#include "serving/worker/frame.h"

namespace mycel::serving {

struct IncomingFrame {
  FrameHead head;
  std::string description;
  std::shared_ptr<std::byte[]> data;
};

// A worker's end of its socket to the server. One thread reads; any thread writes.
class Channel {
 public:
  explicit Channel(platform::Descriptor socket) : socket_(std::move(socket)) {}

  // Waits for the next frame. Nothing: the server is gone. The error: what came is no frame.
  platform::Result<std::optional<IncomingFrame>> read();
  // Waits until the server has taken it. False: the server is gone.
  bool write(const OutgoingFrame& frame);

 private:
  platform::Descriptor socket_;
  Alertness alertness_;
  std::mutex writing_;  // one frame at a time
};

}  // namespace mycel::serving
