// SPDX-License-Identifier: Apache-2.0
#include "platform/file/file.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mycel::platform {
namespace {

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "mycel_file_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_),
                                                  std::filesystem::directory_iterator()));
  }
  Path folder_;
};

TEST_F(FileTest, MissingFileIsAValueThatNamesIt) {
  const Result<MappedFile> mapped = MappedFile::open(folder_ / "none");
  ASSERT_FALSE(mapped);
  EXPECT_EQ(mapped.error().kind(), ErrorKind::Io);
  EXPECT_NE(mapped.error().message().find("none"), std::string::npos);
  EXPECT_FALSE(FileReader::open(folder_));  // a folder
  EXPECT_FALSE(replace_file(folder_ / "no" / "such", as_bytes("x")));
}

std::string pages(std::size_t count, char content) {
  return std::string(count * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), content);
}

TEST_F(FileTest, AMappedFileThatIsCutShortIsAnErrorAfterwards) {
  const Path path = folder_ / "cut";
  ASSERT_TRUE(replace_file(path, as_bytes(pages(8, 'x'))));
  const MappedFile other = MappedFile::open(path).value();
  const MappedFile mapped = MappedFile::open(path).value();
  ASSERT_TRUE(mapped.check());
  const std::uint64_t before = mapping_damages();
  std::filesystem::resize_file(path, pages(2, 'x').size() + 100);
  long sum = 0;
  for (const std::byte byte : mapped.bytes()) sum += std::to_integer<long>(byte);
  EXPECT_EQ(sum, 'x' * static_cast<long>(pages(2, 'x').size() + 100));
  EXPECT_FALSE(mapped.is_whole());
  EXPECT_EQ(mapping_damages(), before + 1);  // the rest was replaced at once
  const Result<Done> checked = mapped.check();
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error().message().find("cut' was cut short while it was read"),
            std::string::npos);
  EXPECT_TRUE(other.is_whole());  // nobody has touched it
  EXPECT_FALSE(other.check());
}

TEST_F(FileTest, TheRestOfAPageThatIsCutOffIsSeen) {
  const Path path = folder_ / "short";
  ASSERT_TRUE(replace_file(path, as_bytes("0123456789")));
  const MappedFile mapped = MappedFile::open(path).value();
  std::filesystem::resize_file(path, 5);
  EXPECT_TRUE(mapped.is_whole());
  EXPECT_FALSE(mapped.check());
}

TEST_F(FileTest, AFileThatIsReplacedOrRemovedStaysMapped) {
  const Path path = folder_ / "kept";
  ASSERT_TRUE(replace_file(path, as_bytes(pages(2, 'x'))));
  const MappedFile mapped = MappedFile::open(path).value();
  ASSERT_TRUE(replace_file(path, as_bytes("new")));
  EXPECT_TRUE(mapped.check());
  std::filesystem::remove(path);
  EXPECT_TRUE(mapped.check());
  EXPECT_EQ(mapped.bytes().back(), std::byte{'x'});
}

TEST_F(FileTest, ManyMappingsAreGuarded) {
  const Path path = folder_ / "many";
  ASSERT_TRUE(replace_file(path, as_bytes(pages(2, 'x'))));
  std::vector<MappedFile> mapped;
  for (int i = 0; i < 300; ++i) mapped.push_back(MappedFile::open(path).value());
  std::filesystem::resize_file(path, 1);
  for (const MappedFile& one : mapped) {
    EXPECT_EQ(one.bytes().back(), std::byte{0});
    EXPECT_FALSE(one.is_whole());
  }
}

using FileDeathTest = FileTest;

