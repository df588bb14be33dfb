// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/checkpoint/checkpoint_file.h"
#include "formats/checkpoint/checkpoint_writer.h"
#include "platform/error/error.h"

namespace mycel::formats {
namespace {

using platform::Error;
using ::testing::HasSubstr;

class CheckpointTest : public ::testing::Test {
 public:
  ~CheckpointTest() override { std::filesystem::remove_all(folder_); }

 protected:
  CheckpointTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::path(::testing::TempDir()) / (std::string("checkpoint_") + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  std::string written(const std::string& content) const {
    const std::filesystem::path path = folder_ / "written.ckpt";
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  static std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::string floats(std::initializer_list<float> values) {
    return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(float)};
  }
  std::filesystem::path folder_;
};

constexpr std::int64_t kTwoByThree[] = {2, 3};

TEST_F(CheckpointTest, HasTheBytesOfTheFormat) {
  const auto path = folder_ / "a.ckpt";
  CheckpointWriter writer(path);
  constexpr std::int64_t kOne[] = {1};
  writer.add("w", "Float32", kOne, floats({1.0F}));
  writer.commit();
  EXPECT_EQ(content(path), std::string("\x0A\x16\x0A\x01w\x12\x11\x08\x01\x12\x07"
                                       "Float32\x1A\x04\x00\x00\x80\x3F",
                                       24));
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_read);
}

TEST_F(CheckpointTest, MapParametersAreSlicedByRows) {
  const auto path = folder_ / "a.ckpt";
  const std::string keys = floats({1, 2, 3, 4, 5});
  const std::string values = floats({1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
  for (const std::size_t record : {std::size_t{1}, std::size_t{40}, std::size_t{1} << 20}) {
    CheckpointWriter writer(path, {.cipher = {}, .has_checksum = true, .record_bytes = record});
    const WrittenArray arrays[] = {
        {"float32", {5}, keys}, {"float32", {5, 2}, values}, {"float32", {5}, keys}};
    writer.add_map("m", arrays);
    writer.commit();
    const CheckpointFile file(path);
    ASSERT_EQ(file.entries().size(), 1U);
    const CheckpointEntry& entry = file.entries()[0];
    EXPECT_TRUE(entry.is_map && file.is_intact());
    EXPECT_EQ(entry.arrays[1].slices.size(), record == 1 ? 5U : record == 40 ? 3U : 1U);
    EXPECT_EQ(entry.arrays[1].dims, (std::vector<std::int64_t>{5, 2}));
    std::string read(values.size(), '\0');
    file.copy(entry.arrays[1], read.data());
    EXPECT_EQ(read, values);
  }
}

TEST_F(CheckpointTest, MapParametersHaveThreeArraysWithAsManyRows) {
  CheckpointWriter writer(folder_ / "a.ckpt");
  const WrittenArray arrays[] = {
      {"int32", {1}, "abcd"}, {"float32", {2}, "abcdefgh"}, {"int32", {1}, "abcd"}};
  EXPECT_THROW(writer.add_map("m", arrays), Error);
  EXPECT_THROW(writer.add_map("m", {}), Error);
}

TEST_F(CheckpointTest, SlicesAreOneArrayAgain) {
  const auto path = folder_ / "a.ckpt";
  const std::string values = floats({1, 2, 3, 4, 5, 6});
  for (const std::size_t slice : {1, 5, 24, 100}) {
    CheckpointWriter writer(path, {.cipher = {}, .has_checksum = true, .record_bytes = slice});
    writer.add("w", "Float32", kTwoByThree, values);
    writer.add("s", "Int32", {}, std::string(4, '\1'));
    writer.commit();
    const CheckpointFile file(path);
    ASSERT_EQ(file.entries().size(), 2U);
    EXPECT_EQ(file.entries()[0].arrays[0].slices.size(), (values.size() + slice - 1) / slice);
    const tensor::Tensor tensor = file.tensor_of(file.entries()[0]);
    EXPECT_EQ(std::string(tensor.data<char>(), tensor.bytes()), values);
    EXPECT_EQ(file.tensor_of(file.entries()[1]).rank(), 0);
    EXPECT_TRUE(file.has_checksum() && file.is_intact());
  }
}

TEST_F(CheckpointTest, EncryptedFilesNeedTheirKey) {
  const auto path = folder_ / "a.ckpt";
  for (const char* mode : {"AES-GCM", "AES-CBC", "SM4-CBC"}) {
    const platform::CipherKey key{std::string(16, 'k'), mode};
    CheckpointWriter writer(path, {.cipher = key});
    writer.add("w", "Float32", kTwoByThree, floats({1, 2, 3, 4, 5, 6}));
    writer.commit();
    EXPECT_EQ(CheckpointFile(path, key).entries().size(), 1U);
    EXPECT_THROW(CheckpointFile{path}, Error);
    if (std::string_view(mode) == "AES-GCM") {
      EXPECT_THROW(CheckpointFile(path, {std::string(16, 'x'), mode}), Error);
    }
  }
  EXPECT_THROW(CheckpointWriter(path, {.cipher = {"short", "AES-GCM"}}), Error);
}

TEST_F(CheckpointTest, WithoutCommitTheOldFileStays) {
  const std::string path = written("old");
  {
    CheckpointWriter writer(path);
    writer.add("w", "Float32", kTwoByThree, floats({1, 2, 3, 4, 5, 6}));
  }
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(CheckpointTest, EveryCutIsRefusedOrShorter) {
  const auto path = folder_ / "a.ckpt";
  CheckpointWriter writer(path);
  writer.add("first", "Float32", kTwoByThree, floats({1, 2, 3, 4, 5, 6}));
  writer.add("second", "Bool", {}, std::string(1, '\7'));
  writer.commit();
  const std::string whole = content(path);
  int accepted = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    try {
      const CheckpointFile file(written(whole.substr(0, length)));
      for (const CheckpointEntry& entry : file.entries()) file.tensor_of(entry);
      ++accepted;
    } catch (const Error& failure) {
      EXPECT_EQ(failure.kind(), platform::ErrorKind::Value);
      EXPECT_THAT(failure.message(), HasSubstr("written.ckpt"));
    }
  }
  EXPECT_EQ(accepted, 2);  // nothing at all, and the first record alone
}

TEST_F(CheckpointTest, ShapesThatLieAreRefused) {
  const auto path = folder_ / "a.ckpt";
  constexpr std::int64_t kHuge[] = {std::int64_t{1} << 40, std::int64_t{1} << 40, 0};
  constexpr std::int64_t kNegative[] = {-1, -6};
  for (const std::span<const std::int64_t> dims :
       {std::span<const std::int64_t>(kHuge), std::span<const std::int64_t>(kNegative),
        std::span<const std::int64_t>()}) {
    CheckpointWriter writer(path);
    writer.add("w", "Float32", dims, floats({1, 2, 3, 4, 5, 6}));
    writer.commit();
    const CheckpointFile file(path);
    EXPECT_THROW(file.tensor_of(file.entries()[0]), Error);
  }
}

TEST_F(CheckpointTest, ScalarsOfOlderFilesHaveTheDimensionZero) {
  const auto path = folder_ / "a.ckpt";
  constexpr std::int64_t kZero[] = {0};
  CheckpointWriter writer(path);
  writer.add("scalar", "Float32", kZero, floats({1}));
  writer.add("empty", "Float32", kZero, "");
  writer.commit();
  const CheckpointFile file(path);
  EXPECT_EQ(file.tensor_of(file.entries()[0]).rank(), 0);
  EXPECT_EQ(file.tensor_of(file.entries()[1]).shape().size(), 1U);
}

}  // namespace
}  // namespace mycel::formats
