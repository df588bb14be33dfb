// SPDX-License-Identifier: Apache-2.0
#include "platform/processor/processor.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mycel::platform {
namespace {

constexpr std::uint32_t kFeatures = 0x1, kMoreFeatures = 0x7, kTiles = 0x1D, kTileProducts = 0x1E;

constexpr std::uint64_t kSavesYmm = 0x6;               // SSE and AVX state
constexpr std::uint64_t kSavesZmm = kSavesYmm | 0xE0;  // masks, upper halves, registers 16 to 31
constexpr std::uint64_t kSavesTiles = std::uint64_t{3} << 17;  // configuration and data

constexpr bool bit(std::uint32_t word, int number) { return ((word >> number) & 1) != 0; }

class Machine final : public ProcessorQuery {
 public:
  CpuidRegisters cpuid(std::uint32_t leaf, std::uint32_t subleaf) const override {
    CpuidRegisters found;
    __cpuid_count(leaf, subleaf, found.eax, found.ebx, found.ecx, found.edx);
    return found;
  }
  std::uint64_t saved_state() const override {
    std::uint32_t low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (std::uint64_t{high} << 32) | low;
  }
  bool permit_tiles() const override {
    constexpr long kAskForState = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM
    return syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
  }
};

// A leaf above the highest one the processor has reads as some other leaf: it holds nothing.
class Leaves {
 public:
  explicit Leaves(const ProcessorQuery& query) : query_(query), highest_(query.cpuid(0, 0).eax) {}
  CpuidRegisters at(std::uint32_t leaf, std::uint32_t subleaf = 0) const {
    return leaf > highest_ ? CpuidRegisters() : query_.cpuid(leaf, subleaf);
  }
  std::uint32_t highest() const { return highest_; }

 private:
  const ProcessorQuery& query_;
  std::uint32_t highest_;
};

VectorSet vectors_of(const Leaves& leaves, std::uint64_t saved, std::string& declined) {
  const CpuidRegisters basic = leaves.at(kFeatures), more = leaves.at(kMoreFeatures);
  const bool avx2 = bit(basic.ecx, 28) && bit(basic.ecx, 12) && bit(basic.ecx, 29) &&
                    bit(more.ebx, 5) && bit(more.ebx, 3) && bit(more.ebx, 8);  // FMA, F16C, BMI
  if (!avx2 || (saved & kSavesYmm) != kSavesYmm) return VectorSet::None;
  const bool avx512 = bit(more.ebx, 16) && bit(more.ebx, 17) && bit(more.ebx, 28) &&
                      bit(more.ebx, 30) && bit(more.ebx, 31);
  if (!avx512) return VectorSet::Avx2;
  if ((saved & kSavesZmm) != kSavesZmm) {
    declined =
        "AVX-512 is announced but not used: the operating system does not save its registers";
    return VectorSet::Avx2;
  }
  if (!bit(more.ecx, 11)) return VectorSet::Avx512;
  if (!bit(leaves.at(kMoreFeatures, 1).eax, 5)) return VectorSet::Avx512Vnni;
  return bit(more.edx, 23) ? VectorSet::Avx512Fp16 : VectorSet::Avx512Bf16;
}

// Why tiles cannot be used; empty: they can.
std::string reason_against_tiles(const Leaves& leaves, std::uint64_t saved, VectorSet vectors,
                                 const ProcessorQuery& query) {
  if (leaves.highest() < kTileProducts)
    return "its tiles are not described (the highest CPUID leaf is " +
           std::to_string(leaves.highest()) + ", " + std::to_string(kTileProducts) + " is needed)";
  if (leaves.at(kTiles).eax < 1) return "no palette of tiles is described";
  const CpuidRegisters palette = leaves.at(kTiles, 1);
  const std::uint32_t bytes_per_tile = palette.eax >> 16, names = palette.ebx >> 16;
  const std::uint32_t bytes_per_row = palette.ebx & 0xFFFF, rows = palette.ecx & 0xFFFF;
  if (bytes_per_tile < 1024 || names < 8 || bytes_per_row < 64 || rows < 16)
    return "its tiles are smaller than 16 rows of 64 bytes";
  if ((saved & kSavesTiles) != kSavesTiles)
    return "the operating system does not save its registers";
  if (vectors < VectorSet::Avx512Bf16) return "AVX-512 with bfloat16 is missing beside it";
  if (!query.permit_tiles()) return "the kernel does not permit it";
  return "";
}

}  // namespace

std::string_view name_of(VectorSet set) {
  switch (set) {
    case VectorSet::None: return "no AVX2";
    case VectorSet::Avx2: return "AVX2";
    case VectorSet::Avx512: return "AVX-512";
    case VectorSet::Avx512Vnni: return "AVX-512 with int8";
    case VectorSet::Avx512Bf16: return "AVX-512 with int8 and bfloat16";
    case VectorSet::Avx512Fp16: return "AVX-512 with int8, bfloat16 and float16";
  }
  return "?";
}

Processor examine(const ProcessorQuery& query) {
  constexpr int kHasXgetbv = 27, kTileBf16 = 22, kTileUnit = 24, kTileInt8 = 25;
  const Leaves leaves(query);
  Processor found;
  const std::uint64_t saved = bit(leaves.at(kFeatures).ecx, kHasXgetbv) ? query.saved_state() : 0;
  found.vectors = vectors_of(leaves, saved, found.declined);
  const CpuidRegisters more = leaves.at(kMoreFeatures), second = leaves.at(kMoreFeatures, 1);
  found.avx_vnni = found.vectors >= VectorSet::Avx2 && bit(second.eax, 4);
  if (!bit(more.edx, kTileBf16) && !bit(more.edx, kTileUnit) && !bit(more.edx, kTileInt8))
    return found;
  std::string against = reason_against_tiles(leaves, saved, found.vectors, query);
  if (against.empty() &&
      !(bit(more.edx, kTileBf16) && bit(more.edx, kTileUnit) && bit(more.edx, kTileInt8)))
    against = "a part of it is missing";
  found.tiles = against.empty();
  found.tiles_fp16 = found.tiles && bit(second.eax, 21);
  if (!found.tiles)
    found.declined += (found.declined.empty() ? "AMX is announced but not used: "
                                              : "; AMX is announced but not used: ") +
                      against;
  return found;
}

const Processor& processor() {
  static const Processor found = examine(Machine());
  return found;
}

std::string description(const Processor& processor) {
  std::string text(name_of(processor.vectors));
  if (processor.tiles) text += processor.tiles_fp16 ? ", AMX with float16" : ", AMX";
  if (!processor.declined.empty()) text += "; " + processor.declined;
  return text;
}

}  // namespace mycel::platform
