// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/codegen/generated_code.h"

#include "backend/cpu/codegen/background_compiler.h"
#include "backend/cpu/instruction_set.h"

namespace mycel::cpu::codegen {

GeneratedCode::Kind* GeneratedCode::kind(std::uint32_t singles) {
  for (Kind& each : kinds_) {
    if (!each.taken.load(std::memory_order_acquire)) break;
    if (each.singles == singles) return &each;
  }
  const std::lock_guard lock(mutex_);
  for (Kind& each : kinds_) {
    if (each.taken.load(std::memory_order_relaxed)) {
      if (each.singles == singles) return &each;
      continue;
    }
    each.singles = singles;
    each.taken.store(true, std::memory_order_release);
    return &each;
  }
  return nullptr;
}

KernelText GeneratedCode::text(std::uint32_t singles) const {
  return kernel_text(program_, {backend::has_avx512(), doubles_}, singles);
}

Kernel GeneratedCode::kernel(std::uint32_t singles, std::int64_t elements) {
  Kind* const found = kind(singles);
  if (found == nullptr) return nullptr;
  const Kernel ready = found->kernel.load(std::memory_order_acquire);
  if (ready != nullptr || elements < kCountedElements ||
      found->calls.load(std::memory_order_relaxed) > kCallsBefore)
    return ready;
  if (found->calls.fetch_add(1, std::memory_order_relaxed) != kCallsBefore) return nullptr;
  KernelText written = text(singles);
  if (!written.text.empty()) {
    BackgroundCompiler::instance().submit(std::move(written), shared_from_this(), found->kernel);
  }
  return nullptr;
}

Kernel GeneratedCode::kernel_now(std::uint32_t singles) {
  const KernelText written = text(singles);
  return written.text.empty() ? nullptr : BackgroundCompiler::instance().compile(written);
}

}  // namespace mycel::cpu::codegen
