// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/dnnl_instruction_set.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "platform/log/log.h"
#include "platform/options/options.h"

namespace mycel::backend {
namespace {

using dnnl::cpu_isa;
using platform::VectorSet;

constexpr std::pair<std::string_view, cpu_isa> kWords[] = {
    {"SSE41", cpu_isa::sse41},
    {"AVX", cpu_isa::avx},
    {"AVX2", cpu_isa::avx2},
    {"AVX2_VNNI", cpu_isa::avx2_vnni},
    {"AVX2_VNNI_2", cpu_isa::avx2_vnni_2},
    {"AVX512_CORE", cpu_isa::avx512_core},
    {"AVX512_CORE_VNNI", cpu_isa::avx512_core_vnni},
    {"AVX512_CORE_BF16", cpu_isa::avx512_core_bf16},
    {"AVX512_CORE_FP16", cpu_isa::avx512_core_fp16},
    {"AVX512_CORE_AMX", cpu_isa::avx512_core_amx},
    {"AVX512_CORE_AMX_FP16", cpu_isa::avx512_core_amx_fp16},
};

cpu_isa permitted(const platform::Processor& processor) {
  if (processor.tiles_fp16) return cpu_isa::avx512_core_amx_fp16;
  if (processor.tiles) return cpu_isa::avx512_core_amx;
  switch (processor.vectors) {
    case VectorSet::None: return cpu_isa::sse41;
    case VectorSet::Avx2: return processor.avx_vnni ? cpu_isa::avx2_vnni : cpu_isa::avx2;
    case VectorSet::Avx512: return cpu_isa::avx512_core;
    case VectorSet::Avx512Vnni: return cpu_isa::avx512_core_vnni;
    case VectorSet::Avx512Bf16: return cpu_isa::avx512_core_bf16;
    case VectorSet::Avx512Fp16: return cpu_isa::avx512_core_fp16;
  }
  return cpu_isa::sse41;
}

std::string wished_limit() {
  for (const char* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"}) {
    if (std::string text = platform::setting(name); !text.empty()) return text;
  }
  return "";
}

}  // namespace

cpu_isa dnnl_limit(const platform::Processor& processor, std::string_view wished) {
  const cpu_isa most = permitted(processor);
  const auto same = [&](std::string_view word) {
    return std::ranges::equal(word, wished, {}, {},
                              [](unsigned char letter) { return std::toupper(letter); });
  };
  const auto* found =
      std::ranges::find_if(kWords, [&](const auto& each) { return same(each.first); });
  if (found == std::end(kWords)) return most;
  // The values are sets of bits, one for each step.
  return static_cast<cpu_isa>(static_cast<unsigned>(most) & static_cast<unsigned>(found->second));
}

void limit_dnnl() {
  const platform::Processor& machine = platform::processor();
  platform::log_info("CPU: ", platform::description(machine), ".");
  // Before anything else is asked of oneDNN: the first question settles the answer.
  const dnnl_status_t status =
      dnnl_set_max_cpu_isa(static_cast<dnnl_cpu_isa_t>(dnnl_limit(machine, wished_limit())));
  if (status != dnnl_success)
    platform::log_warning("oneDNN could not be held to what this machine offers (",
                          platform::description(machine),
                          "): somebody used it first. Products may end by an illegal instruction; ",
                          "ONEDNN_MAX_CPU_ISA in the environment sets the limit from the start.");
}

}  // namespace mycel::backend
