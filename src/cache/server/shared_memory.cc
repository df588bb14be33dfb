// SPDX-License-Identifier: Apache-2.0
#include "cache/server/shared_memory.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace mycel::cache {
namespace {

using platform::Descriptor;
using platform::Error;
using platform::ErrorKind;
using platform::join;
using platform::Result;

constexpr int kFinalSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;

Error no_memory(std::uint64_t bytes) {
  return {ErrorKind::Memory, join("no shared memory of ", bytes, " bytes: ", std::strerror(errno))};
}

}  // namespace

Result<SharedMemory> SharedMemory::make(const char* name, std::uint64_t bytes,
                                        MemoryBudget& budget) {
  MemoryShare share = budget.take(bytes);
  if (!share) return Error(ErrorKind::Memory, "the cache server's memory is used up");
  const Descriptor writer(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  // Pages are had now: one that could not be had later would end the process that touches it.
  const auto size = static_cast<off_t>(bytes);
  if (writer.number() < 0 || fallocate(writer.number(), 0, 0, size) != 0) return no_memory(bytes);
  Result<MemoryMap> map = MemoryMap::map(writer.number(), bytes, MemoryMap::Access::Write, true);
  if (!map) return map.error();
  // Systems that do not know the third seal keep the others; readers get no descriptor to write to.
  if (fcntl(writer.number(), F_ADD_SEALS, kFinalSeals) != 0)
    fcntl(writer.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  const std::string path = join("/proc/self/fd/", writer.number());
  Descriptor reader(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (reader.number() < 0) return no_memory(bytes);
  return SharedMemory(std::move(share), std::move(reader), std::move(map).value());
}

}  // namespace mycel::cache
