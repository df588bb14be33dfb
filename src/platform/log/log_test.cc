// SPDX-License-Identifier: Apache-2.0
#include "platform/log/log.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mycel::platform {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// Sets variables for one test and puts everything back afterwards.
class LogTest : public ::testing::Test {
 protected:
  void set(const char* name, const std::string& value) {
    setenv(name, value.c_str(), 1);
    changed_.push_back(name);
  }
  std::string folder() {
    if (folder_.empty()) {
      std::string name = (std::filesystem::temp_directory_path() / "mycel_log_XXXXXX").string();
      folder_ = mkdtemp(name.data());
    }
    return folder_;
  }
  void TearDown() override {
    for (const char* name : changed_) unsetenv(name);
    flush_log();
    configure_log(LogOptions());
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  static std::string error_text() {
    try {
      log_options_from_environment();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Value);
      return error.message();
    }
    return "";
  }
  static std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::string captured() {
    flush_log();
    return ::testing::internal::GetCapturedStderr();
  }

 private:
  std::vector<const char*> changed_;
  std::string folder_;
};

TEST_F(LogTest, BadLevelHasTheDocumentedText) {
  for (const char* bad : {"5", "-1", "x", ""}) {
    set("GLOG_v", bad);
    EXPECT_EQ(error_text(),
              std::string("Incorrect log level, please check the configuration of GLOG_v or "
                          "GLOG_stderrthreshold, desired log level: 4-CRITICAL, 3-ERROR, "
                          "2-WARNING, 1-INFO, 0-DEBUG. But got ") +
                  bad + ".");
  }
}

TEST_F(LogTest, BadDestinationHasTheDocumentedText) {
  set("GLOG_logtostderr", "2");
  EXPECT_EQ(error_text(), "the value of GLOG_logtostderr must be 0 or 1, but got 2.");
  set("GLOG_logtostderr", "0");
  EXPECT_EQ(error_text(),
            "When GLOG_logtostderr is set to 0, the directory of saving log GLOG_log_dir must be "
            "set, but "
            "got it empty.");
  set("GLOG_log_dir", "/tmp/a b");
  EXPECT_THAT(error_text(), HasSubstr("^[A-Za-z0-9"));
}

TEST_F(LogTest, RecordsBelowTheLevelAreDropped) {
  ::testing::internal::CaptureStderr();
  log_info("quiet");
  log_error("loud ", 3);
  set_log_level(LogLevel::Critical);
  log_error("quiet too");
  const std::string text = captured();
  EXPECT_THAT(text, Not(HasSubstr("quiet")));
  EXPECT_THAT(text, HasSubstr("loud 3\n"));
}

TEST_F(LogTest, NativeLineHasItsForm) {
  ::testing::internal::CaptureStderr();
  log_error("something");
  EXPECT_THAT(
      captured(),
      ContainsRegex("^\\[ERROR\\] UTILS\\([0-9]+,[0-9a-f]+,[^)]+\\):"
                    "[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}\\.[0-9]{3} "
                    "\\[mindspore/platform/log/log_test.cc:[0-9]+\\] TestBody\\] something\n$"));
}

TEST_F(LogTest, PythonLineHasItsForm) {
  ::testing::internal::CaptureStderr();
  log_record(LogLevel::Error, "ME", "train.py", 12, "lost", true);
  EXPECT_THAT(captured(), ContainsRegex("^\\[ERROR\\] ME\\([0-9]+:[0-9]+,MainProcess\\):[-0-9:.]+ "
                                        "\\[train.py:12\\] lost\n$"));
}

TEST_F(LogTest, RepeatedWarningsAreCollapsed) {
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 5; ++i) {
    log_record(LogLevel::Warning, "ME", "a.py", 1, "careful", true);
    log_record(LogLevel::Error, "ME", "a.py", 2, "broken", true);
  }
  const std::string text = captured();
  EXPECT_THAT(text, HasSubstr("careful\n"));
  EXPECT_THAT(text, HasSubstr("careful (repeated 4 times)\n"));
  EXPECT_EQ(text.find("careful"), text.rfind("careful", text.find("(repeated") - 9));
  std::size_t errors = 0;
  for (std::size_t at = text.find("broken"); at != std::string::npos;
       at = text.find("broken", at + 1))
    ++errors;
  EXPECT_EQ(errors, 5U);
}

