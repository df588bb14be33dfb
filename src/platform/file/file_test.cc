// SPDX-License-Identifier: Apache-2.0
#include "platform/file/file.h"

#include <array>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
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
