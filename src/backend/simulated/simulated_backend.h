// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backend/simulated/late_stream.h"
#include "backend/simulated/memory_window.h"
#include "device/backend.h"

namespace mycel::backend {

constexpr std::string_view kSimulatedName = "Simulated";

// A device that is none: host memory the host cannot touch by mistake, and streams that run late.
class SimulatedBackend final : public device::Backend {
 public:
  SimulatedBackend(int devices, std::size_t bytes_per_device);

  std::string_view name() const override { return kSimulatedName; }
  int device_count() const override { return static_cast<int>(devices_.size()); }
  device::Capabilities capabilities(int index) const override;
  void* allocate(int index, std::size_t bytes) override;
  void release(int index, void* data, std::size_t bytes) override;
  void copy(int index, void* target, const void* source, std::size_t bytes,
            device::CopyDirection direction, device::Stream& stream) override;
  device::Stream& default_stream(int index) override;
  std::unique_ptr<device::Stream> create_stream(int index) override;
  std::unique_ptr<device::Event> create_event(int index) override;
  void synchronize(int index) override;

  // Where the bytes really are, for the kernels and copies of this plug-in alone.
  void* host_view(const void* address, std::size_t bytes) const;

 private:
  struct SimulatedDevice {
    explicit SimulatedDevice(std::size_t bytes) : memory(bytes) {}
    MemoryWindow memory;
    LateStream stream;
    std::mutex mutex;                              // guards queues
    std::vector<std::weak_ptr<LateQueue>> queues;  // of streams that were asked for
  };
  SimulatedDevice& at(int index) const;

  std::size_t bytes_;
  std::vector<std::unique_ptr<SimulatedDevice>> devices_;
};

// Lists a kernel for every operator the CPU has one for.
void register_forwarding_kernels(SimulatedBackend& backend);

}  // namespace mycel::backend
