// SPDX-License-Identifier: Apache-2.0
// Branches and loops of graphs.
#include <atomic>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "passes/pipeline.h"
#include "platform/error/error.h"
#include "runtime/attend.h"
#include "runtime/executable.h"
#include "tensor/test_tensors.h"

namespace mycel::runtime {
namespace {

using tensor::DType;

using tensor::testing::floats;
using tensor::testing::values_of;

Tensor number(float value) { return Tensor::view(floats({value}), {}, {}, 0); }

Tensor whole(std::int64_t value) {
  Tensor tensor = Tensor::empty({}, DType::Int64);
  *tensor.data<std::int64_t>() = value;
  return tensor;
}

std::unique_ptr<Executable> compiled(const std::string& text) {
  auto graph = ir::parse(text);
  ir::verify(*graph);
  return std::make_unique<Executable>(std::move(graph));
}

std::vector<std::vector<float>> run(Executable& program, std::vector<Tensor> arguments) {
  std::vector<std::vector<float>> results;
  for (const Tensor& result : program.run(arguments)) results.push_back(values_of(result));
  return results;
}

using Results = std::vector<std::vector<float>>;

TEST(RegionsTest, ABranchIsTakenAndOnlyThatOne) {
  const auto program = compiled(R"(graph @g(%1: Float32() x, %2: Float32(3,) y, %3: Int64(1,) i) {
    %4 = constant [0.0] : Float32()
    %5 = greater(%1, %4) : Bool()
    %6 = if(%5) : Float32(3,), Float32(3,) {()
      %7 = exp(%2) : Float32(3,)
      return %7, %2
    } {()
      %8 = gather(%2, %3; axis=0) : Float32(1,)
      %9 = add(%2, %8) : Float32(3,)
      return %9, %9
    }
    %10 = neg(%6#0) : Float32(3,)
    return %10, %6#1
  })");
  Tensor index = Tensor::empty({1}, DType::Int64);
  *index.data<std::int64_t>() = 99;  // out of range: an error if anybody looked
  EXPECT_EQ(run(*program, {number(1), floats({0, 0, 0}), index}),
            (Results{{-1, -1, -1}, {0, 0, 0}}));
  EXPECT_THROW(run(*program, {number(-1), floats({1, 2, 3}), index}), platform::Error);
  *index.data<std::int64_t>() = 2;
  EXPECT_EQ(run(*program, {number(-1), floats({1, 2, 3}), index}),
            (Results{{-4, -5, -6}, {4, 5, 6}}));
}

TEST(RegionsTest, ALoopTurnsUntilItsConditionFails) {
  const auto program = compiled(R"(graph @g(%1: Float32() x) {
    %2 = while(%1) : Float32() {(%3: Float32())
      %4 = constant [10.0] : Float32()
      %5 = less(%3, %4) : Bool()
      return %5
    } {(%6: Float32())
      %7 = add(%6, %6) : Float32()
      return %7
    }
    %8 = neg(%2) : Float32()
    return %8, %2
  })");
  EXPECT_EQ(run(*program, {number(1)}), (Results{{-16}, {16}}));
  EXPECT_EQ(run(*program, {number(11)}), (Results{{-11}, {11}}));  // not one turn
  EXPECT_EQ(run(*program, {number(0.25)}), (Results{{-16}, {16}}));
}

// Two values that change places, one that is handed on, one that stays: nothing may be read after
// it was overwritten, whatever way each is carried.
TEST(RegionsTest, LoopValuesAreCarriedAllAtOnce) {
  const auto program =
      compiled(R"(graph @g(%1: Int64() turns, %2: Float32(2,) a, %3: Float32(2,) b) {
    %4 = constant [0] : Int64()
    %5 = constant [1] : Int64()
    %6 = while(%4, %2, %3, %2, %3) : Int64(), Float32(2,), Float32(2,), Float32(2,), Float32(2,)
        {(%7: Int64(), %8: Float32(2,), %9: Float32(2,), %10: Float32(2,), %11: Float32(2,))
      %12 = less(%7, %1) : Bool()
      return %12
    } {(%13: Int64(), %14: Float32(2,), %15: Float32(2,), %16: Float32(2,), %17: Float32(2,))
      %18 = add(%13, %5) : Int64()
      %19 = add(%14, %15) : Float32(2,)
      return %18, %15, %14, %19, %17
    }
    return %6#1, %6#2, %6#3, %6#4
  })");
  const Tensor a = floats({1, 2});
  const Tensor b = floats({10, 20});
  EXPECT_EQ(run(*program, {whole(0), a, b}), (Results{{1, 2}, {10, 20}, {1, 2}, {10, 20}}));
  EXPECT_EQ(run(*program, {whole(1), a, b}), (Results{{10, 20}, {1, 2}, {11, 22}, {10, 20}}));
  EXPECT_EQ(run(*program, {whole(2), a, b}), (Results{{1, 2}, {10, 20}, {11, 22}, {10, 20}}));
  EXPECT_EQ(run(*program, {whole(7), a, b}), (Results{{10, 20}, {1, 2}, {11, 22}, {10, 20}}));
  EXPECT_EQ(values_of(a), (std::vector<float>{1, 2}));  // arguments stay as they are
  EXPECT_EQ(values_of(b), (std::vector<float>{10, 20}));
}

