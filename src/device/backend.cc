// SPDX-License-Identifier: Apache-2.0
#include "device/backend.h"

#include <array>
#include <filesystem>
#include <mutex>
#include <set>

#include <dlfcn.h>

#include "platform/error/error.h"

namespace mycel::device {
namespace {

using platform::ErrorKind;

struct Registry {
  std::mutex mutex;  // guards names and count while libraries load
  std::array<std::string, kMaxBackends> names;
  std::array<std::unique_ptr<Backend>, kMaxBackends> backends;
  std::size_t count = 0;
};

// Never destroyed: memory is given back through backends while the process ends.
Registry& registry() {
  static Registry& instance = *std::make_unique<Registry>().release();
  return instance;
}

}  // namespace

bool Backend::copy_strided(int, const StridedCopy&, Stream&) { return false; }
bool Backend::fill(int, void*, std::size_t, std::span<const char>, Stream&) { return false; }
bool Backend::copy_from_peer(int, void*, int, const void*, std::size_t, Stream&) { return false; }
void* Backend::allocate_pinned(std::size_t) { return nullptr; }
void Backend::release_pinned(void*, std::size_t) {}
bool Backend::begin_recording(int, Stream&) { return false; }
std::unique_ptr<Recording> Backend::end_recording(int, Stream&) { return nullptr; }

std::uint8_t reserve_backend(std::string_view name) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  for (std::size_t i = 0; i < all.count; ++i) {
    if (all.names[i] == name) return static_cast<std::uint8_t>(i);
  }
  platform::require(all.count < kMaxBackends, ErrorKind::Internal, "more than ", kMaxBackends,
                    " device backends");
  all.names[all.count] = name;
  return static_cast<std::uint8_t>(all.count++);
}

void register_backend(std::unique_ptr<Backend> backend) {
  platform::require(backend->device_count() <= static_cast<int>(kMaxDevices), ErrorKind::Internal,
                    "'", backend->name(), "' offers more than ", kMaxDevices, " devices");
  const std::uint8_t index = reserve_backend(backend->name());
  registry().backends[index] = std::move(backend);
}

Backend* find_backend(std::string_view name) {
  Registry& all = registry();
  for (std::size_t i = 0; i < all.count; ++i) {
    if (all.names[i] == name) return all.backends[i].get();
  }
  return nullptr;
}

Backend& backend_at(std::uint8_t index) {
  Registry& all = registry();
  platform::require(index < all.count && all.backends[index] != nullptr, ErrorKind::Runtime,
                    "device backend ", static_cast<int>(index), " is not loaded");
  return *all.backends[index];
}

std::string backend_name(std::uint8_t index) { return registry().names.at(index); }

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  Registry& all = registry();
  for (std::size_t i = 0; i < all.count; ++i) {
    if (all.backends[i] != nullptr) names.push_back(all.names[i]);
  }
  return names;
}

namespace {

// A bare file name means the folder of this library; the loader's own search would depend on who
// calls it.
std::string beside_this_library(const std::string& path) {
  Dl_info self{};
  if (path.find('/') != std::string::npos ||
      dladdr(reinterpret_cast<void*>(&load_plugin), &self) == 0)
    return path;
  const std::filesystem::path candidate =
      std::filesystem::path(self.dli_fname).parent_path() / path;
  return std::filesystem::exists(candidate) ? candidate.string() : path;
}

}  // namespace

void load_plugin(const std::string& path) {
  // Calls of other threads wait here until the plug-in is ready.
  static std::mutex load_mutex;
  static std::set<void*> started;
  const std::lock_guard lock(load_mutex);
  void* const library = dlopen(beside_this_library(path).c_str(), RTLD_NOW | RTLD_GLOBAL);
  platform::require(library != nullptr, ErrorKind::Runtime, "the device plug-in '", path,
                    "' cannot be opened: ", library == nullptr ? dlerror() : "");
  if (started.contains(library)) return;
  using Start = void (*)();
  const auto start = reinterpret_cast<Start>(dlsym(library, "mycel_start_plugin"));
  platform::require(start != nullptr, ErrorKind::Runtime, "the library '", path,
                    "' is no device plug-in: it has no function 'mycel_start_plugin'");
  start();
  started.insert(library);
}

}  // namespace mycel::device
