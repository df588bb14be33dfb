// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mycel::platform {

struct CpuidRegisters {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// Where facts about a processor come from: the machine, or a table in a test.
class ProcessorQuery {
 public:
  virtual ~ProcessorQuery() = default;
  virtual CpuidRegisters cpuid(std::uint32_t leaf, std::uint32_t subleaf) const = 0;
  // XCR0: which registers the operating system saves. Asked only where cpuid announces it.
  virtual std::uint64_t saved_state() const = 0;
  // Asks the kernel to let this process use tile registers; they are off until somebody asks.
  virtual bool permit_tiles() const = 0;
};

// Steps of vector instructions, each with all before it, but for the tiles.
enum class VectorSet : std::uint8_t {
  None,  // less than AVX2: nothing of ours runs
  Avx2,
  Avx512,      // F, BW, CD, DQ, VL
  Avx512Vnni,  // int8 products
  Avx512Bf16,
  Avx512Fp16,
};
std::string_view name_of(VectorSet set);

// What may really be used here: announced by the processor, described by it, saved by the operating
// system and permitted by the kernel. Announced is not enough: virtual machines are known that
// announce tiles and describe none, and whoever believes them dies by an illegal instruction.
struct Processor {
  VectorSet vectors = VectorSet::None;
  bool avx_vnni = false;  // int8 products without AVX-512
  bool tiles = false;     // AMX, for bfloat16 and int8
  bool tiles_fp16 = false;
  std::string declined;  // what is announced and not used, with the reason; often empty

  bool has_avx512() const { return vectors >= VectorSet::Avx512; }
};

Processor examine(const ProcessorQuery& query);

// This machine, asked once.
const Processor& processor();

// For people: "AVX-512 with bfloat16; AMX is announced but not used: ..."
std::string description(const Processor& processor);

}  // namespace mycel::platform