// What an instruction at the end of the body could write over is still needed: by the next turn.
TEST(RegionsTest, WhatTheNextTurnReadsIsNotWrittenOver) {
  const auto program =
      compiled(R"(graph @g(%1: Int64() turns, %2: Float32(2,) a, %3: Float32(2,) b) {
    %4 = constant [0] : Int64()
    %5 = constant [1] : Int64()
    %20 = neg(%3) : Float32(2,)
    %6 = while(%4, %2, %3) : Int64(), Float32(2,), Float32(2,)
        {(%7: Int64(), %8: Float32(2,), %9: Float32(2,))
      %12 = less(%7, %1) : Bool()
      return %12
    } {(%13: Int64(), %14: Float32(2,), %15: Float32(2,))
      %18 = add(%13, %5) : Int64()
      %19 = mul(%15, %20) : Float32(2,)
      return %18, %19, %15
    }
    return %6#1, %6#2
  })");
  for (const std::int64_t turns : {1, 2, 5})
    EXPECT_EQ(run(*program, {whole(turns), floats({1, 1}), floats({2, 3})}),
              (Results{{-4, -9}, {2, 3}}));
}

TEST(RegionsTest, LoopsInLoopsAndBranchesInThem) {
  // for i in range(n): for j in range(i + 1): x = x + 1 if x < 4 else x * 2
  const auto program = compiled(R"(graph @g(%1: Int64() n, %2: Float32() x) {
    %3 = constant [0] : Int64()
    %4 = constant [1] : Int64()
    %5 = constant [4.0] : Float32()
    %6 = constant [1.0] : Float32()
    %7 = while(%3, %2) : Int64(), Float32() {(%8: Int64(), %9: Float32())
      %10 = less(%8, %1) : Bool()
      return %10
    } {(%11: Int64(), %12: Float32())
      %13 = add(%11, %4) : Int64()
      %14 = while(%3, %12) : Int64(), Float32() {(%15: Int64(), %16: Float32())
        %17 = less(%15, %13) : Bool()
        return %17
      } {(%18: Int64(), %19: Float32())
        %20 = add(%18, %4) : Int64()
        %21 = less(%19, %5) : Bool()
        %22 = if(%21) : Float32() {()
          %23 = add(%19, %6) : Float32()
          return %23
        } {()
          %24 = add(%19, %19) : Float32()
          return %24
        }
        return %20, %22
      }
      return %13, %14#1
    }
    return %7#1, %7#1
  })");
  for (int n = 0; n < 6; ++n) {
    float x = 0.5F;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i + 1; ++j) x = x < 4 ? x + 1 : x + x;
    EXPECT_EQ(run(*program, {whole(n), number(0.5F)}), (Results{{x}, {x}})) << n;
  }
}

