// SPDX-License-Identifier: Apache-2.0
// Programs on a device whose memory the host cannot read and whose streams run late.
#include <cstring>

#include <gtest/gtest.h>

#include "device/current.h"
#include "eager/random_state.h"
#include "operator/registry.h"
#include "platform/error/error.h"
#include "runtime/executable.h"
#include "tensor/test_tensors.h"

namespace mycel::runtime {
namespace {

using device::Device;
using tensor::DType;
using tensor::testing::floats;

Device simulated() {
  device::load_plugin("libmindspore_backend_simulated.so");
  return {device::reserve_backend("Simulated"), 0};
}

std::unique_ptr<Executable> compiled(const char* text, Device device) {
  auto graph = ir::parse(text);
  graph->set_device(device);
  return std::make_unique<Executable>(std::move(graph));
}

std::vector<float> values_of(const Tensor& tensor) {
  return tensor::testing::values_of(tensor::copy_to_device(tensor, {}));
}

using Results = std::vector<std::vector<float>>;

Results run(Executable& program, std::vector<Tensor> arguments) {
  Results results;
  for (const Tensor& result : program.run(arguments)) results.push_back(values_of(result));
  return results;
}

constexpr const char* kStraight = R"(graph @g(%1: Float32(2, 3) x, %2: Float32(3,) y) {
  %3 = constant [2.0, 4.0, 8.0] : Float32(3,)
  %4 = add(%1, %2) : Float32(2, 3)
  %5 = mul(%4, %3) : Float32(2, 3)
  %6 = transpose(%5; perm=(1, 0)) : Float32(3, 2)
  %7 = reshape(%6; shape=(6,)) : Float32(6,)
  %8 = exp(%7) : Float32(6,)
  return %8, %6, %1
})";

Tensor counting(tensor::Shape shape, float first) {
  Tensor tensor = Tensor::empty(shape, DType::Float32);
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    tensor.data<float>()[i] = (first + static_cast<float>(i)) / 8;
  return tensor;
}

TEST(RuntimeDeviceTest, TextSaysWhereAGraphRuns) {
  const Device device = simulated();
  constexpr char text[] = R"(graph @g(%1: Float32(2,) x) on Simulated 0 {
  %2 = constant [2] : Int64() number
  %3 = mul(%1, %2) : Float32(2,)
  return %3
}
)";
  const auto graph = ir::parse(text);
  EXPECT_EQ(graph->device(), device);
  EXPECT_EQ(ir::to_text(*graph), text);
  const auto& nodes = graph->body().nodes();
  EXPECT_EQ(nodes.front()->device(), Device());  // Python's numbers stay on the host
  EXPECT_EQ(nodes.back()->device(), device);
  EXPECT_THROW(ir::parse("graph @g(%1: Float32(2,) x) on Abacus 0 {\n  return %1\n}\n"),
               platform::Error);
}

TEST(RuntimeDeviceTest, RunsGiveWhatTheHostGivesRecordedOrNot) {
  const auto host = compiled(kStraight, {});
  const auto device = compiled(kStraight, simulated());
  for (int i = 0; i < 8; ++i) {
    const auto first = static_cast<float>(i);
    const Results wanted = run(*host, {counting({2, 3}, first), counting({3}, -first)});
    EXPECT_EQ(run(*device, {counting({2, 3}, first), counting({3}, -first)}), wanted) << i;
  }
  EXPECT_GT(device->replays(), 3U);
}

TEST(RuntimeDeviceTest, ResultsOfARecordedRunOutliveTheNext) {
  const auto program = compiled(kStraight, simulated());
  std::vector<Tensor> kept;
  for (int i = 0; i < 6; ++i) {
    const std::vector<Tensor> inputs = {counting({2, 3}, static_cast<float>(i)), counting({3}, 0)};
    kept.push_back(program->run(inputs)[2]);
  }
  for (int i = 0; i < 6; ++i) EXPECT_EQ(values_of(kept[static_cast<std::size_t>(i)])[0], i / 8.0F);
}

TEST(RuntimeDeviceTest, BranchesAndLoopsReadTheirConditions) {
  constexpr const char* kText = R"(graph @g(%1: Float32() x, %2: Float32() limit) {
    %3 = while(%1, %2) : Float32(), Float32() {(%4: Float32(), %5: Float32())
      %6 = less(%4, %5) : Bool()
      return %6
    } {(%7: Float32(), %8: Float32())
      %9 = add(%7, %7) : Float32()
      return %9, %8
    }
    %10 = greater(%3#0, %2) : Bool()
    %11 = if(%10) : Float32() {()
      %12 = neg(%3#0) : Float32()
      return %12
    } {()
      return %1
    }
    return %11, %3#0
  })";
  const auto host = compiled(kText, {});
  const auto device = compiled(kText, simulated());
  for (const float limit : {10.0F, 16.0F, 0.5F, 100.0F}) {
    const auto scalar = [](float value) { return Tensor::view(floats({value}), {}, {}, 0); };
    EXPECT_EQ(run(*device, {scalar(1), scalar(limit)}), run(*host, {scalar(1), scalar(limit)}));
  }
  EXPECT_EQ(device->replays(), 0U);  // what a value decides is not recorded
}