TEST_F(FileDeathTest, FaultsElsewhereEndTheProcessAsBefore) {
  const Path path = folder_ / "other";
  ASSERT_TRUE(replace_file(path, as_bytes(pages(2, 'x'))));
  const MappedFile guarded = MappedFile::open(path).value();
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  void* data = mmap(nullptr, pages(2, 'x').size(), PROT_READ, MAP_PRIVATE, file, 0);
  ASSERT_NE(data, MAP_FAILED);
  std::filesystem::resize_file(path, 1);
  const auto* last = static_cast<const volatile char*>(data) + pages(2, 'x').size() - 1;
  EXPECT_EXIT(static_cast<void>(*last), ::testing::KilledBySignal(SIGBUS), "");
  munmap(data, pages(2, 'x').size());
  ::close(file);
}

TEST_F(FileTest, FaultsElsewhereGoToTheHandlerBefore) {
  static std::atomic<int> seen;
  seen = 0;
  struct sigaction mine {};
  mine.sa_sigaction = [](int, siginfo_t* info, void*) {
    ++seen;
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    auto* place =
        reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(info->si_addr) & ~(page - 1));
    mmap(place, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  };
  mine.sa_flags = SA_SIGINFO;
  struct sigaction before {};
  sigaction(SIGBUS, &mine, &before);
  const Path path = folder_ / "theirs";
  ASSERT_TRUE(replace_file(path, as_bytes(pages(2, 'x'))));
  const MappedFile guarded = MappedFile::open(path).value();  // comes in front of it
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  void* data = mmap(nullptr, pages(2, 'x').size(), PROT_READ, MAP_PRIVATE, file, 0);
  std::filesystem::resize_file(path, 1);
  EXPECT_EQ(static_cast<const volatile char*>(data)[pages(2, 'x').size() - 1], 0);
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(guarded.bytes().back(), std::byte{0});
  EXPECT_EQ(seen, 1);
  munmap(data, pages(2, 'x').size());
  ::close(file);
  sigaction(SIGBUS, &before, nullptr);
}

TEST_F(FileTest, AbandonedWriteChangesNothing) {
  const Path path = folder_ / "a";
  ASSERT_TRUE(replace_file(path, as_bytes("old")));
  {
    AtomicFile file = AtomicFile::create(path).value();
    ASSERT_TRUE(file.write(as_bytes("new")));
  }
  EXPECT_EQ(read_text(path).value(), "old");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(FileTest, WhatKilledWritersLeftGoesWithTheNextFileOfTheKind) {
  const std::string mine = std::to_string(getpid());
  for (const std::string name : {"a.x.part.1.0", "b.x.part.77.12"})
    ASSERT_TRUE(replace_file(folder_ / name, as_bytes("left")));
  for (unsigned number = 0; number < 200; ++number)
    ASSERT_TRUE(replace_file(folder_ / ("a.x.part." + mine + "." + std::to_string(number)), {}));
  for (const std::string name : {"a.y.part.1.0", "a.x.part.1", "a.x.part.1.b", ".part.1.0"})
    ASSERT_TRUE(replace_file(folder_ / name, as_bytes("kept")));
  AtomicFile unfinished = AtomicFile::create(folder_ / "c.x").value();
  ASSERT_TRUE(replace_file(folder_ / "a.x", as_bytes("new")));
  EXPECT_EQ(files_in_folder(), 4U + 1 + 1);
  EXPECT_TRUE(unfinished.commit());  // it was in use
}

TEST_F(FileTest, ReadPastTheEndIsAnError) {
  const Path path = folder_ / "a";
  ASSERT_TRUE(replace_file(path, as_bytes("12345")));
  FileReader reader = FileReader::open(path).value();
  std::array<std::byte, 8> buffer{};
  EXPECT_FALSE(reader.read_at(2, buffer));
  EXPECT_FALSE(reader.read_exactly(buffer));
}

// Beyond the size from which files are written past the page cache.
TEST_F(FileTest, LargeFilesHoldWhatWasWrittenInAnyPieces) {
  const Path path = folder_ / "large";
  std::string expected(std::size_t{50} << 20, '\0');
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i] = static_cast<char>(i * 7 + i / 251);
  AtomicFile file = AtomicFile::create(path, 0400).value();
  std::size_t at = 0;
  for (const std::size_t size : {std::size_t{5}, std::size_t{33} << 20, std::size_t{1000003}}) {
    ASSERT_TRUE(file.write(as_bytes(std::string_view(expected).substr(at, size))));
    at += size;
  }
  std::string read(1000, '\0');  // of what is still in buffers
  ASSERT_TRUE(file.read_at(at - read.size(), std::as_writable_bytes(std::span(read))));
  EXPECT_EQ(read, expected.substr(at - read.size(), read.size()));
  while (at < expected.size()) {
    const std::string_view part = std::string_view(expected).substr(at, 777777);
    ASSERT_TRUE(file.write(as_bytes(part)));
    at += part.size();
  }
  expected.replace(40 << 20, 4, "here");
  ASSERT_TRUE(file.write_at(40 << 20, as_bytes("here")));
  expected += "end";
  ASSERT_TRUE(file.write(as_bytes("end")));
  EXPECT_EQ(file.written(), expected.size());
  ASSERT_TRUE(file.commit());
  EXPECT_TRUE(read_text(path).value() == expected);
}