// y = x; n times: keep y and 2 y, y = 2 y + x. Then the sum of 2 y in turn k and y in the turn
// before.
const char* const kKeeping = R"(graph @g(%1: Int64() n, %2: Float32(2,) x, %20: Int64() k) {
    %3 = constant [0] : Int64()
    %4 = constant [1] : Int64()
    %5 = while(%3, %2) : Int64(), Float32(2,), UInt8(16,) {(%6: Int64(), %7: Float32(2,))
      %8 = less(%6, %1) : Bool()
      return %8
    } {(%9: Int64(), %10: Float32(2,))
      %11 = add(%9, %4) : Int64()
      %12 = add(%10, %10) : Float32(2,)
      %13 = add(%12, %2) : Float32(2,)
      return %11, %13, %10, %12
    }
    %14 = turn_count(%5#2) : Int64()
    %15 = kept_value(%5#2, %20, none; column=1, shape=(2,), dtype=mindspore.float32) : Float32(2,)
    %16 = sub(%20, %4) : Int64()
    %17 = kept_value(%5#2, %16, %2; column=0, shape=(2,), dtype=mindspore.float32) : Float32(2,)
    %18 = add(%15, %17) : Float32(2,)
    return %14, %18, %5#1
  })";

TEST(RegionsTest, TurnsKeepValues) {
  const auto program = compiled(kKeeping);
  const auto check = [&](std::int64_t turns, std::int64_t place) {
    const Tensor arguments[] = {whole(turns), floats({1, 3}), whole(place)};
    const std::vector<Tensor> results = program->run(arguments);
    EXPECT_EQ(results[0].as_int(), turns);
    std::vector<float> y{1, 3}, before{1, 3};
    for (std::int64_t i = 0; i < place; ++i) {
      before = y;
      for (std::size_t k = 0; k < 2; ++k) y[k] = 2 * y[k] + (k == 0 ? 1.0F : 3.0F);
    }
    EXPECT_EQ(values_of(results[1]),
              (std::vector<float>{2 * y[0] + before[0], 2 * y[1] + before[1]}));
  };
  check(1, 0);
  check(3, 2);
  check(10, 4);
}

TEST(RegionsTest, WhatTurnsKeepAndNobodyReadsIsNotKept) {
  auto graph = ir::parse(kKeeping);
  std::vector<ir::Output> results = graph->body().results();
  results.erase(results.begin(), results.begin() + 2);
  graph->body().set_results(results);
  passes::optimize(*graph, {});
  EXPECT_EQ(ir::to_text(*graph).find("UInt8"), std::string::npos) << ir::to_text(*graph);
}

// Each side leaves a row of its own.
const char* const kSides = R"(graph @g(%1: Bool() c, %2: Float32(2,) x, %3: Int64() zero) {
    %4 = if(%1) : Float32(2,), UInt8(16,) {()
      %5 = sin(%2) : Float32(2,)
      %6 = mul(%5, %5) : Float32(2,)
      %7 = kept_row(%5, %6) : UInt8(16,)
      return %6, %7
    } {()
      %8 = neg(%2) : Float32(2,)
      %9 = kept_row() : UInt8(16,)
      return %8, %9
    }
    %10 = if(%1) : Float32(2,) {()
      %11 = kept_value(%4#1, %3, none; column=1, shape=(2,), dtype=mindspore.float32) : Float32(2,)
      return %11
    } {()
      return %2
    }
    return %4#0, %10
  })";

TEST(RegionsTest, SidesKeepValues) {
  const auto program = compiled(kSides);
  Tensor yes = Tensor::empty({}, tensor::DType::Bool);
  *yes.data<bool>() = true;
  Tensor no = Tensor::empty({}, tensor::DType::Bool);
  *no.data<bool>() = false;
  const float s = std::sin(0.5F) * std::sin(0.5F);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run(*program, {yes, floats({0.5F, 0}), whole(0)}), (Results{{s, 0}, {s, 0}}));
    EXPECT_EQ(run(*program, {no, floats({0.5F, 1}), whole(0)}), (Results{{-0.5F, -1}, {0.5F, 1}}));
  }
}

TEST(RegionsTest, WhatSidesKeepAndNobodyReadsIsNotKept) {
  auto graph = ir::parse(kSides);
  std::vector<ir::Output> results = graph->body().results();
  results.pop_back();
  graph->body().set_results(results);
  passes::optimize(*graph, {});
  EXPECT_EQ(ir::to_text(*graph).find("kept_row"), std::string::npos) << ir::to_text(*graph);
}

TEST(RegionsTest, WhatTurnsKeepOutlivesTheRun) {
  const auto maker = compiled(R"(graph @g(%1: Float32() n) {
    %2 = constant [1.0] : Float32()
    %3 = while(%1) : Float32(), UInt8(16,) {(%4: Float32())
      return %4
    } {(%5: Float32())
      %6 = sub(%5, %2) : Float32()
      return %6, %5
    }
    return %3#1
  })");
  const auto reader = compiled(R"(graph @g(%1: UInt8(16,) log, %2: Int64() k) {
    %3 = kept_value(%1, %2, none; column=0, shape=(), dtype=mindspore.float32) : Float32()
    return %3
  })");
  const Tensor five[] = {number(5)}, two[] = {number(2)};
  const Tensor kept = maker->run(five)[0];
  maker->run(two);
  EXPECT_EQ(run(*reader, {kept, whole(3)}), (Results{{2}}));
}

