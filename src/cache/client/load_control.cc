// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <filesystem>

#include <dlfcn.h>
#include <fcntl.h>

#include "cache/client/control.h"

namespace mycel::cache {
namespace {

using platform::Error;
using platform::ErrorKind;
using platform::join;

constexpr const char* kLibrary = "libmindspore_cache.so";
constexpr std::size_t kDescriptorsOfCalls = 24;  // of a first connection, with some to spare

std::string beside_this_library() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&load_control), &self) == 0) return kLibrary;
  const auto candidate = std::filesystem::path(self.dli_fname).parent_path() / kLibrary;
  return std::filesystem::exists(candidate) ? candidate.string() : kLibrary;
}

Result<MakeControl> open_library() {
  void* const library = dlopen(beside_this_library().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error(ErrorKind::Runtime,
                 join("the cache client cannot be opened: ", dlerror(),
                      ". It needs gRPC: on Debian, 'apt install libgrpc++1.51'"));
  }
  const auto make = reinterpret_cast<MakeControl>(dlsym(library, kControlFunction));
  if (make == nullptr)
    return Error(ErrorKind::Runtime, join("'", kLibrary, "' is no cache client"));
  return make;
}

// gRPC ends the whole program when it gets none of those it needs.
bool has_spare_descriptors(int any) {
  std::array<platform::Descriptor, kDescriptorsOfCalls> spare;
  for (platform::Descriptor& one : spare) {
    one = platform::Descriptor(fcntl(any, F_DUPFD_CLOEXEC, 0));
    if (one.number() < 0) return false;
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<Control>> load_control(platform::Descriptor socket, std::uint16_t port) {
  if (!has_spare_descriptors(socket.number())) return no_descriptors();
  static const Result<MakeControl> make = open_library();
  if (!make) return make.error();
  // The other side closes its descriptor itself.
  const int own = fcntl(socket.number(), F_DUPFD_CLOEXEC, 0);
  if (own < 0) return no_descriptors();
  return std::unique_ptr<Control>(make.value()(own, port));
}

}  // namespace mycel::cache