TEST_F(FileTest, LargeFilesThatMeetALimitAreGivenUp) {
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{(std::size_t{36} << 20) + 5, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string large(std::size_t{60} << 20, 'x');
  const Result<Done> done = replace_file(folder_ / "large", as_bytes(large));
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind(), ErrorKind::Io);
  EXPECT_NE(done.error().message().find("cannot be written"), std::string::npos);
  EXPECT_EQ(files_in_folder(), 0U);
}

TEST_F(FileTest, AbandonedLargeFilesGo) {
  const std::string large(std::size_t{60} << 20, 'x');
  {
    AtomicFile file = AtomicFile::create(folder_ / "large").value();
    ASSERT_TRUE(file.write(as_bytes(large)));
    const AtomicFile moved = std::move(file);
  }
  EXPECT_EQ(files_in_folder(), 0U);
}

TEST_F(FileTest, CommitReplacesTheContent) {
  const Path path = folder_ / "a";
  ASSERT_TRUE(replace_file(path, as_bytes("something longer")));
  AtomicFile file = AtomicFile::create(path, 0600).value();
  ASSERT_TRUE(file.write(as_bytes("head")));
  ASSERT_TRUE(file.write(as_bytes("-tail")));
  ASSERT_TRUE(file.write_at(0, as_bytes("HE")));
  EXPECT_EQ(file.written(), 9U);
  ASSERT_TRUE(file.commit());
  EXPECT_EQ(read_text(path).value(), "HEad-tail");
  EXPECT_EQ(files_in_folder(), 1U);
  struct stat info {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_F(FileTest, MappingShowsTheBytes) {
  const Path path = folder_ / "a";
  ASSERT_TRUE(replace_file(path, as_bytes("bytes")));
  MappedFile first = MappedFile::open(path).value();
  const MappedFile mapped = std::move(first);
  EXPECT_EQ(
      std::string(reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size()),
      "bytes");
  ASSERT_TRUE(replace_file(folder_ / "empty", {}));
  EXPECT_TRUE(MappedFile::open(folder_ / "empty").value().bytes().empty());
}

TEST_F(FileTest, StreamIsReadPieceByPiece) {
  const Path path = folder_ / "a";
  ASSERT_TRUE(replace_file(path, as_bytes("12345")));
  FileReader reader = FileReader::open(path).value();
  EXPECT_EQ(reader.size(), 5U);
  std::array<std::byte, 3> buffer{};
  EXPECT_EQ(reader.read(buffer).value(), 3U);
  EXPECT_EQ(reader.read(buffer).value(), 2U);
  EXPECT_EQ(buffer[0], std::byte{'4'});
  EXPECT_EQ(reader.read(buffer).value(), 0U);
}

TEST_F(FileTest, TextOfAFileWithoutStatedSizeIsRead) {
  EXPECT_FALSE(read_text("/proc/self/status").value().empty());
}

}  // namespace
}  // namespace mycel::platform
