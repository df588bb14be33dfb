// SPDX-License-Identifier: Apache-2.0
#include "runtime/executable.h"

#include <thread>

#include <gtest/gtest.h>

#include "operator/registry.h"
#include "platform/error/error.h"
#include "tensor/test_tensors.h"

namespace mycel::runtime {
namespace {

using tensor::DType;

using tensor::testing::floats;
using tensor::testing::values_of;

std::unique_ptr<Executable> compiled(const char* text) {
  return std::make_unique<Executable>(ir::parse(text));
}

TEST(ExecutableTest, ComputesAndCanRunAgain) {
  const auto program = compiled(R"(graph @g(%1: Float32(2,) x, %2: Float32(2,) y) {
    %3 = add(%1, %2) : Float32(2,)
    %4 = neg(%3) : Float32(2,)
    %5 = mul(%4, %1) : Float32(2,)
    return %5, %3
  })");
  for (int i = 0; i < 3; ++i) {
    const Tensor inputs[] = {floats({1, 2}), floats({3, static_cast<float>(i)})};
    const std::vector<Tensor> results = program->run(inputs);
    EXPECT_EQ(values_of(results[1]), (std::vector<float>{4, 2 + static_cast<float>(i)}));
    EXPECT_EQ(values_of(results[0]), (std::vector<float>{-4, -2 * (2 + static_cast<float>(i))}));
  }
}

TEST(ExecutableTest, ResultsOfOneRunOutliveTheNext) {
  const auto program = compiled(R"(graph @g(%1: Float32(2,) x) {
    %2 = neg(%1) : Float32(2,)
    return %2
  })");
  const Tensor first[] = {floats({1, 2})};
  const Tensor second[] = {floats({5, 6})};
  const std::vector<Tensor> kept = program->run(first);
  program->run(second);
  EXPECT_EQ(values_of(kept[0]), (std::vector<float>{-1, -2}));
}

TEST(ExecutableTest, ViewsOfInputsAndOfIntermediateValues) {
  const auto program = compiled(R"(graph @g(%1: Float32(2, 3) x) {
    %2 = transpose(%1; perm=(1, 0)) : Float32(3, 2)
    %3 = reshape(%2; shape=(6,)) : Float32(6,)
    %4 = neg(%3) : Float32(6,)
    %5 = reshape(%4; shape=(2, 3)) : Float32(2, 3)
    return %5, %2
  })");
  Tensor x = Tensor::empty({2, 3}, DType::Float32);
  for (int i = 0; i < 6; ++i) x.data<float>()[i] = static_cast<float>(i);
  const std::vector<Tensor> results = program->run({&x, 1});
  EXPECT_EQ(values_of(results[0]), (std::vector<float>{-0.0F, -3, -1, -4, -2, -5}));
  EXPECT_EQ(values_of(results[1]), (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST(ExecutableTest, ParametersAreWrittenInPlaceAndInOrder) {
  auto graph = std::make_unique<ir::Graph>("g");
  const Tensor weight = floats({1, 2});
  weight.body().is_parameter = true;
  ir::Region& body = graph->body();
  ir::Node& x = graph->add_argument(body, {DType::Float32, {2}, false}, "x");
  ir::Node& w = graph->add_parameter(body, weight, "w");
  ir::Node& before =
      graph->add_operator(body, op::find("neg"), {w.output()}, {}, {{DType::Float32, {2}, false}});
  const op::OpDef& assign = op::find("assign");
  ir::Node& written = graph->add_operator(body, assign, {w.output(), x.output()},
                                          op::AttributeList(assign.attributes.size()), {w.type()});
  ir::Node& after = graph->add_operator(body, op::find("neg"), {written.output()}, {},
                                        {{DType::Float32, {2}, false}});
  body.set_results({before.output(), after.output()});
  Executable program(std::move(graph));
  const std::uint32_t version = weight.storage().version();
  const Tensor inputs[] = {floats({7, 8})};
  const std::vector<Tensor> results = program.run(inputs);
  EXPECT_EQ(values_of(results[0]), (std::vector<float>{-1, -2}));
  EXPECT_EQ(values_of(results[1]), (std::vector<float>{-7, -8}));
  EXPECT_EQ(values_of(weight), (std::vector<float>{7, 8}));
  EXPECT_EQ(weight.storage().version(), version);
  program.count_writes(inputs);
  EXPECT_NE(weight.storage().version(), version);
}

TEST(ExecutableTest, IntermediateValuesShareMemory) {
  const auto program = compiled(R"(graph @g(%1: Float32(1000,) x) {
    %2 = neg(%1) : Float32(1000,)
    %3 = exp(%2) : Float32(1000,)
    %4 = sin(%3) : Float32(1000,)
    %5 = cos(%4) : Float32(1000,)
    return %5
  })");
  EXPECT_LE(program->arena_bytes(), 4096U);  // one block, written over and over
}

TEST(ExecutableTest, ErrorsNameTheLine) {
  auto graph = ir::parse(R"(graph @g(%1: Float32(3,) x, %2: Int64(1,) i) {
    %3 = gather(%1, %2; axis=0) : Float32(1,)
    return %3
  })");
  (*graph->body().nodes().begin())
      ->set_origin({op::Phase::Forward, nullptr,
                    std::make_shared<const ir::Position>(ir::Position{"model.py", 12})});
  Executable program(std::move(graph));
  Tensor index = Tensor::empty({1}, DType::Int64);
  index.data<std::int64_t>()[0] = 17;
  const Tensor inputs[] = {floats({1, 2, 3}), index};
  try {
    program.run(inputs);
    FAIL() << "an index out of range must be an error";
  } catch (const platform::Error& error) {
    EXPECT_NE(error.message().find("model.py:12"), std::string::npos) << error.message();
  }
  index.data<std::int64_t>()[0] = 1;  // and the next run works
  EXPECT_EQ(values_of(program.run(inputs)[0]), (std::vector<float>{2}));
}

