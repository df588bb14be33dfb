// SPDX-License-Identifier: Apache-2.0
// What the plug-in library that holds the compiler offers. Texts and object code only: nobody else
// knows which compiler it is.
#pragma once

#include <span>
#include <string>

namespace mycel::cpu::codegen {

// A function generated code may call; it can call no other.
struct Symbol {
  const char* name;
  void* address;
};

class CodeGenerator {
 public:
  virtual ~CodeGenerator() = default;
  // The compiler's version, the processor and its features: object code fits these alone.
  virtual std::string target() const = 0;
  // Object code of a program in the compiler's text form. Runtime error: it cannot be compiled.
  virtual std::string compile(const std::string& text) = 0;
  // The address of a function in object code, which stays there until the process ends.
  virtual void* load(const std::string& object, const std::string& symbol) = 0;
};

constexpr const char* kGeneratorLibrary = "libmindspore_codegen.so";
constexpr const char* kGeneratorFunction = "mycel_make_code_generator";
// `extern "C"` in the library; null: this machine cannot be compiled for. The symbols are copied.
using MakeGenerator = CodeGenerator* (*)(const Symbol* symbols, std::size_t count);

}  // namespace mycel::cpu::codegen
