// SPDX-License-Identifier: Apache-2.0
#include "platform/file/file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/file/direct_writer.h"

namespace mycel::platform {
namespace {

// Linux moves at most 2 GiB - 4 KiB per call.
constexpr std::size_t kMaxTransferBytes = std::size_t{1} << 30;
// The system keeps what is written until it is asked or has too much of it. Sent on its way piece
// by piece, large files are on the disk soon after the last piece.
constexpr std::size_t kWriteBytes = std::size_t{16} << 20;
constexpr std::size_t kSentBytes = std::size_t{1} << 20;
// Files that grow beyond this are written past the page cache from here on.
constexpr std::uint64_t kDirectFrom = std::uint64_t{32} << 20;
constexpr std::string_view kUnfinished = ".part.";  // then the process and a number

Error io_error(const Path& path, std::string_view action) {
  const int code = errno;
  return {ErrorKind::Io,
          join("the file '", path.string(), "' cannot be ", action, ": ", std::strerror(code))};
}

Result<Descriptor> open_to_read(const Path& path, std::uint64_t& size) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) return io_error(path, "opened");
  struct stat info {};
  if (fstat(file.number(), &info) != 0) return io_error(path, "read");
  if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return io_error(path, "opened");
  }
  size = static_cast<std::uint64_t>(info.st_size);
  return file;
}