TEST(ExecutableTest, RunsOnSeveralThreads) {
  const auto program = compiled(R"(graph @g(%1: Float32(64,) x) {
    %2 = add(%1, %1) : Float32(64,)
    %3 = mul(%2, %2) : Float32(64,)
    return %3
  })");
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        Tensor x = Tensor::empty({64}, DType::Float32);
        std::fill_n(x.data<float>(), 64, static_cast<float>(t));
        const std::vector<Tensor> results = program->run({&x, 1});
        if (results[0].data<float>()[63] != static_cast<float>(4 * t * t)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ExecutableTest, AnObserverSeesEveryNode) {
  const auto program = compiled(R"(graph @g(%1: Float32(2,) x) {
    %2 = neg(%1) : Float32(2,)
    %3 = exp(%2) : Float32(2,)
    return %3
  })");
  std::vector<std::string> seen;
  const Tensor inputs[] = {floats({0, 0})};
  program->run(inputs,
               [&](const Observation& what) { seen.push_back(what.node.definition()->name); });
  EXPECT_EQ(seen, (std::vector<std::string>{"neg", "exp"}));
}

TEST(ExecutableTest, NumbersAmongArgumentsHaveNoSayInTypes) {
  Executable program(ir::parse(R"(graph @g(%1: Float32(64,) x, %2: Float64() number y) {
    %3 = mul(%1, %2) : Float32(64,)
    return %3
  })"));
  Tensor x = Tensor::empty({64}, DType::Float32);
  for (int i = 0; i < 64; ++i) x.data<float>()[i] = 1 + static_cast<float>(i) / 100;
  Tensor y = Tensor::empty({}, DType::Float64);
  *y.data<double>() = 2.0 / 7;
  y.body().is_number = true;
  const std::vector<Tensor> results = program.run(std::vector<Tensor>{x, y});
  // Computed as a call outside of a graph computes it: in float32.
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(results[0].data<float>()[i], x.data<float>()[i] * static_cast<float>(2.0 / 7)) << i;
}

}  // namespace
}  // namespace mycel::runtime
