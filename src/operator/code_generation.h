// SPDX-License-Identifier: Apache-2.0
// Code that a backend compiles for formulas while the program runs: what others may know of it and
// ask of it.
#pragma once

#include <cstdint>
#include <string>

namespace mycel::op {

struct CodeGenerationStatus {
  std::string state = "off";   // "off", "unused", "ready" or why there is none
  std::int64_t compiled = 0;   // formulas
  std::int64_t from_disk = 0;  // found compiled
  std::int64_t failed = 0;
  std::int64_t waiting = 0;
  double seconds = 0;  // of compiling and loading, beside the program
};

// As it is here where no backend generates code.
class CodeGeneration {
 public:
  virtual ~CodeGeneration() = default;
  virtual CodeGenerationStatus status() const { return {}; }
  virtual void wait() {}  // until nothing waits
  // Empty: the usual one; "off": none.
  virtual void set_cache_folder(const std::string& /*folder*/) {}
  virtual void set_enabled(bool /*enabled*/) {}  // whether generated code is used
  virtual void stop() {}                         // for good; code that is there stays usable
};

void set_code_generation(CodeGeneration& service);
CodeGeneration& code_generation();

}  // namespace mycel::op
