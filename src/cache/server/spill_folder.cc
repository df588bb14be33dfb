// SPDX-License-Identifier: Apache-2.0
#include "cache/server/spill_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <sstream>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/log/log.h"

namespace mycel::cache {
namespace {

using platform::Descriptor;
using platform::Error;
using platform::ErrorKind;
using platform::join;
using platform::Result;

constexpr std::size_t kNameLength = 36;
constexpr std::size_t kTailLength = 8;
constexpr std::string_view kNameBegin = "mycel_cache_server.";

std::string random_letters(std::size_t count) {
  static constexpr char kLetters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::random_device source;
  std::string letters;
  for (std::size_t k = 0; k < count; ++k) letters.push_back(kLetters[source() % 36]);
  return letters;
}

Error cannot_make(const Path& folder) {
  return {ErrorKind::Runtime,
          join("Spilling directory is not writable\nUnable to create directory ", folder.string(),
               ". Errno = ", errno, " (", std::strerror(errno), ")")};
}

// A file without a name. -1: this file system has no such files, or errno says what is wrong.
int make_unnamed(const Path& folder) {
  return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}
bool has_unnamed_files() { return errno != EOPNOTSUPP && errno != EISDIR; }

// The folder of a process that served `port` and is dead: it may go.
bool is_left_over(std::string_view name, std::uint16_t port) {
  const std::string begin = join(kNameBegin, port, ".");
  if (!name.starts_with(begin)) return false;
  std::string words(name.substr(begin.size()));
  std::ranges::replace(words, '.', ' ');
  std::istringstream stream(words);
  ProcessIdentity process;
  std::string tail;
  std::string more;
  if (!(stream >> process.pid >> process.start_ticks >> process.boot_id >> tail)) return false;
  return !(stream >> more) && tail.size() == kTailLength && process.pid > 0 && !is_alive(process);
}

}  // namespace

std::string spill_folder_name(std::uint16_t port, const ProcessIdentity& process) {
  return join(kNameBegin, port, ".", process.pid, ".", process.start_ticks, ".", process.boot_id,
              ".", random_letters(kTailLength));
}

Result<SpillFolder> SpillFolder::open(const Path& path, std::uint16_t port) {
  if (!path.is_absolute())
    return Error(ErrorKind::Runtime, "Spilling directory must be an absolute path");
  SpillFolder folder(path, port);
  if (const Descriptor trial(make_unnamed(path)); trial.number() < 0) {
    if (has_unnamed_files()) return cannot_make(path / random_letters(kNameLength));
    if (Result<Descriptor> named = folder.make_named_file(); !named) return named.error();
  }
  folder.sweep();
  return folder;
}

void SpillFolder::sweep() const {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path_, error)) {
    if (!entry.is_directory(error) || entry.is_symlink(error)) continue;
    if (!is_left_over(entry.path().filename().string(), port_)) continue;
    std::filesystem::remove_all(entry.path(), error);
    platform::log_info("cache: removed the spill folder ", entry.path().string(),
                       " of a server that is gone");
  }
}

Result<Descriptor> SpillFolder::make_file(FileKind kind) const {
  if (kind == FileKind::Unnamed) {
    Descriptor file(make_unnamed(path_));
    if (file.number() >= 0) return file;
    if (has_unnamed_files()) return cannot_make(path_);
  }
  return make_named_file();
}

Result<Descriptor> SpillFolder::make_named_file() const {
  const Path folder = path_ / spill_folder_name(port_, this_process());
  if (mkdir(folder.c_str(), 0700) != 0) return cannot_make(folder);
  const Path rows = folder / "rows";
  Descriptor file(::open(rows.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const int reason = errno;
  unlink(rows.c_str());
  // A network file system keeps an unlinked file under another name while it is open; then the
  // folder stays, and a later start finds it by its name.
  rmdir(folder.c_str());
  if (file.number() >= 0) return file;
  errno = reason;
  return cannot_make(folder);
}

}  // namespace mycel::cache
