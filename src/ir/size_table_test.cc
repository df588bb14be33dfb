// SPDX-License-Identifier: Apache-2.0
#include "ir/size_table.h"

#include <gtest/gtest.h>

#include "platform/error/error.h"

namespace mycel::ir {
namespace {

// A program of dense, element by element and joined values, for some rows and columns.
std::string program(std::int64_t n, std::int64_t m) {
  const auto text = [](auto... parts) { return platform::join(parts...); };
  return text("graph @f(%1: Float32(", n, ", 4) x, %2: Float32(", m, ", 4) y) {\n",
              "  %3 = exp(%1) : Float32(", n, ", 4)\n", "  %4 = concat(%1, %2; axis=0) : Float32(",
              n + m, ", 4)\n", "  %5 = reshape(%3; shape=(", 4 * n, ",)) : Float32(", 4 * n, ",)\n",
              "  return %5, %4\n}\n");
}

std::optional<SizeTable> explained(std::initializer_list<std::pair<int, int>> sizes,
                                   std::string (*text)(std::int64_t, std::int64_t) = program) {
  std::vector<std::unique_ptr<Graph>> graphs;
  for (const auto& [n, m] : sizes) graphs.push_back(parse(text(n, m)));
  std::vector<const Graph*> samples;
  for (const auto& graph : graphs) samples.push_back(graph.get());
  return SizeTable::explain(samples);
}

TEST(SizeTextTest, SizesReadBackAsTheyWereWritten) {
  constexpr char text[] =
      "graph @g(%1: Float32(4, 9)[n, 2*n+1] x, %2: Float32(6,)[m] y, %3: Float32(4,)[n] z)"
      " where n > 2, m-1 != n//2 {\n"
      "  %4 = exp(%1) : Float32(4, 9)[n, 2*n+1]\n"
      "  %5 = exp(%2) : Float32(6,)[(n+m-2)*(n-1)//4]\n"
      "  %6 = exp(%3) : Float32(4,)[?] blocked\n"
      "  return %4, %5, %6\n}\n";
  const auto graph = parse(text);
  EXPECT_EQ(to_text(*graph), text);
  EXPECT_NO_THROW(verify(*graph));
  EXPECT_EQ(to_text(*graph, Detail::Computation).find('['), std::string::npos);
}

TEST(SizeTextTest, MistakesAreTold) {
  EXPECT_THROW(parse("graph @g(%1: Float32(4,)[n, n] x) {\n  return %1\n}\n"), platform::Error);
  EXPECT_THROW(
      parse("graph @g(%1: Float32(4,)[n] x) {\n  %2 = exp(%1) : Float32(4,)[k]\n  return %2\n}\n"),
      platform::Error);
  const auto wrong = parse(
      "graph @g(%1: Float32(4,)[n] x) {\n  %2 = exp(%1) : Float32(4,)[n+1]\n  return %2\n}\n");
  EXPECT_THROW(verify(*wrong), platform::Error);
}

TEST(SizeTableTest, FormulasExplainAllSizes) {
  const auto table = explained({{2, 5}, {3, 7}, {5, 6}, {8, 9}, {11, 5}});
  ASSERT_TRUE(table);
  const auto graph = parse(program(6, 3));
  table->fill(*graph);
  EXPECT_EQ(to_text(*graph),
            "graph @f(%1: Float32(6, 4)[n, 4] x, %2: Float32(3, 4)[m, 4] y) {\n"
            "  %3 = exp(%1) : Float32(6, 4)[n, 4]\n"
            "  %4 = concat(%1, %2) : Float32(9, 4)[n+m, 4]\n"
            "  %5 = reshape(%3; shape=(24,)) : Float32(24,)[4*n]\n"
            "  return %5, %4\n}\n");
  EXPECT_NO_THROW(verify(*graph));
}

TEST(SizeTableTest, AxesThatAreAlwaysEqualAreOneSymbol) {
  const auto table = explained({{2, 2}, {3, 3}, {5, 5}, {8, 8}});
  ASSERT_TRUE(table);
  const auto graph = parse(program(6, 6));
  table->fill(*graph);
  EXPECT_NE(to_text(*graph).find("%2: Float32(6, 4)[n, 4] y"), std::string::npos);
  EXPECT_NE(to_text(*graph).find("Float32(12, 4)[2*n, 4]"), std::string::npos);
}

TEST(SizeTableTest, WhatAFormulaDoesNotGiveStaysUnknown) {
  const auto table = explained({{2, 2}, {3, 3}, {5, 5}, {8, 8}});
  ASSERT_TRUE(table);
  const auto graph = parse(program(6, 3));  // the axes were taken for one
  table->fill(*graph);
  EXPECT_NE(to_text(*graph).find("%2: Float32(3, 4)[?, 4] y"), std::string::npos);
  EXPECT_NO_THROW(verify(*graph));
}

// Windows of three, two apart.
std::string windows(std::int64_t n, std::int64_t m) {
  const auto text = [](auto... parts) { return platform::join(parts...); };
  return text("graph @f(%1: Float32(", n, ",) x, %2: Float32(", m, ",) y) {\n",
              "  %3 = exp(%1) : Float32(", (n - 3) / 2 + 1, ",)\n", "  %4 = exp(%2) : Float32(",
              n * n * n, ",)\n", "  return %3\n}\n");
}

TEST(SizeTableTest, WindowsAreExplainedAndRiddlesAreNot) {
  const auto table = explained({{4, 5}, {7, 7}, {9, 6}, {12, 9}, {15, 5}, {18, 8}}, windows);
  ASSERT_TRUE(table);
  const auto graph = parse(windows(10, 3));
  table->fill(*graph);
  EXPECT_NE(to_text(*graph).find("Float32(4,)[(n+1)//2-1]"), std::string::npos) << to_text(*graph);
  EXPECT_NE(to_text(*graph).find("Float32(1000,)[?]"), std::string::npos);
}

TEST(SizeTableTest, OtherProgramsAndTooFewSizesExplainNothing) {
  EXPECT_FALSE(explained({{2, 5}, {3, 7}, {5, 6}}));
  EXPECT_FALSE(explained({{2, 5}, {2, 5}, {2, 5}, {2, 5}}));
  EXPECT_FALSE(explained({{2, 5}, {3, 7}, {5, 6}, {8, 9}}, [](std::int64_t n, std::int64_t m) {
    return n == 8 ? windows(n, m) : program(n, m);
  }));
}

}  // namespace
}  // namespace mycel::ir
