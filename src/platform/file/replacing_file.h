// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "platform/file/file.h"

namespace mycel::platform {

// A file that somebody else writes, by its name, and that takes its place with commit(). Errors are
// thrown.
class ReplacingFile {
 public:
  ReplacingFile(const std::string& path, unsigned mode)
      : file_(AtomicFile::create(path, mode).value()) {}
  std::string temporary() const { return file_ ? file_->temporary().string() : std::string(); }
  void commit() {
    if (file_) file_->commit().value();
    file_.reset();
  }
  void abandon() { file_.reset(); }

 private:
  std::optional<AtomicFile> file_;  // none: committed or abandoned
};

}  // namespace mycel::platform
