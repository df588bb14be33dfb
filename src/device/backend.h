// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mycel::device {

// Which device a value lives on. `backend` indexes the registry; 0 is always the host.
struct Device {
  std::uint8_t backend = 0;
  std::uint8_t index = 0;
  bool operator==(const Device&) const = default;
};

constexpr std::size_t kMaxBackends = 8;
constexpr std::size_t kMaxDevices = 16;  // of one backend
constexpr std::uint8_t kHostBackend = 0;

enum class CopyDirection : std::uint8_t { HostToDevice, DeviceToHost, DeviceToDevice };

// Work queued in order. A backend that finishes work before returning needs no state here.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual void synchronize() = 0;
};

// A point in a stream that others can wait for.
class Event {
 public:
  virtual ~Event() = default;
  virtual void record(Stream& stream) = 0;
  virtual void wait(Stream& stream) = 0;
  virtual void synchronize() = 0;
};

struct Capabilities {
  bool host_accessible = false;  // ordinary loads and stores reach its memory
  bool asynchronous = false;     // calls return before the work is done
  std::string description;
};

// What a device must offer. Allocation here is raw and slow; the caching pool is on top.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;  // as users spell it: "CPU", "GPU"
  virtual int device_count() const = 0;
  virtual Capabilities capabilities(int index) const = 0;
  virtual void* allocate(int index, std::size_t bytes) = 0;  // null: no memory left
  virtual void release(int index, void* data, std::size_t bytes) = 0;
  virtual void copy(int index, void* target, const void* source, std::size_t bytes,
                    CopyDirection direction, Stream& stream) = 0;
  virtual Stream& default_stream(int index) = 0;
  virtual std::unique_ptr<Stream> create_stream(int index) = 0;
  virtual std::unique_ptr<Event> create_event(int index) = 0;
  virtual void synchronize(int index) = 0;
};

// The registry. Backends are added while libraries load and are never removed.
// `reserve_backend` gives a name its index before (or without) the backend itself being there, so
// that kernels can be listed for it.
std::uint8_t reserve_backend(std::string_view name);
void register_backend(std::unique_ptr<Backend> backend);
Backend* find_backend(std::string_view name);  // null: not there
Backend& backend_at(std::uint8_t index);       // throws when only the name is known
std::string backend_name(std::uint8_t index);
std::vector<std::string> backend_names();  // those that are usable

// Opens a plug-in library once and calls its `extern "C" void mycel_start_plugin()`, which
// registers the backend and its kernels. A bare file name is looked for beside our own library. The
// error says why the plug-in cannot be used.
void load_plugin(const std::string& path);

}  // namespace mycel::device
