// SPDX-License-Identifier: Apache-2.0
#include "cache/server/memory_budget.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace mycel::cache {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

// "MemTotal:  24606152 kB"
std::uint64_t meminfo_bytes(const std::string& name) {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == name + ":" && file >> kilobytes) return kilobytes * 1024;
  }
  return kUnknown;
}

std::uint64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : kUnknown;  // "max" is no number
}

// Limits of a container, as both kinds of control groups show them to what runs inside.
struct GroupFiles {
  const char* limit;
  const char* used;
};
constexpr GroupFiles kGroups[] = {
    {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
};

std::uint64_t available_now() {
  std::uint64_t available = meminfo_bytes("MemAvailable");
  for (const GroupFiles& group : kGroups) {
    const std::uint64_t limit = number_in(group.limit);
    const std::uint64_t used = number_in(group.used);
    if (limit == kUnknown || used == kUnknown) continue;
    available = std::min(available, limit > used ? limit - used : 0);
  }
  return available;
}

}  // namespace

MachineMemory this_machine() {
  std::uint64_t total = meminfo_bytes("MemTotal");
  for (const GroupFiles& group : kGroups) total = std::min(total, number_in(group.limit));
  return {total, available_now};
}

MemoryShare::~MemoryShare() {
  if (budget_ != nullptr) budget_->give_back(bytes_);
}

MemoryBudget::MemoryBudget(MachineMemory machine, double ratio)
    : machine_(std::move(machine)),
      cap_bytes_(static_cast<std::uint64_t>(static_cast<double>(machine_.total_bytes) * ratio)) {}

std::uint64_t MemoryBudget::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return used_bytes_;
}

MemoryShare MemoryBudget::take(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > cap_bytes_ - used_bytes_) return {};
  const std::uint64_t for_others = machine_.total_bytes - cap_bytes_;
  const std::uint64_t available = machine_.available_bytes();
  if (available < bytes || available - bytes < for_others) return {};
  used_bytes_ += bytes;
  return {this, bytes};
}

void MemoryBudget::give_back(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  used_bytes_ -= bytes;
}

}  // namespace mycel::cache
