// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/dnnl_instruction_set.h"

#include <gtest/gtest.h>

#include "backend/cpu/dnnl_primitive.h"

namespace mycel::backend {
namespace {

using platform::Processor;
using platform::VectorSet;

TEST(DnnlInstructionSetTest, LimitIsWhatMayBeUsed) {
  Processor machine;
  machine.vectors = VectorSet::Avx2;
  EXPECT_EQ(dnnl_limit(machine), dnnl::cpu_isa::avx2);
  machine.avx_vnni = true;
  EXPECT_EQ(dnnl_limit(machine), dnnl::cpu_isa::avx2_vnni);
  machine.vectors = VectorSet::Avx512Fp16;
  EXPECT_EQ(dnnl_limit(machine), dnnl::cpu_isa::avx512_core_fp16);
  machine.tiles = true;
  EXPECT_EQ(dnnl_limit(machine), dnnl::cpu_isa::avx512_core_amx);
}

TEST(DnnlInstructionSetTest, UsersMayWishForLessButNotForMore) {
  Processor machine;
  machine.vectors = VectorSet::Avx512Bf16;
  EXPECT_EQ(dnnl_limit(machine, "avx2"), dnnl::cpu_isa::avx2);
  EXPECT_EQ(dnnl_limit(machine, "AVX512_CORE_AMX"), dnnl::cpu_isa::avx512_core_bf16);
  EXPECT_EQ(dnnl_limit(machine, "ALL"), dnnl::cpu_isa::avx512_core_bf16);
  EXPECT_EQ(dnnl_limit(machine, "no such word"), dnnl::cpu_isa::avx512_core_bf16);
}

TEST(DnnlInstructionSetTest, NothingBeyondTheLimitIsUsedHere) {
  dnnl_engine();
  const auto limit = static_cast<unsigned>(dnnl_limit(platform::processor()));
  EXPECT_EQ(static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & ~limit, 0U);
}

}  // namespace
}  // namespace mycel::backend
