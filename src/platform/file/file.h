// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "platform/error/error.h"
#include "platform/file/mapping_guard.h"

namespace mycel::platform {

using Path = std::filesystem::path;
using Bytes = std::span<const std::byte>;

// The result of work that has nothing to return.
struct Done {};

inline Bytes as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

// An open file descriptor, closed with the object.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int number() const { return number_; }  // -1: none
  Result<Done> close();                   // tells of write errors the system found late

 private:
  int number_ = -1;
};

// A whole file mapped for reading; pages come in when touched. An empty file is an empty span. What
// somebody cuts off the file in the meantime reads as zeros: see check().
class MappedFile {
 public:
  static Result<MappedFile> open(const Path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();
  Bytes bytes() const { return {data_, size_}; }
  // False: some of what was read was not the file any more. Costs nothing, and sees whole pages
  // only.
  bool is_whole() const { return !guard_.is_damaged(); }
  // After the bytes were used: an error that names the file when it is shorter than it was.
  Result<Done> check() const;

 private:
  MappedFile(const std::byte* data, std::size_t size, Path path);
  void unmap();
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  Path path_;
  std::uint64_t device_ = 0;  // with the number below, what the path stood for
  std::uint64_t inode_ = 0;
  MappingGuard guard_;
};

class FileReader {
 public:
  static Result<FileReader> open(const Path& path);
  std::uint64_t size() const { return size_; }
  // Fills the span from the current position; fewer bytes only at the end of the file.
  Result<std::size_t> read(std::span<std::byte> target);
  // The same, but a file that ends early is an error.
  Result<Done> read_exactly(std::span<std::byte> target);
  // Does not move the position; several threads may do it at once.
  Result<Done> read_at(std::uint64_t offset, std::span<std::byte> target) const;

 private:
  FileReader(Descriptor file, Path path, std::uint64_t size)
      : file_(std::move(file)), path_(std::move(path)), size_(size) {}
  Descriptor file_;
  Path path_;
  std::uint64_t size_ = 0;
};

class DirectWriter;

// Writes a new file beside `path` and puts it in its place on commit(): readers see the old content
// or all of the new one, also when the machine stops in between. Without commit() nothing changes.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const Path& path, unsigned mode = 0644);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) = delete;
  ~AtomicFile();

  Result<Done> write(Bytes bytes);
  Result<Done> write_at(std::uint64_t offset, Bytes bytes);  // leaves the position
  // What was written so far; a file that ends early is an error.
  Result<Done> read_at(std::uint64_t offset, std::span<std::byte> target) const;
  std::uint64_t written() const { return written_; }
  // Where the content is until commit(), for libraries that write by name.
  const Path& temporary() const { return temporary_; }
  Result<Done> commit();

 private:
  AtomicFile(Descriptor file, Path path, Path temporary);
  Result<Done> write_ordinarily(std::uint64_t offset, Bytes bytes);
  Result<Done> write_directly(Bytes bytes);
  Result<Done> settle() const;  // what write() got is in the file
  Descriptor file_;
  Path path_;
  Path temporary_;  // empty: committed or moved from
  std::uint64_t written_ = 0;
  std::unique_ptr<DirectWriter> direct_;  // writes the rest of large files
};

Result<Done> replace_file(const Path& path, Bytes bytes, unsigned mode = 0644);
Result<std::string> read_text(const Path& path);

}  // namespace mycel::platform
