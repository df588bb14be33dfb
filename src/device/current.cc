// SPDX-License-Identifier: Apache-2.0
#include "device/current.h"

#include <array>
#include <mutex>
#include <utility>

#include "device/pool.h"

namespace mycel::device {

std::atomic<bool> host_is_left{false};

namespace {

std::atomic<Device> process_device{Device{}};

struct Chosen {
  Device device;
  bool is_chosen = false;
  std::array<std::array<Stream*, kMaxDevices>, kMaxBackends> streams{};
};
thread_local Chosen chosen;

Stream*& chosen_stream(Device device) {
  return chosen.streams[device.backend][device.index % kMaxDevices];
}

void note_device(Device device) {
  if (!(device == Device{})) host_is_left = true;
}

}  // namespace

Device current_device() { return chosen.is_chosen ? chosen.device : process_device.load(); }

void set_process_device(Device device) {
  note_device(device);
  process_device = device;
}

DeviceScope::DeviceScope(Device device) : before_(chosen.device), was_chosen_(chosen.is_chosen) {
  note_device(device);
  chosen.device = device;
  chosen.is_chosen = true;
}

DeviceScope::~DeviceScope() {
  chosen.device = before_;
  chosen.is_chosen = was_chosen_;
}

Stream& current_stream(Device device) {
  Stream* const stream = chosen_stream(device);
  return stream != nullptr ? *stream : backend_at(device.backend).default_stream(device.index);
}

void set_current_stream(Device device, Stream* stream) { chosen_stream(device) = stream; }

StreamScope::StreamScope(Device device, Stream& stream)
    : device_(device), before_(std::exchange(chosen_stream(device), &stream)) {}
StreamScope::~StreamScope() { chosen_stream(device_) = before_; }

std::shared_ptr<Stream> make_stream(Device device) {
  std::unique_ptr<Stream> made = backend_at(device.backend).create_stream(device.index);
  return {made.release(), [device](Stream* stream) {
            const std::unique_ptr<Stream> owned(stream);
            forget_stream(device, *owned);
          }};
}

Stream& copy_stream(Device device) {
  static std::mutex mutex;
  static std::array<std::array<Stream*, kMaxDevices>, kMaxBackends> streams{};
  const std::lock_guard guard(mutex);
  Stream*& stream = streams[device.backend][device.index % kMaxDevices];
  if (stream == nullptr) stream = backend_at(device.backend).create_stream(device.index).release();
  return *stream;
}

void order(Device device, Stream& earlier, Stream& later) {
  if (&earlier == &later) return;
  const std::unique_ptr<Event> event = backend_at(device.backend).create_event(device.index);
  event->record(earlier);
  event->wait(later);
}

}  // namespace mycel::device
