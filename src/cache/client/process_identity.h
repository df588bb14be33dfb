// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mycel::cache {

// A process for good: its number is used again one day, its number and start time are not.
struct ProcessIdentity {
  std::int32_t pid = 0;
  std::uint64_t start_ticks = 0;  // since the machine started
  std::string boot_id;            // of that start

  bool operator==(const ProcessIdentity&) const = default;
};

ProcessIdentity this_process();
// Nothing: there is no process of that number.
std::optional<ProcessIdentity> process_with(std::int32_t pid);
inline bool is_alive(const ProcessIdentity& process) {
  return process_with(process.pid) == process;
}

// "pid 4711 start 123456 boot 0b57…", one line.
std::string text_of(const ProcessIdentity& process);
std::optional<ProcessIdentity> parse_identity(std::string_view text);

}  // namespace mycel::cache
