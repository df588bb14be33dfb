// SPDX-License-Identifier: Apache-2.0
#include "platform/log/log.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <memory>
#include <mutex>

#include <pthread.h>
#include <unistd.h>

#include "platform/log/log_file.h"

namespace mycel::platform {
namespace internal {
std::atomic<std::uint8_t> lowest_level{static_cast<std::uint8_t>(LogLevel::Warning)};
}  // namespace internal

namespace {

// Sub-module names as users of MindSpore know them, by folder of src/.
struct FolderTag {
  std::string_view folder;
  std::string_view tag;
};
constexpr FolderTag kFolderTags[] = {
    {"device", "DEVICE"},
    {"backend", "KERNEL"},
    {"ops", "KERNEL"},
    {"operator", "KERNEL"},
    {"eager", "PYNATIVE"},
    {"capture", "PARSER"},
    {"ir", "ANALYZER"},
    {"passes", "PRE_ACT"},
    {"runtime", "RUNTIME_FRAMEWORK"},
    {"data", "MD"},
    {"cache", "MD"},
    {"profiler", "PROFILER"},
    {"trace", "PROFILER"},
    {"collective", "DISTRIBUTED"},
    {"parameter_server", "PS"},
    {"inspect", "DUMP"},
    {"platform", "UTILS"},
    {"serving", "SERVING"},
    {"tensor", "CORE"},
};

// The path below src/, which is all a reader needs.
std::string_view below_source_folder(std::string_view file) {
  const std::size_t at = file.rfind("src/");
  return at == std::string_view::npos ? file : file.substr(at + 4);
}

std::string_view tag_of_file(std::string_view file) {
  const std::string_view inside = below_source_folder(file);
  const std::string_view folder = inside.substr(0, inside.find('/'));
  const auto* found = std::ranges::find(kFolderTags, folder, &FolderTag::folder);
  return found == std::end(kFolderTags) ? "ME" : found->tag;
}

// "2024-05-01-13:45:59.123.456"
std::string time_stamp() {
  const auto now = std::chrono::system_clock::now();
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
  const std::time_t seconds = static_cast<std::time_t>(micros / 1000000);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char text[64];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%d-%H:%M:%S", &parts);
  std::snprintf(text + size, sizeof text - size, ".%03d.%03d",
                static_cast<int>(micros / 1000 % 1000), static_cast<int>(micros % 1000));
  return text;
}

std::string thread_text(LogForm form) {
  char text[32];
  const auto thread = static_cast<unsigned long>(pthread_self());
  std::snprintf(text, sizeof text, form == LogForm::Native ? "%lx" : "%lu", thread);
  return text;
}

// The sink: levels, destination, and the warnings seen lately. One lock, so that lines of native
// and Python code never mix.
class Sink {
 public:
  void configure(const LogOptions& options) {
    const std::lock_guard lock(mutex_);
    options_ = options;
    files_ = options.folder.empty() ? nullptr : std::make_unique<LogFiles>(options);
    publish_lowest();
  }

  LogOptions options() {
    const std::lock_guard lock(mutex_);
    return options_;
  }

  void set_level(LogLevel level) {
    const std::lock_guard lock(mutex_);
    options_.level = level;
    if (files_ != nullptr) files_->set_level(level);
    publish_lowest();
  }

  void record(const LogRecord& record) {
    const std::lock_guard lock(mutex_);
    if (record.level < level_for(record.submodule)) return;
    if (record.level == LogLevel::Warning && is_repetition(record)) return;
    emit(record.level, record.form, log_line(record));
  }

  // Held over a fork: the child must not find it taken by a thread it does not have.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  void flush() {
    const std::lock_guard lock(mutex_);
    for (Seen& seen : recent_) report(seen);
  }

 private:
  struct Seen {
    std::string text;
    std::string file;
    std::string function;
    std::string submodule;
    std::uint32_t line = 0;
    LogForm form = LogForm::Native;
    std::uint64_t repetitions = 0;
    std::uint64_t reported = 0;
  };
  static constexpr std::size_t kRemembered = 16;

