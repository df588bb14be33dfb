// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "platform/log/log.h"

namespace mycel::platform {

// The log files of one process: one per level, higher levels repeated in the lower ones, and one
// that holds Python's records only. Not thread-safe; the sink's lock guards it. A file that cannot
// be opened is given up with one line on stderr, since logging must never stop the work.
class LogFiles {
 public:
  explicit LogFiles(const LogOptions& options) : options_(options) {}
  LogFiles(const LogFiles&) = delete;
  LogFiles& operator=(const LogFiles&) = delete;
  ~LogFiles();

  void write(LogLevel level, LogForm form, std::string_view line);
  void set_level(LogLevel level) { options_.level = level; }

 private:
  struct File {
    int descriptor = -1;
    std::uint64_t bytes = 0;
    bool given_up = false;
  };

  void write_level(int level, std::string_view line);
  void write_python(std::string_view line);
  void open_level(int level);
  void open_python();
  void rotate_python();
  void open(File& file, const std::string& path);
  std::string python_path() const;
  void close_all();
  void follow_fork();

  LogOptions options_;
  int process_ = 0;
  File levels_[5];
  File python_;
};

void write_fully(int descriptor, std::string_view text);

}  // namespace mycel::platform