// The bytes from `offset` on; a file that ends before the span is full is an error.
Result<Done> read_fully(int file, const Path& path, std::uint64_t offset,
                        std::span<std::byte> target) {
  std::size_t done = 0;
  while (done < target.size()) {
    const std::size_t want = std::min(target.size() - done, kMaxTransferBytes);
    const ssize_t got = pread(file, target.data() + done, want, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error(path, "read");
    if (got == 0) {
      return Error(ErrorKind::Io, join("the file '", path.string(), "' is cut short: byte ",
                                       offset + done, " was expected"));
    }
    done += static_cast<std::size_t>(got);
  }
  return Done();
}

Path folder_of(const Path& path) { return path.has_parent_path() ? path.parent_path() : Path("."); }

// The name an unfinished file was to get, or nothing for other files.
std::string_view finished_name(std::string_view name) {
  const std::size_t mark = name.rfind(kUnfinished);
  if (mark == std::string_view::npos || mark == 0) return {};
  const std::string_view numbers = name.substr(mark + kUnfinished.size());
  const std::size_t dot = numbers.find('.');
  const bool is_ours = dot != std::string_view::npos && dot > 0 && dot + 1 < numbers.size() &&
                       numbers.find('.', dot + 1) == std::string_view::npos &&
                       numbers.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_ours ? name.substr(0, mark) : std::string_view();
}

// Writers hold a lock on their unfinished files, which ends with them however they end. (The number
// of a process tells nothing: another container may have the same one.)
bool is_abandoned(const Path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  return file.number() >= 0 && fstat(file.number(), &info) == 0 && S_ISREG(info.st_mode) &&
         flock(file.number(), LOCK_EX | LOCK_NB) == 0;
}

// Removes what killed writers left beside `path` of files of its kind: they may be large, and there
// would be one more with every kill.
void remove_abandoned(const Path& path) {
  std::error_code failure;
  std::filesystem::directory_iterator entries(folder_of(path), failure);
  for (; !failure && entries != std::filesystem::directory_iterator(); entries.increment(failure)) {
    const std::string name = entries->path().filename().string();
    const std::string_view finished = finished_name(name);
    if (!finished.empty() && Path(finished).extension() == path.extension() &&
        is_abandoned(entries->path()))
      unlink(entries->path().c_str());
  }
}

// Whether the new file is ours from now on; false when it was taken for an abandoned one just now.
bool is_locked(int file) {
  if (flock(file, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;  // or there are no locks
  struct stat info {};
  return fstat(file, &info) != 0 || info.st_nlink > 0;
}

// The rename is durable only when the folder's own entry is on disk.
Result<Done> sync_folder(const Path& path) {
  const Path folder = folder_of(path);
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems do not offer this; what they do offer has been done then.
  if (opened.number() >= 0 && fsync(opened.number()) != 0 && errno == EIO)
    return io_error(folder, "synchronised");
  return Done();
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (number_ >= 0) ::close(number_);
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Result<Done> Descriptor::close() {
  if (number_ >= 0 && ::close(std::exchange(number_, -1)) != 0) {
    return Error(ErrorKind::Io, join("a file cannot be closed: ", std::strerror(errno)));
  }
  return Done();
}

Result<MappedFile> MappedFile::open(const Path& path) {
  std::uint64_t size = 0;
  const Result<Descriptor> file = open_to_read(path, size);
  if (!file) return file.error();
  if (size == 0) return MappedFile(nullptr, 0, path);
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.value().number(), 0);
  if (data == MAP_FAILED) return io_error(path, "mapped");
  MappedFile mapped(static_cast<const std::byte*>(data), size, path);
  struct stat info {};
  if (fstat(file.value().number(), &info) == 0) {
    mapped.device_ = info.st_dev;
    mapped.inode_ = info.st_ino;
  }
  return mapped;
}

MappedFile::MappedFile(const std::byte* data, std::size_t size, Path path)
    : data_(data), size_(size), path_(std::move(path)) {
  if (size > 0) guard_ = MappingGuard(data, size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    path_ = std::move(other.path_);
    device_ = other.device_;
    inode_ = other.inode_;
    guard_ = std::move(other.guard_);
  }
  return *this;
}

MappedFile::~MappedFile() { unmap(); }

void MappedFile::unmap() {
  guard_ = MappingGuard();
  if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), size_);
}

Result<Done> MappedFile::check() const {
  // The rest of the last page reads as zeros without anybody's doing.
  struct stat info {};
  const bool is_known =
      stat(path_.c_str(), &info) == 0 && info.st_dev == device_ && info.st_ino == inode_;
  const bool is_short = is_known && static_cast<std::uint64_t>(info.st_size) < size_;
  if (is_whole() && !is_short) return Done();
  return Error(ErrorKind::Io,
               join("the file '", path_.string(), "' was cut short while it was read: ", "it had ",
                    size_, " bytes", is_known ? join(" and has ", info.st_size, " now") : ""));
}

Result<FileReader> FileReader::open(const Path& path) {
  std::uint64_t size = 0;
  Result<Descriptor> file = open_to_read(path, size);
  if (!file) return file.error();
  return FileReader(std::move(file).value(), path, size);
}

Result<std::size_t> FileReader::read(std::span<std::byte> target) {
  std::size_t done = 0;
  while (done < target.size()) {
    const std::size_t want = std::min(target.size() - done, kMaxTransferBytes);
    const ssize_t got = ::read(file_.number(), target.data() + done, want);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error(path_, "read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Result<Done> FileReader::read_exactly(std::span<std::byte> target) {
  const Result<std::size_t> got = read(target);
  if (!got) return got.error();
  if (got.value() < target.size()) {
    return Error(ErrorKind::Io, join("the file '", path_.string(), "' is cut short: ",
                                     target.size(), " bytes were expected, but got ", got.value()));
  }
  return Done();
}

Result<Done> FileReader::read_at(std::uint64_t offset, std::span<std::byte> target) const {
  return read_fully(file_.number(), path_, offset, target);
}

Result<AtomicFile> AtomicFile::create(const Path& path, unsigned mode) {
  static std::atomic<unsigned> serial{0};
  remove_abandoned(path);
  for (;;) {
    // In the same folder, because a rename cannot leave the file system.
    Path temporary = path;
    temporary += join(kUnfinished, static_cast<long long>(getpid()), ".", serial.fetch_add(1));
    Descriptor file(::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (file.number() < 0 && errno == EEXIST) continue;
    if (file.number() < 0) return io_error(path, "written");
    if (is_locked(file.number())) return AtomicFile(std::move(file), path, std::move(temporary));
  }
}

AtomicFile::AtomicFile(Descriptor file, Path path, Path temporary)
    : file_(std::move(file)), path_(std::move(path)), temporary_(std::move(temporary)) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : file_(std::move(other.file_)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, Path())),
      written_(other.written_),
      direct_(std::move(other.direct_)) {}

AtomicFile::~AtomicFile() {
  direct_.reset();
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Result<Done> AtomicFile::write(Bytes bytes) {
  if (direct_ != nullptr && !direct_->is_settled()) return write_directly(bytes);
  if (Result<Done> done = settle(); !done) return done;  // what failed once stays failed
  direct_.reset();
  const std::uint64_t blocks =
      (written_ + DirectWriter::kBlockBytes - 1) / DirectWriter::kBlockBytes;
  const std::uint64_t direct_from = std::max(kDirectFrom, blocks * DirectWriter::kBlockBytes);
  const Bytes first = bytes.first(std::min<std::uint64_t>(bytes.size(), direct_from - written_));
  if (Result<Done> done = write_ordinarily(written_, first); !done) return done;
  written_ += first.size();
  if (first.size() == bytes.size()) return Done();
  direct_ = std::make_unique<DirectWriter>(file_.number(), written_);
  return write_directly(bytes.subspan(first.size()));
}

Result<Done> AtomicFile::write_directly(Bytes bytes) {
  if (const int failure = direct_->append(bytes); failure != 0) {
    errno = failure;
    return io_error(path_, "written");
  }
  written_ += bytes.size();
  return Done();
}

Result<Done> AtomicFile::write_at(std::uint64_t offset, Bytes bytes) {
  if (Result<Done> done = settle(); !done) return done;
  return write_ordinarily(offset, bytes);
}

Result<Done> AtomicFile::write_ordinarily(std::uint64_t offset, Bytes bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const std::size_t want = std::min(bytes.size() - done, kWriteBytes);
    const ssize_t put =
        pwrite(file_.number(), bytes.data() + done, want, static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return io_error(path_, "written");
    if (static_cast<std::size_t>(put) >= kSentBytes)
      sync_file_range(file_.number(), static_cast<off_t>(offset + done), put,
                      SYNC_FILE_RANGE_WRITE);
    done += static_cast<std::size_t>(put);
  }
  return Done();
}

Result<Done> AtomicFile::settle() const {
  if (direct_ == nullptr) return Done();
  if (const int failure = direct_->settle(); failure != 0) {
    errno = failure;
    return io_error(path_, "written");
  }
  return Done();
}

Result<Done> AtomicFile::read_at(std::uint64_t offset, std::span<std::byte> target) const {
  if (Result<Done> done = settle(); !done) return done;
  return read_fully(file_.number(), path_, offset, target);
}

Result<Done> AtomicFile::commit() {
  require(!temporary_.empty(), ErrorKind::Internal, "the file '", path_.string(),
          "' is committed twice");
  if (Result<Done> done = settle(); !done) return done;
  if (fsync(file_.number()) != 0) return io_error(path_, "written");
  // Before it is closed, and the lock with it.
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return io_error(path_, "replaced");
  temporary_.clear();
  if (Result<Done> closed = file_.close(); !closed) return closed;
  return sync_folder(path_);
}

Result<Done> replace_file(const Path& path, Bytes bytes, unsigned mode) {
  Result<AtomicFile> created = AtomicFile::create(path, mode);
  if (!created) return created.error();
  AtomicFile file = std::move(created).value();
  if (Result<Done> done = file.write(bytes); !done) return done;
  return file.commit();
}

Result<std::string> read_text(const Path& path) {
  Result<FileReader> opened = FileReader::open(path);
  if (!opened) return opened.error();
  FileReader file = std::move(opened).value();
  // Not file.size(): files of /proc state a size of zero.
  std::string text;
  std::size_t chunk = std::max<std::size_t>(file.size() + 1, 4096);
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + chunk);
    const Result<std::size_t> got =
        file.read(std::as_writable_bytes(std::span(text).subspan(before)));
    if (!got) return got.error();
    text.resize(before + got.value());
    if (got.value() < chunk) return text;
    chunk = text.size();
  }
}

}  // namespace mycel::platform