std::unique_ptr<Executable> big_loop() {
  return compiled(R"(graph @g(%1: Int64() turns, %2: Float32(100000,) x) {
    %3 = constant [0] : Int64()
    %4 = constant [1] : Int64()
    %5 = while(%3, %2) : Int64(), Float32(100000,) {(%6: Int64(), %7: Float32(100000,))
      %8 = less(%6, %1) : Bool()
      return %8
    } {(%9: Int64(), %10: Float32(100000,))
      %11 = add(%9, %4) : Int64()
      %12 = sin(%10) : Float32(100000,)
      %13 = cos(%12) : Float32(100000,)
      %14 = add(%13, %12) : Float32(100000,)
      return %11, %14
    }
    return %5#1
  })");
}

TEST(RegionsTest, MemoryDoesNotGrowWithTurns) {
  // The state, and two values of a turn.
  EXPECT_LE(big_loop()->arena_bytes(), 3 * 400000U + 4096U);
}

TEST(RegionsTest, ThreadsHaveStatesOfTheirOwn) {
  const auto program = big_loop();
  const auto after = [&](std::int64_t turns, float start) {
    Tensor x = Tensor::empty({100000}, DType::Float32);
    std::fill_n(x.data<float>(), 100000, start);
    const Tensor arguments[] = {whole(turns), x};
    return program->run(arguments)[0].data<float>()[99999];
  };
  std::vector<float> expected;
  for (int t = 0; t < 4; ++t) expected.push_back(after(t + 3, 0.1F * static_cast<float>(t)));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) {
        if (after(t + 3, 0.1F * static_cast<float>(t)) != expected[static_cast<std::size_t>(t)])
          ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(RegionsTest, AnErrorNamesTheTurn) {
  const auto program = compiled(R"(graph @g(%1: Float32(3,) x, %2: Int64(1,) i) {
    %3 = constant [1] : Int64()
    %4 = while(%2) : Int64(1,) {(%5: Int64(1,))
      %6 = constant [100] : Int64()
      %7 = less(%5, %6) : Bool(1,)
      return %7
    } {(%8: Int64(1,))
      %9 = gather(%1, %8; axis=0) : Float32(1,)
      %10 = add(%8, %3) : Int64(1,)
      return %10
    }
    return %4
  })");
  Tensor index = Tensor::empty({1}, DType::Int64);
  *index.data<std::int64_t>() = 0;
  const Tensor arguments[] = {floats({1, 2, 3}), index};
  try {
    program->run(arguments);
    FAIL() << "an index out of range must be an error";
  } catch (const platform::Error& error) {
    EXPECT_NE(error.message().find("turn 4"), std::string::npos) << error.message();
  }
}

struct Ended {};

TEST(RegionsTest, ALoopWithoutEndCanBeEnded) {
  const auto program = compiled(R"(graph @g(%1: Float32() x) {
    %2 = while(%1) : Float32() {(%3: Float32())
      %4 = constant [1.0] : Float32()
      return %4
    } {(%6: Float32())
      return %6
    }
    return %2
  })");
  set_attend([] { throw Ended(); });
  const Tensor arguments[] = {number(1)};
  EXPECT_THROW(program->run(arguments), Ended);
  set_attend(nullptr);
}

TEST(RegionsTest, TypesThatDoNotFitAreFound) {
  EXPECT_THROW(compiled(R"(graph @g(%1: Float32() x) {
    %2 = while(%1) : Float32() {(%3: Float32())
      return %3
    } {(%6: Float32())
      %7 = constant [1] : Int64()
      return %7
    }
    return %2
  })"),
               platform::Error);
  EXPECT_THROW(compiled(R"(graph @g(%1: Float32(2,) x) {
    %2 = if(%1) : Float32(2,) {()
      return %1
    } {()
      return %1
    }
    return %2
  })"),
               platform::Error);
}

}  // namespace
}  // namespace mycel::runtime