// A step of training in small: a parameter that a recorded run reads and writes.
std::unique_ptr<Executable> accumulating(const Tensor& weight, Device device) {
  auto graph = std::make_unique<ir::Graph>("g");
  graph->set_device(device);
  ir::Region& body = graph->body();
  ir::Node& x = graph->add_argument(body, {DType::Float32, {2}, false}, "x");
  ir::Node& w = graph->add_parameter(body, weight, "w");
  ir::Node& sum = graph->add_operator(body, op::find("add"), {w.output(), x.output()}, {},
                                      {{DType::Float32, {2}, false}});
  const op::OpDef& assign = op::find("assign");
  ir::Node& written = graph->add_operator(body, assign, {w.output(), sum.output()},
                                          op::AttributeList(assign.attributes.size()), {w.type()});
  ir::Node& after = graph->add_operator(body, op::find("neg"), {written.output()}, {},
                                        {{DType::Float32, {2}, false}});
  body.set_results({after.output()});
  return std::make_unique<Executable>(std::move(graph));
}

TEST(RuntimeDeviceTest, ParametersGoToTheDeviceAndAreWrittenThere) {
  const Tensor weight = floats({1, 2});
  weight.body().is_parameter = true;
  const auto program = accumulating(weight, simulated());
  for (int i = 1; i <= 6; ++i) {
    const auto by = static_cast<float>(i);
    EXPECT_EQ(run(*program, {floats({10, 20})}), (Results{{-1 - 10 * by, -2 - 20 * by}}));
  }
  EXPECT_TRUE(weight.device() == simulated());
  EXPECT_GT(program->replays(), 0U);
  EXPECT_EQ(values_of(weight), (std::vector<float>{61, 122}));
}

TEST(RuntimeDeviceTest, AParameterWithOtherMemoryIsFoundAgain) {
  const Tensor weight = floats({1, 2});
  weight.body().is_parameter = true;
  const auto program = accumulating(weight, simulated());
  for (int i = 0; i < 5; ++i) run(*program, {floats({1, 1})});
  const std::uint64_t before = program->replays();
  EXPECT_GT(before, 0U);
  weight.body().storage = floats({100, 200}).body().storage;  // as set_data does
  EXPECT_EQ(run(*program, {floats({1, 1})}), (Results{{-101, -201}}));
  for (int i = 0; i < 5; ++i) run(*program, {floats({1, 1})});
  EXPECT_EQ(values_of(weight), (std::vector<float>{106, 206}));
  EXPECT_GT(program->replays(), before);
}

TEST(RuntimeDeviceTest, RecordedRunsDrawTheNumbersThatOrdinaryOnesDraw) {
  const auto draw = [](Device device) {
    auto graph = std::make_unique<ir::Graph>("g");
    graph->set_device(device);
    ir::Region& body = graph->body();
    const op::OpDef& uniform = op::find("uniform_real");
    op::AttributeList attributes;
    for (const op::AttributeDef& attribute : uniform.attributes)
      attributes.push_back(attribute.initial);
    const auto shape = static_cast<std::size_t>(uniform.find_attribute("shape"));
    attributes[shape] = tensor::IntList{5};
    ir::Node& x = graph->add_argument(body, {DType::Float32, {5}, false}, "x");
    ir::Node& first =
        graph->add_operator(body, uniform, {}, attributes, {{DType::Float32, {5}, false}});
    ir::Node& sum = graph->add_operator(body, op::find("add"), {x.output(), first.output()}, {},
                                        {{DType::Float32, {5}, false}});
    body.set_results({sum.output()});
    Executable program(std::move(graph));
    eager::set_global_seed(3);
    Results results;
    for (int i = 0; i < 6; ++i) results.push_back(run(program, {counting({5}, 0)})[0]);
    eager::clear_global_seed();
    EXPECT_EQ(program.replays() > 0, !(device == Device{}));
    return results;
  };
  const Results host = draw({});
  EXPECT_EQ(draw(simulated()), host);
  EXPECT_NE(host[3], host[4]);
}

TEST(RuntimeDeviceTest, ErrorsOfLateWorkReachWhoeverWaits) {
  const auto program = compiled(R"(graph @g(%1: Float32(3,) x, %2: Int64(1,) i) {
    %3 = gather(%1, %2; axis=0) : Float32(1,)
    return %3
  })",
                                simulated());
  Tensor index = Tensor::empty({1}, DType::Int64);
  *index.data<std::int64_t>() = 17;
  const std::vector<Tensor> inputs = {floats({1, 2, 3}), index};
  EXPECT_THROW(values_of(program->run(inputs)[0]), platform::Error);
  index = Tensor::empty({1}, DType::Int64);
  *index.data<std::int64_t>() = 1;
  EXPECT_EQ(run(*program, {floats({1, 2, 3}), index}), (Results{{2}}));
}

TEST(RuntimeDeviceTest, ProgramsOfOneThreadRunOnItsStream) {
  const Device device = simulated();
  const auto program = compiled(kStraight, device);
  const std::shared_ptr<device::Stream> stream = device::make_stream(device);
  std::vector<Tensor> results;
  {
    const device::StreamScope scope(device, *stream);
    const std::vector<Tensor> inputs = {counting({2, 3}, 1), counting({3}, 2)};
    results = program->run(inputs);
  }
  EXPECT_FALSE(stream->is_done());
  EXPECT_EQ(values_of(results[2]), values_of(counting({2, 3}, 1)));  // waits for the other stream
}

}  // namespace
}  // namespace mycel::runtime
