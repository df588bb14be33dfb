// SPDX-License-Identifier: Apache-2.0
#include "cache/server/spill_folder.h"

#include <cerrno>
#include <cstring>
#include <random>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/client/process_identity.h"
#include "platform/log/log.h"

namespace mycel::cache {
namespace {

using platform::Descriptor;
using platform::Error;
using platform::ErrorKind;
using platform::join;
using platform::Result;

constexpr std::size_t kNameLength = 36;

std::string random_name() {
  static constexpr char kLetters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::random_device source;
  std::string name;
  for (std::size_t k = 0; k < kNameLength; ++k) name.push_back(kLetters[source() % 36]);
  return name;
}

Error cannot_make(const Path& folder) {
  return {ErrorKind::Runtime,
          join("Spilling directory is not writable\nUnable to create directory ", folder.string(),
               ". Errno = ", errno, " (", std::strerror(errno), ")")};
}

// The dead server of `port` that a marker names: its folder may go.
bool is_left_over(const Path& marker, std::uint16_t port) {
  const Result<std::string> text = platform::read_text(marker);
  if (!text) return false;
  const std::string head = join("port ", port, "\n");
  if (!text.value().starts_with(head)) return false;
  const auto process = parse_identity(std::string_view(text.value()).substr(head.size()));
  return process && !is_alive(*process);
}

}  // namespace

Result<SpillFolder> SpillFolder::open(const Path& path, std::uint16_t port) {
  if (!path.is_absolute())
    return Error(ErrorKind::Runtime, "Spilling directory must be an absolute path");
  const Path trial = path / random_name();
  if (mkdir(trial.c_str(), 0700) != 0) return cannot_make(trial);
  rmdir(trial.c_str());
  SpillFolder folder(path, port);
  folder.sweep();
  return folder;
}

void SpillFolder::sweep() const {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path_, error)) {
    if (!entry.is_directory(error) || entry.is_symlink(error)) continue;
    if (!is_left_over(entry.path() / kSpillMarker, port_)) continue;
    std::filesystem::remove_all(entry.path(), error);
    platform::log_info("cache: removed the spill folder ", entry.path().string(),
                       " of a server that is gone");
  }
}

Result<Descriptor> SpillFolder::make_file(FileKind kind) const {
  if (kind == FileKind::Unnamed) {
    const int number = ::open(path_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (number >= 0) return Descriptor(number);
    if (errno == ENOSPC || errno == EDQUOT || errno == EMFILE || errno == ENFILE)
      return cannot_make(path_);
  }
  return make_marked_file();
}

Result<Descriptor> SpillFolder::make_marked_file() const {
  const Path folder = path_ / random_name();
  if (mkdir(folder.c_str(), 0700) != 0) return cannot_make(folder);
  const std::string marker = join("port ", port_, "\n", text_of(this_process()));
  const Path marker_path = folder / kSpillMarker;
  const Path file_path = folder / "rows";
  const bool is_marked =
      static_cast<bool>(platform::replace_file(marker_path, platform::as_bytes(marker), 0600));
  Descriptor file(is_marked ? ::open(file_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
                            : -1);
  const int reason = errno;
  if (file.number() >= 0) unlink(file_path.c_str());
  unlink(marker_path.c_str());
  // A network file system keeps an unlinked file under another name while it is open; then the
  // folder stays, and with it the marker.
  if (rmdir(folder.c_str()) != 0) {
    const auto again = platform::replace_file(marker_path, platform::as_bytes(marker), 0600);
    if (!again) platform::log_warning("cache: ", again.error().message());
  }
  if (file.number() >= 0) return file;
  errno = reason;
  return cannot_make(folder);
}

}  // namespace mycel::cache
