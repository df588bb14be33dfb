// SPDX-License-Identifier: Apache-2.0
// Where a thread's work goes when nothing else says so: the current device, and its current stream.
#pragma once

#include <atomic>
#include <memory>

#include "device/backend.h"

namespace mycel::device {

// False as long as nobody has chosen another device than the host: then nothing below has to be
// asked.
extern std::atomic<bool> host_is_left;
inline bool leaves_host() { return host_is_left.load(std::memory_order_relaxed); }

// Of this thread; where none was chosen, of the process; at first the host.
Device current_device();
void set_process_device(Device device);

// Chooses a device for this thread while it lives.
class DeviceScope {
 public:
  explicit DeviceScope(Device device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  Device before_;
  bool was_chosen_;
};

// Where this thread's work on a device is put: its default stream until another one is chosen.
Stream& current_stream(Device device);
void set_current_stream(Device device, Stream* stream);  // null: the default stream

class StreamScope {
 public:
  StreamScope(Device device, Stream& stream);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  Device device_;
  Stream* before_;
};

// A further stream whose memory finds a new owner when the stream goes.
std::shared_ptr<Stream> make_stream(Device device);

// For copies that the host waits for: one stream per device, with memory of its own, so that they
// neither wait for other work nor let it wait. Lives as long as the process.
Stream& copy_stream(Device device);

// What is queued on `later` from now on runs after all that is queued on `earlier`.
void order(Device device, Stream& earlier, Stream& later);

}  // namespace mycel::device
