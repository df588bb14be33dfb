// SPDX-License-Identifier: Apache-2.0
// What the environment says about logging.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>

#include "platform/log/log.h"
#include "platform/options/options.h"

namespace mycel::platform {
namespace {

[[noreturn]] void fail_for_level(std::string_view got) {
  fail(ErrorKind::Value,
       "Incorrect log level, please check the configuration of GLOG_v or GLOG_stderrthreshold, "
       "desired "
       "log level: 4-CRITICAL, 3-ERROR, 2-WARNING, 1-INFO, 0-DEBUG. But got ",
       got, ".");
}

LogLevel level_from(std::string_view text) {
  const std::optional<std::int64_t> number = parse_integer(text);
  if (!number || *number < 0 || *number > 4) fail_for_level(text);
  return static_cast<LogLevel>(*number);
}

bool stderr_from_environment() {
  const std::string text = setting("GLOG_logtostderr");
  require(text == "0" || text == "1", ErrorKind::Value,
          "the value of GLOG_logtostderr must be 0 or 1, but got ", text, ".");
  return text == "1";
}

std::string rank_text() {
  for (const char* name : {"RANK_ID", "OMPI_COMM_WORLD_RANK", "MS_NODE_ID"}) {
    std::string text = setting(name);
    if (!text.empty() &&
        std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); })) {
      return text;
    }
  }
  return "0";
}

std::string folder_from_environment() {
  const std::string folder = setting("GLOG_log_dir");
  require(!folder.empty(), ErrorKind::Value,
          "When GLOG_logtostderr is set to 0, the directory of saving log GLOG_log_dir must be "
          "set, but "
          "got it empty.");
  constexpr std::string_view kMarks = "-_/.@:\\";
  const bool plain = std::ranges::all_of(folder, [&](unsigned char c) {
    return std::isalnum(c) || kMarks.find(c) != std::string_view::npos;
  });
  require(plain, ErrorKind::Value,
          "the value of GLOG_log_dir must match '^[A-Za-z0-9\\-_/.@:\\\\]+$', but got '", folder,
          "'.");
  return join(folder, folder.ends_with('/') ? "" : "/", "rank_", rank_text(), "/logs");
}

unsigned mode_from_environment() {
  const std::string text = setting("GLOG_logfile_mode");
  unsigned mode = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  require(error == std::errc() && stopped == text.data() + text.size() && mode <= 0777,
          ErrorKind::Value,
          "the value of GLOG_logfile_mode must be an octal number up to 0777, but got '", text,
          "'.");
  return mode;
}

// "{PYNATIVE:0,KERNEL:1}". What cannot be read is passed over: a typing error in a debugging
// variable must not stop a training.
std::vector<std::pair<std::string, LogLevel>> submodules_from_environment() {
  std::vector<std::pair<std::string, LogLevel>> levels;
  std::string text = setting("MS_SUBMODULE_LOG_v");
  std::erase_if(text, [](char c) { return c == '{' || c == '}' || c == ' ' || c == '"'; });
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
    const std::size_t colon = entry.find(':');
    if (colon == std::string_view::npos) continue;
    const std::optional<std::int64_t> number = parse_integer(entry.substr(colon + 1));
    if (!number || *number < 0 || *number > 4) continue;
    levels.emplace_back(std::string(entry.substr(0, colon)), static_cast<LogLevel>(*number));
  }
  return levels;
}

}  // namespace

LogLevel log_level_of(std::int64_t number) {
  if (number < 0 || number > 4) fail_for_level(std::to_string(number));
  return static_cast<LogLevel>(number);
}

LogOptions log_options_from_environment() {
  constexpr std::int64_t kMaxMegabytes = std::int64_t{1} << 20;
  LogOptions options;
  options.level = level_from(setting("GLOG_v"));
  options.to_stderr = stderr_from_environment();
  options.stderr_level = level_from(setting("GLOG_stderrthreshold"));
  if (!options.to_stderr) options.folder = folder_from_environment();
  options.max_file_bytes =
      static_cast<std::uint64_t>(integer_setting("GLOG_max_log_size", 1, kMaxMegabytes)) << 20;
  options.python_max_file_bytes = static_cast<std::uint64_t>(
      integer_setting("logger_maxBytes", 0, std::numeric_limits<std::int64_t>::max()));
  options.python_backup_count = static_cast<int>(integer_setting("logger_backupCount", 0, 1 << 20));
  options.file_mode = mode_from_environment();
  options.submodule_levels = submodules_from_environment();
  return options;
}

}  // namespace mycel::platform
