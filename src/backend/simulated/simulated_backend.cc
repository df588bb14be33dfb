// SPDX-License-Identifier: Apache-2.0
#include "backend/simulated/simulated_backend.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include "platform/error/error.h"
#include "platform/options/options.h"
#include "tensor/tensor.h"

namespace mycel::backend {

using platform::ErrorKind;

SimulatedBackend::SimulatedBackend(int devices, std::size_t bytes_per_device)
    : bytes_(bytes_per_device), poisons_(platform::flag_setting("MYCEL_POISON_MEMORY")) {
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
          .records = true,
          .description = platform::join("simulated device ", index, ", ", bytes_ >> 20, " MiB")};
}

device::MemoryInformation SimulatedBackend::memory_information(int index) const {
  return {bytes_ - at(index).memory.used_bytes(), bytes_};
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
  LateQueue& queue = *as_late(stream).queue();
  if (from_host && !is_pinned(source, bytes)) {
    // The caller may change them as soon as this returns.
    const auto* first = static_cast<const char*>(source);
    auto staged = std::make_shared<std::vector<char>>(first, first + bytes);
    queue.enqueue([staged, to] { std::memcpy(to, staged->data(), staged->size()); });
    return;
  }
  // Whoever looks before the stream has come to it sees no numbers.
  if (to_host && poisons_) std::memset(to, 0xFF, bytes);
  queue.enqueue([from, to, bytes] { std::memmove(to, from, bytes); });
}

namespace {

using tensor::DType;
using tensor::Tensor;

DType type_of_size(std::size_t bytes) {
  switch (bytes) {
    case 1: return DType::UInt8;
    case 2: return DType::UInt16;
    case 4: return DType::UInt32;
    case 8: return DType::UInt64;
    default: return DType::Complex128;
  }
}

// The places that a walk reaches, seen from the host.
Tensor seen_from_host(const SimulatedBackend& backend, const void* first, DType dtype,
                      std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t reach = strides[i] * (shape[i] - 1);
    (reach < 0 ? low : high) += reach;
  }
  const auto element = static_cast<std::int64_t>(tensor::size_of(dtype));
  const auto bytes = static_cast<std::size_t>((high - low + 1) * element);
  void* const begin = backend.host_view(static_cast<const char*>(first) + low * element, bytes);
  auto storage = tensor::Storage::borrow(
      {}, begin, bytes, [](void*) {}, nullptr);
  const Tensor base = Tensor::from_storage(std::move(storage), {high - low + 1}, dtype);
  return Tensor::view(base, tensor::Shape(shape.begin(), shape.end()),
                      tensor::Strides(strides.begin(), strides.end()), -low);
}

class SimulatedRecording final : public device::Recording {
 public:
  explicit SimulatedRecording(std::vector<LateQueue::Work> work) : work_(std::move(work)) {}
  void replay(device::Stream& stream) override {
    for (const LateQueue::Work& work : work_) as_late(stream).queue()->enqueue(work);
  }

 private:
  std::vector<LateQueue::Work> work_;
};

}  // namespace

bool SimulatedBackend::copy_strided(int index, const device::StridedCopy& what,
                                    device::Stream& stream) {
  at(index);
  const DType dtype = type_of_size(what.element_bytes);
  const Tensor source = seen_from_host(*this, what.source, dtype, what.shape, what.source_strides);
  const Tensor target = seen_from_host(*this, what.target, dtype, what.shape, what.target_strides);
  as_late(stream).queue()->enqueue([source, target] { tensor::copy_elements(source, target); });
  return true;
}

bool SimulatedBackend::fill(int index, void* target, std::size_t count,
                            std::span<const char> element, device::Stream& stream) {
  at(index);
  if (count == 0) return true;
  auto* const to = static_cast<char*>(host_view(target, count * element.size()));
  as_late(stream).queue()->enqueue(
      [to, count, value = std::string(element.begin(), element.end())] {
        if (value.size() == 1) {
          std::memset(to, value[0], count);
          return;
        }
        for (std::size_t i = 0; i < count; ++i)
          std::memcpy(to + i * value.size(), value.data(), value.size());
      });
  return true;
}

bool SimulatedBackend::copy_from_peer(int index, void* target, int peer, const void* source,
                                      std::size_t bytes, device::Stream& stream) {
  at(peer);
  copy(index, target, source, bytes, device::CopyDirection::DeviceToDevice, stream);
  return true;
}

void* SimulatedBackend::allocate_pinned(std::size_t bytes) {
  auto* const data = static_cast<char*>(std::malloc(std::max<std::size_t>(bytes, 1)));
  if (data == nullptr) return nullptr;
  const std::lock_guard lock(pinned_mutex_);
  pinned_[data] = bytes;
  return data;
}

void SimulatedBackend::release_pinned(void* data, std::size_t) {
  {
    const std::lock_guard lock(pinned_mutex_);
    platform::require(pinned_.erase(static_cast<const char*>(data)) == 1, ErrorKind::Internal,
                      "memory is released as pinned that is not");
  }
  std::free(data);
}

bool SimulatedBackend::is_pinned(const void* data, std::size_t bytes) const {
  const auto* first = static_cast<const char*>(data);
  const std::lock_guard lock(pinned_mutex_);
  const auto next = pinned_.upper_bound(first);
  return next != pinned_.begin() &&
         first + bytes <= std::prev(next)->first + std::prev(next)->second;
}

bool SimulatedBackend::begin_recording(int index, device::Stream& stream) {
  at(index);
  as_late(stream).queue()->begin_recording();
  return true;
}

std::unique_ptr<device::Recording> SimulatedBackend::end_recording(int index,
                                                                   device::Stream& stream) {
  at(index);
  return std::make_unique<SimulatedRecording>(as_late(stream).queue()->end_recording());
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
  const auto missing = integer_setting("MYCEL_SIMULATED_MISSING", 0, 1 << 20);
  const bool computes = mycel::platform::flag_setting("MYCEL_SIMULATED_COMPUTE");
  auto backend = std::make_unique<SimulatedBackend>(static_cast<int>(devices),
                                                    static_cast<std::size_t>(megabytes) << 20);
  if (computes)
    mycel::backend::register_forwarding_kernels(*backend, static_cast<std::size_t>(missing));
  mycel::device::register_backend(std::move(backend));
}
