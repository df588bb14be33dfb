// SPDX-License-Identifier: Apache-2.0
// The host as a device: its memory, and streams that have finished before a call returns.
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <unistd.h>

#include "backend/cpu/host_memory.h"
#include "device/backend.h"
#include "platform/error/error.h"
#include "platform/processor/processor.h"

namespace mycel::backend {
namespace {

// Linux lends more than it has; far more than that is a mistake in a shape, not a need.
constexpr std::size_t kOvercommitFactor = 4;

std::size_t physical_memory_bytes() {
  static const std::size_t bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                                   static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  return bytes;
}

class HostStream final : public device::Stream {
 public:
  void synchronize() override {}
  bool is_done() override { return true; }
};

class HostEvent final : public device::Event {
 public:
  using Clock = std::chrono::steady_clock;
  void record(device::Stream&) override { recorded_ = Clock::now(); }
  void wait(device::Stream&) override {}
  void synchronize() override {}
  bool is_done() override { return true; }
  double milliseconds_since(const Event& begin) const override {
    const auto& earlier = dynamic_cast<const HostEvent&>(begin);
    platform::require(recorded_ && earlier.recorded_, platform::ErrorKind::Runtime,
                      "both events must be recorded before the time between them is asked for");
    return std::chrono::duration<double, std::milli>(*recorded_ - *earlier.recorded_).count();
  }

 private:
  std::optional<Clock::time_point> recorded_;
};

class HostBackend final : public device::Backend {
 public:
  std::string_view name() const override { return "CPU"; }
  int device_count() const override { return 1; }

  device::Capabilities capabilities(int) const override {
    // Asked for every array that NumPy looks at; counting processors opens a file.
    static const std::string description = platform::join(
        "host, ", std::thread::hardware_concurrency(), " threads, ", physical_memory_bytes() >> 20,
        " MiB, ", platform::description(platform::processor()));
    return {.host_accessible = true,
            .asynchronous = false,
            .records = false,
            .description = description};
  }

  device::MemoryInformation memory_information(int) const override {
    return {static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) *
                static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE)),
            physical_memory_bytes()};
  }

  void* allocate(int, std::size_t bytes) override {
    if (bytes > physical_memory_bytes() * kOvercommitFactor) return nullptr;
    return allocate_host_memory(bytes);
  }

  void release(int, void* data, std::size_t bytes) override { release_host_memory(data, bytes); }

  void copy(int, void* target, const void* source, std::size_t bytes, device::CopyDirection,
            device::Stream&) override {
    if (bytes != 0) std::memmove(target, source, bytes);
  }

  device::Stream& default_stream(int) override { return stream_; }
  std::unique_ptr<device::Stream> create_stream(int) override {
    return std::make_unique<HostStream>();
  }
  std::unique_ptr<device::Event> create_event(int) override {
    return std::make_unique<HostEvent>();
  }
  void synchronize(int) override {}

 private:
  HostStream stream_;
};

struct Registration {
  Registration() {
    device::register_backend(std::make_unique<HostBackend>());
    // Kernels may have reserved the name before; nothing else inside the library may reserve one.
    platform::require(device::reserve_backend("CPU") == device::kHostBackend,
                      platform::ErrorKind::Internal, "the host must be the first device backend");
  }
};
const Registration registration;

}  // namespace
}  // namespace mycel::backend
