// SPDX-License-Identifier: Apache-2.0
#include "backend/simulated/simulated_backend.h"

#include <cstring>

#include "platform/error/error.h"
#include "platform/options/options.h"

namespace mycel::backend {

using platform::ErrorKind;

SimulatedBackend::SimulatedBackend(int devices, std::size_t bytes_per_device)
    : bytes_(bytes_per_device) {
  for (int i = 0; i < devices; ++i)
    devices_.push_back(std::make_unique<SimulatedDevice>(bytes_per_device));
}

SimulatedBackend::SimulatedDevice& SimulatedBackend::at(int index) const {
  platform::require(0 <= index && index < device_count(), ErrorKind::Value, "there is no device ",
                    index, " of ", device_count(), " simulated ones");
  return *devices_[static_cast<std::size_t>(index)];
}

device::Capabilities SimulatedBackend::capabilities(int index) const {
  at(index);
  return {.host_accessible = false,
          .asynchronous = true,
          .description = platform::join("simulated device ", index, ", ", bytes_ >> 20, " MiB")};
}

void* SimulatedBackend::allocate(int index, std::size_t bytes) {
  return at(index).memory.allocate(bytes);
}

// Work still queued may read or write the block.
void SimulatedBackend::release(int index, void* data, std::size_t) {
  synchronize(index);
  at(index).memory.release(data);
}

void* SimulatedBackend::host_view(const void* address, std::size_t bytes) const {
  for (const auto& device : devices_) {
    if (device->memory.contains(address)) return device->memory.host_view(address, bytes);
  }
  platform::fail(ErrorKind::Runtime,
                 "an address that is not of a simulated device was used as one");
}

void SimulatedBackend::copy(int index, void* target, const void* source, std::size_t bytes,
                            device::CopyDirection direction, device::Stream& stream) {
  at(index);
  if (bytes == 0) return;
  const bool from_host = direction == device::CopyDirection::HostToDevice;
  const bool to_host = direction == device::CopyDirection::DeviceToHost;
  const void* from = from_host ? source : host_view(source, bytes);
  void* to = to_host ? target : host_view(target, bytes);
  as_late(stream).queue()->enqueue([from, to, bytes] { std::memmove(to, from, bytes); });
}

device::Stream& SimulatedBackend::default_stream(int index) { return at(index).stream; }

std::unique_ptr<device::Stream> SimulatedBackend::create_stream(int index) {
  auto stream = std::make_unique<LateStream>();
  SimulatedDevice& device = at(index);
  const std::lock_guard lock(device.mutex);
  std::erase_if(device.queues, [](const auto& queue) { return queue.expired(); });
  device.queues.push_back(stream->queue());
  return stream;
}

std::unique_ptr<device::Event> SimulatedBackend::create_event(int index) {
  at(index);
  return std::make_unique<LateEvent>();
}

void SimulatedBackend::synchronize(int index) {
  SimulatedDevice& device = at(index);
  device.stream.synchronize();
  std::vector<std::shared_ptr<LateQueue>> queues;
  {
    const std::lock_guard lock(device.mutex);
    for (const auto& queue : device.queues) {
      if (auto alive = queue.lock()) queues.push_back(std::move(alive));
    }
  }
  for (const auto& queue : queues) queue->run_all();
}

}  // namespace mycel::backend

extern "C" void mycel_start_plugin() {
  using mycel::backend::SimulatedBackend;
  using mycel::platform::integer_setting;
  const auto devices = integer_setting("MYCEL_SIMULATED_DEVICES", 1, mycel::device::kMaxDevices);
  const auto megabytes = integer_setting("MYCEL_SIMULATED_MEMORY_MB", 1, 1 << 20);
  const bool computes = mycel::platform::flag_setting("MYCEL_SIMULATED_COMPUTE");
  auto backend = std::make_unique<SimulatedBackend>(static_cast<int>(devices),
                                                    static_cast<std::size_t>(megabytes) << 20);
  if (computes) mycel::backend::register_forwarding_kernels(*backend);
  mycel::device::register_backend(std::move(backend));
}
