// SPDX-License-Identifier: Apache-2.0
#include "platform/processor/processor.h"

#include <map>
#include <utility>

#include <gtest/gtest.h>

namespace mycel::platform {
namespace {

// A processor as a table. Leaves above the highest answer as real processors do: with the contents
// of the highest one, which mean something else.
class Table : public ProcessorQuery {
 public:
  CpuidRegisters cpuid(std::uint32_t leaf, std::uint32_t subleaf) const override {
    if (leaf > leaves.at({0, 0}).eax) leaf = leaves.at({0, 0}).eax;
    const auto found = leaves.find({leaf, subleaf});
    return found == leaves.end() ? CpuidRegisters() : found->second;
  }
  std::uint64_t saved_state() const override { return saved; }
  bool permit_tiles() const override {
    ++asked;
    return permits;
  }

  std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidRegisters> leaves;
  std::uint64_t saved = 0;
  bool permits = true;
  mutable int asked = 0;
};

// A Sapphire Rapids that describes its tiles.
Table with_tiles() {
  Table table;
  table.leaves[{0x00, 0}].eax = 0x20;
  table.leaves[{0x01, 0}].ecx = 0xFEDAF387;
  table.leaves[{0x07, 0}] = {2, 0xF1BF2FFB, 0x1B415F7E, 0xFFC14410};
  table.leaves[{0x07, 1}].eax = 0x1C30;
  table.leaves[{0x1D, 0}].eax = 1;
  table.leaves[{0x1D, 1}] = {0x04002000, 0x00080040, 0x10, 0};
  table.leaves[{0x1E, 0}].ebx = 0x4010;
  table.saved = 0x602E7;
  return table;
}

TEST(ProcessorTest, TilesAreUsedWhereEverythingSpeaksForThem) {
  const Table table = with_tiles();
  const Processor found = examine(table);
  EXPECT_TRUE(found.tiles);
  EXPECT_EQ(found.vectors, VectorSet::Avx512Fp16);
  EXPECT_EQ(found.declined, "");
  EXPECT_EQ(table.asked, 1);
}

// The virtual machine that announces tiles in leaf 7 and ends before the leaf that describes them.
TEST(ProcessorTest, TilesThatAreAnnouncedButNotDescribedAreNotUsed) {
  Table table = with_tiles();
  table.leaves[{0x00, 0}].eax = 0x1C;
  table.leaves[{0x1C, 0}].eax = 0x4000000B;  // looks like a palette to whoever reads leaf 1Dh
  table.leaves[{0x1C, 1}] = table.leaves[{0x1D, 1}];
  const Processor found = examine(table);
  EXPECT_FALSE(found.tiles);
  EXPECT_EQ(found.vectors, VectorSet::Avx512Fp16);
  EXPECT_NE(found.declined.find("highest CPUID leaf is 28"), std::string::npos) << found.declined;
  EXPECT_EQ(table.asked, 0) << "the kernel need not be asked for what cannot be used";
}

TEST(ProcessorTest, TilesNeedAPaletteShapesStateAndPermission) {
  Table no_palette = with_tiles();
  no_palette.leaves[{0x1D, 0}].eax = 0;
  EXPECT_FALSE(examine(no_palette).tiles);

  Table small_tiles = with_tiles();
  small_tiles.leaves[{0x1D, 1}].ecx = 8;
  EXPECT_FALSE(examine(small_tiles).tiles);

  Table not_saved = with_tiles();
  not_saved.saved = 0xE7;
  EXPECT_FALSE(examine(not_saved).tiles);

  Table refused = with_tiles();
  refused.permits = false;
  EXPECT_FALSE(examine(refused).tiles);
  EXPECT_NE(description(examine(refused)).find("kernel"), std::string::npos);
}

TEST(ProcessorTest, WideVectorsNeedTheirStateSaved) {
  Table table = with_tiles();
  table.saved = 0x7;
  const Processor found = examine(table);
  EXPECT_EQ(found.vectors, VectorSet::Avx2);
  EXPECT_FALSE(found.has_avx512());
  EXPECT_FALSE(found.tiles);
  EXPECT_NE(found.declined.find("AVX-512 is announced but not used"), std::string::npos);

  table.saved = 0x3;
  EXPECT_EQ(examine(table).vectors, VectorSet::None);
}

TEST(ProcessorTest, StateIsNotAskedForWhereItCannotBe) {
  Table table = with_tiles();
  table.leaves[{0x01, 0}].ecx &= ~(1U << 27);
  EXPECT_EQ(examine(table).vectors, VectorSet::None);
}

TEST(ProcessorTest, StepsOfVectorsFollowTheirBits) {
  Table table = with_tiles();
  table.leaves[{0x07, 0}].edx = 0;
  EXPECT_EQ(examine(table).vectors, VectorSet::Avx512Bf16);
  EXPECT_EQ(examine(table).declined, "");
  table.leaves[{0x07, 1}].eax = 0;
  EXPECT_EQ(examine(table).vectors, VectorSet::Avx512Vnni);
  table.leaves[{0x07, 0}].ecx = 0;
  EXPECT_EQ(examine(table).vectors, VectorSet::Avx512);
  table.leaves[{0x07, 0}].ebx &= ~(1U << 16);
  EXPECT_EQ(examine(table).vectors, VectorSet::Avx2);
  table.leaves[{0x00, 0}].eax = 4;
  EXPECT_EQ(examine(table).vectors, VectorSet::None);
}

TEST(ProcessorTest, ThisMachineRunsWhatWasCompiledForIt) {
  EXPECT_GE(processor().vectors, VectorSet::Avx2);
  EXPECT_NE(description(processor()), "");
}

}  // namespace
}  // namespace mycel::platform