  LogLevel level_for(std::string_view submodule) const {
    for (const auto& [name, level] : options_.submodule_levels) {
      if (name == submodule) return level;
    }
    return options_.level;
  }

  void publish_lowest() {
    LogLevel lowest = options_.level;
    for (const auto& entry : options_.submodule_levels) lowest = std::min(lowest, entry.second);
    internal::lowest_level = static_cast<std::uint8_t>(lowest);
  }

  bool is_repetition(const LogRecord& record) {
    const auto same = [&](const Seen& seen) {
      return seen.line == record.line && seen.text == record.text && seen.file == record.file;
    };
    const auto found = std::ranges::find_if(recent_, same);
    if (found == recent_.end()) {
      if (recent_.size() == kRemembered) {
        report(recent_.front());
        recent_.pop_front();
      }
      recent_.push_back({std::string(record.text), std::string(record.file),
                         std::string(record.function), std::string(record.submodule), record.line,
                         record.form});
      return false;
    }
    ++found->repetitions;
    std::uint64_t power = 10;
    while (power < found->repetitions) power *= 10;
    if (power == found->repetitions) report(*found);
    return true;
  }

  void report(Seen& seen) {
    if (seen.repetitions == seen.reported) return;
    seen.reported = seen.repetitions;
    const std::string text = join(seen.text, " (repeated ", seen.repetitions,
                                  seen.repetitions == 1 ? " time)" : " times)");
    emit(LogLevel::Warning, seen.form,
         log_line({LogLevel::Warning, seen.submodule, seen.file, seen.line, seen.function, text,
                   seen.form}));
  }

  void emit(LogLevel level, LogForm form, std::string line) {
    line.push_back('\n');
    if (options_.to_stderr || files_ == nullptr || level >= options_.stderr_level) {
      write_fully(STDERR_FILENO, line);
    }
    if (files_ != nullptr) files_->write(level, form, line);
  }

  std::mutex mutex_;  // guards everything below and the order of lines
  LogOptions options_;
  std::unique_ptr<LogFiles> files_;
  std::deque<Seen> recent_;
};

// Never destroyed: other libraries may log while the process ends.
Sink& sink() {
  static Sink* const instance = [] {
    std::atexit(flush_log);
    pthread_atfork([] { sink().lock(); }, [] { sink().unlock(); }, [] { sink().unlock(); });
    return std::make_unique<Sink>().release();
  }();
  return *instance;
}

}  // namespace

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::Debug: return "DEBUG";
    case LogLevel::Info: return "INFO";
    case LogLevel::Warning: return "WARNING";
    case LogLevel::Error: return "ERROR";
    case LogLevel::Critical: return "CRITICAL";
  }
  return "?";
}

std::string log_line(const LogRecord& record) {
  const std::string head = join(
      "[", name_of(record.level), "] ", record.submodule, "(", static_cast<long long>(getpid()),
      record.form == LogForm::Native ? "," : ":", thread_text(record.form), ",");
  if (record.form == LogForm::Python) {
    return join(head, "MainProcess):", time_stamp(), " [", record.file, ":", record.line, "] ",
                record.text);
  }
  return join(head, program_invocation_short_name, "):", time_stamp(), " [mindspore/",
              below_source_folder(record.file), ":", record.line, "] ", record.function, "] ",
              record.text);
}

void configure_log(const LogOptions& options) { sink().configure(options); }
LogOptions log_options() { return sink().options(); }
void set_log_level(LogLevel level) { sink().set_level(level); }
void flush_log() { sink().flush(); }
void log_record(const LogRecord& record) { sink().record(record); }

void log_record(LogLevel level, std::string_view submodule, std::string_view file,
                std::uint32_t line, std::string_view text, bool python_format) {
  log_record(
      {level, submodule, file, line, "", text, python_format ? LogForm::Python : LogForm::Native});
}

void log_message(LogLevel level, const LogSite& site, std::string_view text) {
  log_record(
      {level, tag_of_file(site.file), site.file, site.line, site.function, text, LogForm::Native});
}

}  // namespace mycel::platform
