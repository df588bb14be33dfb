// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/codegen/code_cache.h"

#include <cstring>
#include <fstream>
#include <iterator>

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "backend/cpu/codegen/background_compiler.h"

namespace mycel::cpu::codegen {
namespace {

namespace fs = std::filesystem;

class CodeCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "code_cache_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  void damage(const fs::path& path, std::streamoff place) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(place);
    const char byte = static_cast<char>(file.get() ^ 0x40);
    file.seekp(place);
    file.put(byte);
  }

  fs::path folder_;
};

TEST_F(CodeCacheTest, FindsWhatWasStoredForTheSameTarget) {
  const CodeCache cache(folder_ / "new", "target");
  EXPECT_FALSE(cache.find("text"));
  cache.store("text", "object");
  EXPECT_EQ(cache.find("text"), "object");
  EXPECT_FALSE(cache.find("another text"));
  EXPECT_FALSE(CodeCache(folder_ / "new", "another target").find("text"));
  EXPECT_FALSE(CodeCache({}, "target").find("text"));
}

TEST_F(CodeCacheTest, AnyDamagedByteMakesTheEntryWorthless) {
  const CodeCache cache(folder_, "target");
  cache.store("text", "object code");
  const fs::path path = cache.path_of("text");
  const auto size = static_cast<std::streamoff>(fs::file_size(path));
  for (std::streamoff place = 0; place < size; ++place) {
    damage(path, place);
    EXPECT_FALSE(cache.find("text")) << place;
    damage(path, place);
  }
  EXPECT_EQ(cache.find("text"), "object code");
}

TEST_F(CodeCacheTest, CutAndForeignEntriesAreReplaced) {
  const CodeCache cache(folder_, "target");
  cache.store("text", "object code");
  const fs::path path = cache.path_of("text");
  for (std::uintmax_t size = fs::file_size(path); size-- > 0;) {
    fs::resize_file(path, size);
    EXPECT_FALSE(cache.find("text")) << size;
  }
  std::ofstream(path) << "something else that is longer than any header we would write here";
  EXPECT_FALSE(cache.find("text"));
  cache.store("text", "object code");
  EXPECT_EQ(cache.find("text"), "object code");
  fs::copy_file(path, cache.path_of("other"));
  EXPECT_FALSE(cache.find("other"));
}

TEST_F(CodeCacheTest, CodeThatOthersCouldHaveWrittenIsNotTaken) {
  const CodeCache cache(folder_, "target");
  cache.store("text", "object");
  fs::permissions(cache.path_of("text"), fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(cache.find("text"));
  fs::permissions(folder_, fs::perms::others_write, fs::perm_options::add);
  cache.store("second", "object");
  EXPECT_FALSE(cache.find("second"));
}

TEST_F(CodeCacheTest, StaysWithinItsLimit) {
  const CodeCache cache(folder_, "target", 4096);
  const std::string object(500, 'x');
  for (int i = 0; i < 40; ++i) cache.store("text " + std::to_string(i), object);
  std::uintmax_t total = 0;
  for (const auto& file : fs::directory_iterator(folder_)) total += file.file_size();
  EXPECT_LE(total, 4096U);
  EXPECT_EQ(cache.find("text 39"), object);
  EXPECT_FALSE(cache.find("text 0"));
}

TEST_F(CodeCacheTest, CompilerTakesCodeFromDiskAndSurvivesDamage) {
  BackgroundCompiler& compiler = BackgroundCompiler::instance();
  const op::Expr x = op::Expr::input(0);
  const KernelText text = kernel_text(op::flatten(x * 3.25 + x * x * 1.125), {}, 0);
  compiler.set_cache_folder(folder_.string());
  try {
    compiler.compile(text);
  } catch (const platform::Error&) {
    compiler.use_library(kGeneratorLibrary);
    GTEST_SKIP() << "there is no code generator";
  }
  const auto run = [&](std::int64_t found) {
    compiler.use_library(kGeneratorLibrary);  // forgets what it knows
    const op::CodeGenerationStatus before = compiler.status();
    const Kernel kernel = compiler.compile(text);
    EXPECT_EQ(compiler.status().from_disk - before.from_disk, found);
    EXPECT_EQ(compiler.status().compiled - before.compiled, 1 - found);
    const float input[3] = {1, 2, -1};
    float output[3] = {};
    const void* inputs[] = {input};
    kernel(inputs, nullptr, output, 0, 3);
    EXPECT_EQ(output[0], 4.375F);
    EXPECT_EQ(output[1], 11.F);
    EXPECT_EQ(output[2], -2.125F);
  };
  run(1);
  fs::path entry;
  for (const auto& file : fs::directory_iterator(folder_)) entry = file.path();
  damage(entry, static_cast<std::streamoff>(fs::file_size(entry)) / 2);
  run(0);
  run(1);
  compiler.set_cache_folder("off");
}

// Kinds of the places in object code that are filled in when it is loaded.
std::vector<std::uint32_t> kinds_of_places(const std::string& object) {
  Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof(header));
  std::vector<std::uint32_t> kinds;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, &object.at(header.e_shoff + i * sizeof(section)), sizeof(section));
    if (section.sh_type != SHT_RELA) continue;
    for (std::size_t at = 0; at < section.sh_size; at += sizeof(Elf64_Rela)) {
      Elf64_Rela place;
      std::memcpy(&place, &object.at(section.sh_offset + at), sizeof(place));
      kinds.push_back(ELF64_R_TYPE(place.r_info));
    }
  }
  return kinds;
}

// Constants and functions may be loaded more than 2 GB from the code that uses them.
TEST_F(CodeCacheTest, CodeReachesWhatItUsesAnywhere) {
  BackgroundCompiler& compiler = BackgroundCompiler::instance();
  const op::Expr x = op::Expr::input(0);
  compiler.set_cache_folder(folder_.string());
  try {
    compiler.compile(kernel_text(op::flatten(apply(op::ScalarOp::Tanh, x) * 0.7 + x), {}, 0));
  } catch (const platform::Error&) {
    compiler.use_library(kGeneratorLibrary);
    GTEST_SKIP() << "there is no code generator";
  }
  std::string entry;
  for (const auto& file : fs::directory_iterator(folder_)) {
    std::ifstream content(file.path(), std::ios::binary);
    entry.assign(std::istreambuf_iterator<char>(content), {});
  }
  compiler.set_cache_folder("off");
  const std::size_t start = entry.find(ELFMAG);
  ASSERT_NE(start, std::string::npos);
  const std::vector<std::uint32_t> kinds = kinds_of_places(entry.substr(start));
  EXPECT_FALSE(kinds.empty());
  for (const std::uint32_t kind : kinds) EXPECT_EQ(kind, R_X86_64_64);
}

}  // namespace
}  // namespace mycel::cpu::codegen
