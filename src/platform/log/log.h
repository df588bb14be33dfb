// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/error/error.h"

namespace mycel::platform {

enum class LogLevel : std::uint8_t { Debug, Info, Warning, Error, Critical };
std::string_view name_of(LogLevel level);

// Who wrote a record decides the form of its line.
enum class LogForm : std::uint8_t { Native, Python };

struct LogOptions {
  LogLevel level = LogLevel::Warning;
  bool to_stderr = true;
  std::string folder;                         // of the files, rank_<id>/logs included; empty: none
  LogLevel stderr_level = LogLevel::Warning;  // with files: from here on to stderr too
  std::uint64_t max_file_bytes = std::uint64_t{50} << 20;
  std::uint64_t python_max_file_bytes = 52428800;
  int python_backup_count = 30;
  unsigned file_mode = 0640;
  std::vector<std::pair<std::string, LogLevel>> submodule_levels;  // override `level`
};

// From GLOG_v and its kin. ValueError with the documented text when one of them makes no sense.
LogOptions log_options_from_environment();

// Puts options in force. Until then warnings and errors go to stderr.
void configure_log(const LogOptions& options);
LogOptions log_options();
void set_log_level(LogLevel level);
LogLevel log_level_of(std::int64_t number);  // ValueError with the documented text

namespace internal {
// The lowest level any sub-module logs; all that a suppressed record costs is one look at it.
extern std::atomic<std::uint8_t> lowest_level;
}  // namespace internal

inline bool log_may_pass(LogLevel level) {
  return static_cast<std::uint8_t>(level) >= internal::lowest_level.load(std::memory_order_relaxed);
}

struct LogRecord {
  LogLevel level = LogLevel::Info;
  std::string_view submodule;  // "ME", "DEVICE", "PYNATIVE", ...
  std::string_view file;
  std::uint32_t line = 0;
  std::string_view function;  // native records only
  std::string_view text;
  LogForm form = LogForm::Native;
};

// One line to the sink. A warning equal to a recent one is only counted; the count is written after
// 10, 100, ... repetitions, when other warnings push it out, and by `flush_log`.
void log_record(const LogRecord& record);
void log_record(LogLevel level, std::string_view submodule, std::string_view file,
                std::uint32_t line, std::string_view text, bool python_format);
// Writes the counts still open. Also done when the process ends.
void flush_log();

// The line a record becomes, without the line end; the clock is read here.
std::string log_line(const LogRecord& record);

// The first part of a message; remembers where it was written. Not std::source_location: its names
// of functions are whole signatures, and not every tool that reads C++ knows it.
struct LogSite {
  template <std::convertible_to<std::string_view> Text>
  LogSite(const Text& first, const char* file = __builtin_FILE(),
          std::uint32_t line = __builtin_LINE(), const char* function = __builtin_FUNCTION())
      : first(first), file(file), line(line), function(function) {}
  std::string_view first;
  const char* file;
  std::uint32_t line;
  const char* function;
};

void log_message(LogLevel level, const LogSite& site, std::string_view text);

// For the person running the program: one line, facts and numbers. Parts are joined only when the
// record passes.
template <class... Parts>
void log_debug(LogSite site, const Parts&... parts) {
  if (log_may_pass(LogLevel::Debug)) log_message(LogLevel::Debug, site, join(site.first, parts...));
}
template <class... Parts>
void log_info(LogSite site, const Parts&... parts) {
  if (log_may_pass(LogLevel::Info)) log_message(LogLevel::Info, site, join(site.first, parts...));
}
template <class... Parts>
void log_warning(LogSite site, const Parts&... parts) {
  if (log_may_pass(LogLevel::Warning)) {
    log_message(LogLevel::Warning, site, join(site.first, parts...));
  }
}
template <class... Parts>
void log_error(LogSite site, const Parts&... parts) {
  if (log_may_pass(LogLevel::Error)) log_message(LogLevel::Error, site, join(site.first, parts...));
}

}  // namespace mycel::platform
