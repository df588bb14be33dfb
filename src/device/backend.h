// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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
  virtual bool is_done() = 0;  // whether all that was queued has run; does not wait
};

// A point in a stream that others can wait for.
class Event {
 public:
  virtual ~Event() = default;
  virtual void record(Stream& stream) = 0;
  virtual void wait(Stream& stream) = 0;  // what is queued there from now on runs after the point
  virtual void synchronize() = 0;
  virtual bool is_done() = 0;  // true as well before it is recorded
  // Time on the device between two points that have been passed; RuntimeError before.
  virtual double milliseconds_since(const Event& begin) const = 0;
};

// Elements that go from one set of places to another; no element is written twice.
struct StridedCopy {
  void* target = nullptr;
  const void* source = nullptr;
  std::size_t element_bytes = 0;  // 1, 2, 4, 8 or 16
  std::span<const std::int64_t> shape;
  std::span<const std::int64_t> target_strides;  // in elements
  std::span<const std::int64_t> source_strides;
};

// Work that was queued once and can be queued again as a whole: the same kernels on the same
// addresses. What the addresses hold may differ each time.
class Recording {
 public:
  virtual ~Recording() = default;
  virtual void replay(Stream& stream) = 0;
};

struct Capabilities {
  bool host_accessible = false;  // ordinary loads and stores reach its memory
  bool asynchronous = false;     // calls return before the work is done
  bool records = false;          // offers recordings
  std::string description;
};

struct MemoryInformation {
  std::size_t free = 0;  // bytes nobody has taken, this process or another
  std::size_t total = 0;
};

// What a device must offer, and below that what it may. Allocation here is raw and slow; the pool
// is on top. Work goes on streams, runs in their order and has not happened when a call returns.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;  // as users spell it: "CPU", "GPU"
  virtual int device_count() const = 0;
  virtual Capabilities capabilities(int index) const = 0;
  virtual MemoryInformation memory_information(int index) const = 0;
  virtual void* allocate(int index, std::size_t bytes) = 0;  // null: no memory left
  // Waits for whatever may still use the memory.
  virtual void release(int index, void* data, std::size_t bytes) = 0;
  // Bytes of the host may be changed as soon as a copy from them returns, unless they are pinned:
  // those are read, and all are written, when the stream comes to it.
  virtual void copy(int index, void* target, const void* source, std::size_t bytes,
                    CopyDirection direction, Stream& stream) = 0;
  virtual Stream& default_stream(int index) = 0;
  virtual std::unique_ptr<Stream> create_stream(int index) = 0;
  virtual std::unique_ptr<Event> create_event(int index) = 0;
  virtual void synchronize(int index) = 0;

  // Each of these answers whether it can; where not, the work takes the way through the host.
  virtual bool copy_strided(int index, const StridedCopy& what, Stream& stream);
  virtual bool fill(int index, void* target, std::size_t count, std::span<const char> element,
                    Stream& stream);
  // From another device of this backend; on a stream of the one that is written.
  virtual bool copy_from_peer(int index, void* target, int peer, const void* source,
                              std::size_t bytes, Stream& stream);
  // Memory of the host that copies reach without a detour. Null: there is none.
  virtual void* allocate_pinned(std::size_t bytes);
  virtual void release_pinned(void* data, std::size_t bytes);
  // From here on what this thread queues on the stream is noted instead of run. Whatever has to
  // wait for the stream in between is an error.
  virtual bool begin_recording(int index, Stream& stream);
  virtual std::unique_ptr<Recording> end_recording(int index, Stream& stream);
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