TEST_F(LogTest, SubmoduleLevelOverridesTheCommonOne) {
  set("MS_SUBMODULE_LOG_v", "{KERNEL:0, MD:4,nonsense,X:9}");
  configure_log(log_options_from_environment());
  ::testing::internal::CaptureStderr();
  log_record(LogLevel::Debug, "KERNEL", "x.cc", 1, "seen", false);
  log_record(LogLevel::Debug, "DEVICE", "x.cc", 1, "hidden", false);
  log_record(LogLevel::Error, "MD", "x.cc", 1, "hidden", false);
  const std::string text = captured();
  EXPECT_THAT(text, HasSubstr("seen"));
  EXPECT_THAT(text, Not(HasSubstr("hidden")));
}

TEST_F(LogTest, FilesHoldTheirLevelAndAbove) {
  set("GLOG_logtostderr", "0");
  set("GLOG_log_dir", folder());
  set("GLOG_v", "1");
  set("GLOG_stderrthreshold", "4");
  set("RANK_ID", "3");
  configure_log(log_options_from_environment());
  ::testing::internal::CaptureStderr();
  log_record(LogLevel::Info, "ME", "a.py", 1, "an info", true);
  log_record(LogLevel::Error, "KERNEL", "b.cc", 1, "an error", false);
  EXPECT_EQ(captured(), "");
  const std::filesystem::path logs = std::filesystem::path(folder()) / "rank_3" / "logs";
  struct stat info {};
  ASSERT_EQ(stat(logs.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
  EXPECT_THAT(text_of(logs / "mindspore.INFO"), HasSubstr("an info"));
  EXPECT_THAT(text_of(logs / "mindspore.INFO"), HasSubstr("an error"));
  EXPECT_THAT(text_of(logs / "mindspore.ERROR"), Not(HasSubstr("an info")));
  EXPECT_THAT(text_of(logs / "mindspore.ERROR"), HasSubstr("Running on machine"));
  const std::string python = text_of(logs / ("mindspore.log." + std::to_string(getpid())));
  EXPECT_THAT(python, HasSubstr("an info"));
  EXPECT_THAT(python, Not(HasSubstr("an error")));
}

TEST_F(LogTest, FullFilesAreFollowedByNewOnes) {
  LogOptions options;
  options.to_stderr = false;
  options.stderr_level = LogLevel::Critical;
  options.folder = folder() + "/logs";
  options.max_file_bytes = 600;
  options.python_max_file_bytes = 300;
  options.python_backup_count = 2;
  configure_log(options);
  for (int i = 0; i < 20; ++i) {
    log_record(LogLevel::Error, "ME", "a.py", 1, "a line that is not very long", true);
  }
  std::size_t native = 0;
  std::size_t python = 0;
  for (const auto& entry : std::filesystem::directory_iterator(options.folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("mindspore.log.")) ++python;
    if (name.find(".log.ERROR.") != std::string::npos) ++native;
    if (entry.is_symlink()) continue;
    EXPECT_LE(entry.file_size(), 600U) << name;
  }
  EXPECT_GT(native, 2U);
  EXPECT_EQ(python, 3U);
}

TEST_F(LogTest, LinesOfManyThreadsStayWhole) {
  ::testing::internal::CaptureStderr();
  {
    std::vector<std::jthread> writers;
    writers.reserve(4);
    for (int k = 0; k < 4; ++k) {
      writers.emplace_back([] {
        for (int i = 0; i < 100; ++i) log_record(LogLevel::Error, "ME", "a.py", 1, "whole", true);
      });
    }
  }
  const std::string text = captured();
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1, ++lines) {
    EXPECT_EQ(text.compare(at, 8, "[ERROR] "), 0);
  }
  EXPECT_EQ(lines, 400U);
}

}  // namespace
}  // namespace mycel::platform
