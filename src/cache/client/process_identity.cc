// SPDX-License-Identifier: Apache-2.0
#include "cache/client/process_identity.h"

#include <fstream>
#include <iterator>
#include <sstream>

#include <unistd.h>

#include "platform/error/error.h"

namespace mycel::cache {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string boot_id() {
  std::string text = content_of("/proc/sys/kernel/random/boot_id");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "unknown" : text;
}

}  // namespace

std::optional<ProcessIdentity> process_with(std::int32_t pid) {
  const std::string status = content_of(platform::join("/proc/", pid, "/stat"));
  // The program's name comes second, in brackets, and may hold anything. Start is field 22.
  const std::size_t bracket = status.rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  std::istringstream rest(status.substr(bracket + 1));
  std::string word;
  for (int field = 3; field <= 22; ++field) {
    if (!(rest >> word)) return std::nullopt;
    if (field == 3 && (word == "Z" || word == "X")) return std::nullopt;  // over, not yet fetched
  }
  return ProcessIdentity{pid, std::stoull(word), boot_id()};
}

ProcessIdentity this_process() {
  return process_with(getpid()).value_or(ProcessIdentity{getpid(), 0, boot_id()});
}

std::string text_of(const ProcessIdentity& process) {
  return platform::join("pid ", process.pid, " start ", process.start_ticks, " boot ",
                        process.boot_id, "\n");
}

std::optional<ProcessIdentity> parse_identity(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string pid;
  std::string start;
  std::string boot;
  ProcessIdentity process;
  words >> pid >> process.pid >> start >> process.start_ticks >> boot >> process.boot_id;
  if (!words || pid != "pid" || start != "start" || boot != "boot" || process.pid <= 0)
    return std::nullopt;
  return process;
}

}  // namespace mycel::cache
