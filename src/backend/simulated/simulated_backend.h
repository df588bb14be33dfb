// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/simulated/late_stream.h"
#include "backend/simulated/memory_window.h"
#include "device/backend.h"
#include "tensor/tensor.h"

namespace mycel::backend {

constexpr std::string_view kSimulatedName = "Simulated";

// A device that is none: host memory the host cannot touch by mistake, and streams that run late.
class SimulatedBackend final : public device::Backend {
 public:
  SimulatedBackend(int devices, std::size_t bytes_per_device);

  std::string_view name() const override { return kSimulatedName; }
  int device_count() const override { return static_cast<int>(devices_.size()); }
  device::Capabilities capabilities(int index) const override;
  device::MemoryInformation memory_information(int index) const override;
  void* allocate(int index, std::size_t bytes) override;
  void release(int index, void* data, std::size_t bytes) override;
  void copy(int index, void* target, const void* source, std::size_t bytes,
            device::CopyDirection direction, device::Stream& stream) override;
  device::Stream& default_stream(int index) override;
  std::unique_ptr<device::Stream> create_stream(int index) override;
  std::unique_ptr<device::Event> create_event(int index) override;
  void synchronize(int index) override;

  bool copy_strided(int index, const device::StridedCopy& what, device::Stream& stream) override;
  bool fill(int index, void* target, std::size_t count, std::span<const char> element,
            device::Stream& stream) override;
  bool copy_from_peer(int index, void* target, int peer, const void* source, std::size_t bytes,
                      device::Stream& stream) override;
  void* allocate_pinned(std::size_t bytes) override;
  void release_pinned(void* data, std::size_t bytes) override;
  bool begin_recording(int index, device::Stream& stream) override;
  std::unique_ptr<device::Recording> end_recording(int index, device::Stream& stream) override;

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
  bool is_pinned(const void* data, std::size_t bytes) const;

  std::size_t bytes_;
  std::vector<std::unique_ptr<SimulatedDevice>> devices_;
  bool poisons_;
  mutable std::mutex pinned_mutex_;  // guards pinned_
  std::map<const char*, std::size_t> pinned_;
};

// Lists a kernel for every operator the CPU has one for; with `missing` above 0 one of so many is
// left out, with 1 all of them.
void register_forwarding_kernels(SimulatedBackend& backend, std::size_t missing);

// The same elements where they really are. Owns nothing: as on a real device, the stream's order
// keeps a block from being used anew before the work that still needs it has run. A number of the
// host is copied.
tensor::Tensor seen_from_host(const tensor::Tensor& tensor);

// Offers to compute regions; MYCEL_SIMULATED_REGIONS says how willingly.
void register_region_compiler();

}  // namespace mycel::backend
