// SPDX-License-Identifier: Apache-2.0
// The compiled form of one scalar program, which arrives while the interpreter does the work. Both
// give the same bits, so nobody can tell when it came.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "backend/cpu/codegen/kernel_text.h"
#include "operator/scalar_expr.h"

namespace mycel::cpu::codegen {

class GeneratedCode : public std::enable_shared_from_this<GeneratedCode> {
 public:
  // Calls of one kind before it is compiled.
  static constexpr int kCallsBefore = 2;
  // Elements below which a call does not count, and below which code that is there is not used.
  static constexpr std::int64_t kCountedElements = 4096;
  static constexpr std::int64_t kLeastElements = 64;

  GeneratedCode(op::ScalarProgram program, bool doubles)
      : program_(std::move(program)), doubles_(doubles) {}

  // The kernel for calls whose inputs are single where `singles` has a bit; null: not yet, or
  // never.
  Kernel kernel(std::uint32_t singles, std::int64_t elements);
  // The same, compiled on the calling thread if need be; null: the formula has no vector form.
  Kernel kernel_now(std::uint32_t singles);

 private:
  // One kind of call.
  struct Kind {
    std::atomic<bool> taken = false;  // after `singles` was written
    std::uint32_t singles = 0;
    std::atomic<int> calls = 0;
    std::atomic<Kernel> kernel = nullptr;
  };
  Kind* kind(std::uint32_t singles);
  KernelText text(std::uint32_t singles) const;

  const op::ScalarProgram program_;
  const bool doubles_;
  std::array<Kind, 4> kinds_;  // more ways to call one formula are left to the interpreter
  std::mutex mutex_;           // guards the taking of kinds
};

}  // namespace mycel::cpu::codegen
