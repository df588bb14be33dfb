// SPDX-License-Identifier: Apache-2.0
#include "platform/log/log_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mycel::platform {
namespace {

constexpr mode_t kFolderMode = 0700;

// mkdir -p, private to the user.
void make_folders(const std::string& folder) {
  for (std::size_t at = folder.find('/', 1); at != std::string::npos;
       at = folder.find('/', at + 1)) {
    mkdir(folder.substr(0, at).c_str(), kFolderMode);
  }
  mkdir(folder.c_str(), kFolderMode);
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 && name[0] != 0 ? name : "unknown-host";
}

std::string user_name() {
  char buffer[1024];
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(getuid(), &entry, buffer, sizeof buffer, &found);
  return found != nullptr ? entry.pw_name : join("uid", static_cast<long long>(getuid()));
}

std::string local_time(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, format, &parts)};
}

}  // namespace

void write_fully(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // a full disk or a closed pipe: nobody left to tell
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

LogFiles::~LogFiles() { close_all(); }

void LogFiles::close_all() {
  for (File& file : levels_) {
    if (file.descriptor >= 0) ::close(file.descriptor);
    file = File();
  }
  if (python_.descriptor >= 0) ::close(python_.descriptor);
  python_ = File();
}

// File names carry the process; a forked child begins its own.
void LogFiles::follow_fork() {
  const int process = getpid();
  if (process == process_) return;
  close_all();
  process_ = process;
  make_folders(options_.folder);
}

void LogFiles::write(LogLevel level, LogForm form, std::string_view line) {
  follow_fork();
  for (int k = static_cast<int>(options_.level); k <= static_cast<int>(level); ++k)
    write_level(k, line);
  if (level < options_.level)
    write_level(static_cast<int>(level), line);  // let through by its sub-module
  if (form == LogForm::Python) write_python(line);
}

void LogFiles::open(File& file, const std::string& path) {
  file.descriptor =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, options_.file_mode);
  if (file.descriptor < 0) {
    file.given_up = true;
    write_fully(STDERR_FILENO,
                join("the log file '", path, "' cannot be opened: ", std::strerror(errno), "\n"));
    return;
  }
  struct stat info {};
  file.bytes = fstat(file.descriptor, &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

void LogFiles::open_level(int level) {
  const std::string_view word = name_of(static_cast<LogLevel>(level));
  const std::string stem = join("mindspore.", host_name(), ".", user_name(), ".log.", word, ".",
                                local_time("%Y%m%d-%H%M%S"), ".", process_);
  std::string name = stem;  // two files of one second are told apart by a number
  for (int k = 1; access(join(options_.folder, "/", name).c_str(), F_OK) == 0; ++k)
    name = join(stem, ".", k);
  File& file = levels_[level];
  open(file, join(options_.folder, "/", name));
  if (file.given_up) return;
  const std::string header =
      join("Log file created at: ", local_time("%Y/%m/%d %H:%M:%S"),
           "\nRunning on machine: ", host_name(),
           "\n[LEVEL] MODULE(pid,thread,program):date-time [file:line] function] message\n");
  write_fully(file.descriptor, header);
  file.bytes += header.size();
  const std::string link = join(options_.folder, "/mindspore.", word);
  unlink(link.c_str());
  if (symlink(name.c_str(), link.c_str()) != 0) return;  // a convenience only
}

void LogFiles::write_level(int level, std::string_view line) {
  File& file = levels_[level];
  if (file.descriptor >= 0 && file.bytes + line.size() > options_.max_file_bytes) {
    ::close(file.descriptor);
    file = File();
  }
  if (file.descriptor < 0 && !file.given_up) open_level(level);
  if (file.given_up) return;
  write_fully(file.descriptor, line);
  file.bytes += line.size();
}

std::string LogFiles::python_path() const {
  return join(options_.folder, "/mindspore.log.", process_);
}

void LogFiles::open_python() { open(python_, python_path()); }

// path -> path.1 -> path.2 ... ; the oldest falls off the end.
void LogFiles::rotate_python() {
  ::close(python_.descriptor);
  python_ = File();
  const std::string path = python_path();
  for (int k = options_.python_backup_count - 1; k >= 1; --k) {
    std::rename(join(path, ".", k).c_str(), join(path, ".", k + 1).c_str());
  }
  if (options_.python_backup_count > 0) {
    std::rename(path.c_str(), join(path, ".1").c_str());
  } else {
    unlink(path.c_str());
  }
}

void LogFiles::write_python(std::string_view line) {
  const std::uint64_t limit = options_.python_max_file_bytes;  // 0: never rotate
  if (python_.descriptor >= 0 && limit != 0 && python_.bytes + line.size() > limit) rotate_python();
  if (python_.descriptor < 0 && !python_.given_up) open_python();
  if (python_.given_up) return;
  write_fully(python_.descriptor, line);
  python_.bytes += line.size();
}

}  // namespace mycel::platform
