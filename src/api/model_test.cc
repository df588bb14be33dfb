// SPDX-License-Identifier: Apache-2.0
// Models of programs that are written here: what Build, Predict and Resize promise, whatever was
// loaded.
#include "include/api/model.h"

#include <atomic>
#include <functional>
#include <latch>
#include <thread>

#include <gtest/gtest.h>

#include "api/graph_data.h"
#include "api/worker_gate.h"
#include "eager/dispatch.h"
#include "include/api/raii.h"
#include "tensor/test_tensors.h"

namespace mindspore {
namespace {

using mycel::api::ProgramInput;
using mycel::tensor::DType;
using mycel::tensor::Tensor;
using Tensors = std::vector<Tensor>;
using Shape = std::vector<int64_t>;

Tensor call(const char* name, std::initializer_list<Tensor> inputs) {
  mycel::op::Emitter& emitter = mycel::eager::emitter();
  mycel::op::ValueList values;
  for (const Tensor& input : inputs) values.emplace_back(&emitter, input);
  return emitter.call_all(name, values, {}).front().tensor();
}

class WrittenProgram : public mycel::api::ProgramSource {
 public:
  using Body = std::function<Tensors(std::span<const Tensor>)>;
  WrittenProgram(std::vector<ProgramInput> inputs, Body body)
      : inputs_(std::move(inputs)), body_(std::move(body)) {}
  const std::string& name() const override { return name_; }
  const std::vector<ProgramInput>& inputs() const override { return inputs_; }
  Tensors walk(std::span<const Tensor> inputs) const override {
    ++walks;
    return body_(inputs);
  }
  std::size_t weights_bytes() const override { return 8; }
  mutable std::atomic<int> walks = 0;

 private:
  std::string name_ = "written";
  std::vector<ProgramInput> inputs_;
  Body body_;
};

std::shared_ptr<WrittenProgram> program(Shape shape, WrittenProgram::Body body) {
  return std::make_shared<WrittenProgram>(
      std::vector<ProgramInput>{{"x", DType::Float32, std::move(shape)}}, std::move(body));
}

// x * weight + x
std::shared_ptr<WrittenProgram> scaled(Shape shape = {2}) {
  const Tensor weight = mycel::tensor::testing::floats({10, 100});
  return program(std::move(shape), [weight](std::span<const Tensor> x) {
    return Tensors{call("add", {call("mul", {x[0], weight}), x[0]})};
  });
}

std::shared_ptr<Context> on_cpu() {
  auto context = std::make_shared<Context>();
  context->MutableDeviceInfo().push_back(std::make_shared<CPUDeviceInfo>());
  return context;
}

GraphCell cell_of(std::shared_ptr<const mycel::api::ProgramSource> source) {
  return GraphCell(Graph(std::make_shared<Graph::GraphData>(std::move(source), kMindIR)));
}

Model built(std::shared_ptr<const mycel::api::ProgramSource> source) {
  Model model;
  EXPECT_EQ(model.Build(cell_of(std::move(source)), on_cpu()), kSuccess);
  return model;
}

MSTensor floats(const std::vector<float>& values, Shape shape = {}) {
  if (shape.empty()) shape = {static_cast<int64_t>(values.size())};
  return MSTensor("x", DataType::kNumberTypeFloat32, shape, values.data(),
                  values.size() * sizeof(float));
}

std::vector<float> values_of(const MSTensor& tensor) {
  const Span<float> span(tensor);
  return {span.begin(), span.end()};
}

std::vector<float> predicted(Model& model, const MSTensor& input) {
  std::vector<MSTensor> outputs;
  const Status status = model.Predict({input}, &outputs);
  EXPECT_EQ(status, kSuccess) << status;
  return outputs.empty() ? std::vector<float>() : values_of(outputs[0]);
}

class PreparedInputs final : public WrittenProgram {
 public:
  using WrittenProgram::WrittenProgram;
  std::vector<mycel::api::StoredMap> preprocessing() const override {
    return {{R"(["image"])", R"(["image"])", R"([{"tensor_op_name": "Riddle"}])"}};
  }
};

TEST(ModelTest, PreprocessingThatIsStoredIsToldOf) {
  const auto same = [](std::span<const Tensor> x) { return Tensors{call("neg", {x[0]})}; };
  Model with = built(std::make_shared<PreparedInputs>(
      std::vector<ProgramInput>{{"x", DType::Float32, {2}}}, same));
  Model without = built(scaled());
  std::vector<MSTensor> results;
  EXPECT_TRUE(with.HasPreprocess());
  EXPECT_FALSE(without.HasPreprocess());
  const Status status = with.PredictWithPreprocess({{floats({1, 2})}}, &results);
  EXPECT_EQ(status, kMEFailed);
  EXPECT_NE(status.ToString().find("preprocessing that the model holds"), std::string::npos);
  EXPECT_NE(without.Preprocess({}, &results).ToString().find("no preprocessing"),
            std::string::npos);
}

TEST(ModelTest, BuildRefusesWhatIsMissing) {
  Model model;
  EXPECT_EQ(model.Build(GraphCell(), on_cpu()), kMCInvalidInput);
  EXPECT_EQ(model.Build(GraphCell(Graph(nullptr)), on_cpu()), kMCInvalidInput);
  EXPECT_EQ(model.Build(cell_of(scaled())), kMCInvalidInput);
  EXPECT_EQ(model.Build(cell_of(scaled()), std::make_shared<Context>()), kMCInvalidInput);
  auto on_gpu = std::make_shared<Context>();
  on_gpu->MutableDeviceInfo().push_back(std::make_shared<GPUDeviceInfo>());
  EXPECT_EQ(model.Build(cell_of(scaled()), on_gpu), kMCDeviceError);
}

TEST(ModelTest, UnbuiltModelsHaveNothing) {
  Model model;
  std::vector<MSTensor> outputs;
  EXPECT_EQ(model.Predict({}, &outputs), kMCFailed);
  EXPECT_EQ(model.Resize({}, {}), kMCFailed);
  EXPECT_TRUE(model.GetInputs().empty());
  EXPECT_TRUE(model.GetOutputs().empty());
  EXPECT_TRUE(model.GetInputByTensorName("x") == nullptr);
  EXPECT_EQ(model.GetModelInfo("device"), "");
}

TEST(ModelTest, AProgramThatCannotBeRecordedFailsAtBuild) {
  Model model;
  const auto wrong = program({2}, [](std::span<const Tensor> x) {
    return Tensors{call("add", {x[0], mycel::tensor::testing::floats({1, 2, 3})})};
  });
  const Status status = model.Build(cell_of(wrong), on_cpu());
  EXPECT_EQ(status, kMCFailed);
  EXPECT_NE(status.ToString().find("Model::Build"), std::string::npos);
}

TEST(ModelTest, PredictRefusesWrongInputs) {
  Model model = built(scaled());
  std::vector<MSTensor> outputs;
  EXPECT_EQ(model.Predict({}, &outputs), kMCInvalidInput);
  EXPECT_EQ(model.Predict({MSTensor(nullptr)}, &outputs), kMCInvalidInput);
  const Status status = model.Predict({floats({1, 2, 3})}, &outputs);
  EXPECT_EQ(status, kMCInvalidInput);
  EXPECT_NE(status.ToString().find("'x'"), std::string::npos) << status;
  EXPECT_EQ(model.Predict({floats({1, 2})}, nullptr), kMCInvalidInput);
  int memory[2] = {};
  EXPECT_EQ(model.Predict({MSTensor::CreateDeviceTensor("x", DataType::kNumberTypeFloat32, {2},
                                                        memory, sizeof memory)},
                          &outputs),
            kMCInvalidInput);
  EXPECT_TRUE(outputs.empty());
}

TEST(ModelTest, BuildsOnceAndPredictsOften) {
  const auto source = scaled();
  Model model = built(source);
  EXPECT_EQ(predicted(model, floats({1, 2})), (std::vector<float>{11, 202}));
  EXPECT_EQ(predicted(model, floats({3, 4})), (std::vector<float>{33, 404}));
  EXPECT_EQ(source->walks, 1);
}

TEST(ModelTest, InputsAndOutputsAreDescribedBeforeTheFirstCall) {
  Model model = built(scaled());
  const std::vector<MSTensor> inputs = model.GetInputs();
  ASSERT_EQ(inputs.size(), 1U);
  EXPECT_EQ(inputs[0].Name(), "x");
  EXPECT_EQ(inputs[0].DataType(), DataType::kNumberTypeFloat32);
  EXPECT_EQ(inputs[0].Shape(), (Shape{2}));
  EXPECT_EQ(values_of(inputs[0]), (std::vector<float>{0, 0}));
  EXPECT_EQ(model.GetOutputTensorNames(), (std::vector<std::string>{"output0"}));
  EXPECT_EQ(model.GetOutputs().at(0).Shape(), (Shape{2}));
  EXPECT_TRUE(model.GetOutputByTensorName("output1") == nullptr);
  EXPECT_TRUE(model.GetInputByTensorName("x") == inputs[0]);
  EXPECT_EQ(model.GetModelInfo("inputs"), R"([{"name":"x","type":"float32","shape":[2]}])");
  EXPECT_EQ(model.GetModelInfo("device"), R"("CPU")");
  EXPECT_EQ(model.GetModelInfo("weights_bytes"), "8");
  EXPECT_EQ(model.GetModelInfo("nothing"), "");
}

TEST(ModelTest, TheModelShowsWhatItWasLastGiven) {
  Model model = built(scaled());
  const std::vector<float> result = predicted(model, floats({5, 6}));
  EXPECT_EQ(values_of(model.GetInputs()[0]), (std::vector<float>{5, 6}));
  EXPECT_EQ(values_of(model.GetOutputs()[0]), result);
  EXPECT_EQ(values_of(model.GetOutputByTensorName("output0")), result);
  EXPECT_EQ(model.GetOutputsByNodeName("output0").size(), 1U);
}

TEST(ModelTest, ItsOwnTensorsCanBeFilledAndPassed) {
  Model model = built(scaled());
  std::vector<MSTensor> outputs;
  for (const float value : {1.0F, 2.0F}) {
    auto* const data = static_cast<float*>(model.GetInputByTensorName("x").MutableData());
    data[0] = data[1] = value;
    EXPECT_EQ(model.Predict(model.GetInputs(), &outputs), kSuccess);
    EXPECT_EQ(values_of(outputs[0]), (std::vector<float>{11 * value, 101 * value}));
  }
}

TEST(ModelTest, EqualBytesAreEnough) {
  Model model = built(scaled({1, 2}));
  const float bytes[] = {1, 2};
  const MSTensor raw("x", DataType::kNumberTypeUInt8, {8}, bytes, 8);
  EXPECT_EQ(predicted(model, raw), (std::vector<float>{11, 202}));
}

TEST(ModelTest, ReferencesAreReadWhereTheyAre) {
  Model model = built(scaled());
  std::vector<char> memory(3 * sizeof(float) + 1);
  for (const std::size_t offset : {0U, 1U}) {  // the second lies at an odd address
    const float values[] = {1, 2};
    std::memcpy(memory.data() + offset, values, sizeof values);
    const TensorPtr reference(MSTensor::CreateRefTensor("x", DataType::kNumberTypeFloat32, {2},
                                                        memory.data() + offset, sizeof values));
    EXPECT_EQ(predicted(model, *reference), (std::vector<float>{11, 202}));
  }
}

TEST(ModelTest, ResultsHaveMemoryOfTheirOwn) {
  const Tensor weight = mycel::tensor::testing::floats({3, 4});
  std::vector<MSTensor> first;
  std::vector<MSTensor> second;
  {
    // The input, a weight, and one value twice.
    Model model = built(program({2}, [weight](std::span<const Tensor> x) {
      const Tensor sum = call("add", {x[0], weight});
      return Tensors{x[0], weight, sum, sum};
    }));
    const MSTensor input = floats({1, 2});
    EXPECT_EQ(model.Predict({input}, &first), kSuccess);
    for (MSTensor& result : first) static_cast<float*>(result.MutableData())[0] = -1;
    EXPECT_EQ(values_of(input), (std::vector<float>{1, 2}));
    EXPECT_EQ(model.Predict({input}, &second), kSuccess);
  }
  EXPECT_EQ(values_of(first[3]), (std::vector<float>{-1, 6}));
  EXPECT_EQ(values_of(second[0]), (std::vector<float>{1, 2}));
  EXPECT_EQ(values_of(second[1]), (std::vector<float>{3, 4}));
  EXPECT_EQ(values_of(second[2]), (std::vector<float>{4, 6}));
  EXPECT_EQ(values_of(second[3]), (std::vector<float>{4, 6}));
}

TEST(ModelTest, AProgramWithoutInputsIsFine) {
  Model model = built(std::make_shared<WrittenProgram>(
      std::vector<ProgramInput>(),
      [](std::span<const Tensor>) { return Tensors{mycel::tensor::testing::floats({7})}; }));
  std::vector<MSTensor> outputs;
  EXPECT_EQ(model.Predict({}, &outputs), kSuccess);
  EXPECT_EQ(values_of(outputs.at(0)), (std::vector<float>{7}));
}

TEST(ModelTest, ResizeCompilesOncePerShape) {
  const auto source = program({2}, [](std::span<const Tensor> x) {
    return Tensors{call("add", {x[0], x[0]})};
  });
  Model model = built(source);
  EXPECT_EQ(model.Resize(model.GetInputs(), {{2}, {2}}), kMCInvalidInput);
  EXPECT_EQ(model.Resize({}, {{2}}), kMCInvalidInput);
  EXPECT_EQ(model.Resize(model.GetInputs(), {{0}}), kLiteInputParamInvalid);
  EXPECT_EQ(model.Resize(model.GetInputs(), {{3}}), kSuccess);
  EXPECT_EQ(model.GetInputs()[0].Shape(), (Shape{3}));
  EXPECT_EQ(model.GetInputs()[0].DataSize(), 12U);
  EXPECT_EQ(model.GetOutputs()[0].Shape(), (Shape{3}));
  EXPECT_EQ(predicted(model, floats({1, 2, 3})), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(model.Resize(model.GetInputs(), {{2}}), kSuccess);
  EXPECT_EQ(predicted(model, floats({1, 2})), (std::vector<float>{2, 4}));
  EXPECT_EQ(source->walks, 2);
}

TEST(ModelTest, ResizeToWhatTheProgramCannotDoChangesNothing) {
  Model model = built(scaled());
  const Status status = model.Resize(model.GetInputs(), {{5}});
  EXPECT_EQ(status, kMCFailed);
  EXPECT_NE(status.ToString().find("exported for inputs of [2]"), std::string::npos) << status;
  EXPECT_EQ(model.GetInputs()[0].Shape(), (Shape{2}));
  EXPECT_EQ(predicted(model, floats({1, 2})), (std::vector<float>{11, 202}));
}

TEST(ModelTest, OpenLengthsAreThoseOfTheTensors) {
  Model model = built(scaled({-1, 2}));
  EXPECT_EQ(model.GetInputs()[0].Shape(), (Shape{-1, 2}));
  EXPECT_EQ(model.GetInputs()[0].DataSize(), 0U);
  EXPECT_EQ(model.GetOutputs().at(0).Shape(), (Shape{-1, 2}));
  std::vector<MSTensor> outputs;
  EXPECT_EQ(model.Predict({floats({1, 2, 3, 4}, {2, 2})}, &outputs), kSuccess);
  EXPECT_EQ(outputs[0].Shape(), (Shape{2, 2}));
  EXPECT_EQ(model.Predict({floats({1, 2}, {1, 2})}, &outputs), kSuccess);
  EXPECT_EQ(values_of(outputs[0]), (std::vector<float>{11, 202}));
  const Status status = model.Predict({floats({1, 2, 3}, {1, 3})}, &outputs);
  EXPECT_EQ(status, kMCInvalidInput);
  EXPECT_NE(status.ToString().find("[?, 2]"), std::string::npos) << status;
  EXPECT_NE(status.ToString().find("[1, 3]"), std::string::npos) << status;
  const MSTensor short_one("x", DataType::kNumberTypeFloat32, {2, 2}, nullptr, 4);
  EXPECT_EQ(model.Predict({short_one}, &outputs), kMCInvalidInput);
}

// A decision by a value: two ways, each recorded when a call first takes it.
// So many elements that their bytes, counted in 64 bits, are as few as those that are there.
TEST(ModelTest, OpenLengthsPastAllMemoryAreRefused) {
  Model model =
      built(program({-1}, [](std::span<const Tensor> x) { return Tensors{call("neg", {x[0]})}; }));
  std::vector<MSTensor> outputs;
  const std::vector<float> few{1, 2, 3, 4};
  const MSTensor input = floats(few, {(int64_t{1} << 62) + 4});
  const Status status = model.Predict({input}, &outputs);
  EXPECT_EQ(status, kMCInvalidInput) << status;
  EXPECT_NE(status.ToString().find("no memory of that size"), std::string::npos) << status;
}

TEST(ModelTest, TruthValuesMayBeAnyBytes) {
  Model model = built(std::make_shared<WrittenProgram>(
      std::vector<ProgramInput>{{"x", DType::Bool, {4}}}, [](std::span<const Tensor> x) {
        return Tensors{call("logical_not", {x[0]}), call("logical_and", {x[0], x[0]})};
      }));
  const unsigned char bytes[] = {0, 1, 2, 255};
  const MSTensor input("x", DataType::kNumberTypeBool, {4}, bytes, sizeof bytes);
  std::vector<MSTensor> outputs;
  EXPECT_EQ(model.Predict({input}, &outputs), kSuccess);
  const Span<bool> negated(outputs.at(0)), kept(outputs.at(1));
  EXPECT_EQ(std::vector<bool>(negated.begin(), negated.end()),
            (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(std::vector<bool>(kept.begin(), kept.end()),
            (std::vector<bool>{false, true, true, true}));
}

TEST(ModelTest, DecisionsByValuesAreWays) {
  const auto source = program({1}, [](std::span<const Tensor> x) {
    const Tensor doubled = call("add", {x[0], x[0]});
    return Tensors{*doubled.data<float>() > 0 ? call("neg", {x[0]}) : call("square", {x[0]})};
  });
  Model model = built(source);
  EXPECT_EQ(predicted(model, floats({3})), (std::vector<float>{-3}));
  EXPECT_EQ(predicted(model, floats({-4})), (std::vector<float>{16}));
  const int walks = source->walks;
  EXPECT_EQ(predicted(model, floats({-4})), (std::vector<float>{16}));
  EXPECT_EQ(predicted(model, floats({3})), (std::vector<float>{-3}));
  EXPECT_EQ(source->walks, walks);
}

TEST(ModelTest, CopiesOfABuiltModelShareIt) {
  Model first = built(scaled());
  Model second = first;
  EXPECT_EQ(predicted(second, floats({1, 2})), (std::vector<float>{11, 202}));
  EXPECT_EQ(second.Finalize(), kSuccess);
  EXPECT_TRUE(second.GetInputs().empty());
  EXPECT_EQ(predicted(first, floats({1, 2})), (std::vector<float>{11, 202}));
}

TEST(ModelTest, CellsRunByThemselves) {
  GraphCell cell = cell_of(scaled());
  std::vector<MSTensor> outputs;
  EXPECT_EQ(cell.Run({floats({1, 2})}, &outputs), kSuccess);
  EXPECT_EQ(values_of(outputs[0]), (std::vector<float>{11, 202}));
  EXPECT_EQ(cell.GetInputs().at(0).Name(), "x");
  EXPECT_EQ(GraphCell().Run({}, &outputs), kMCInvalidInput);
  EXPECT_EQ(Graph().ModelType(), kUnknownType);
}

TEST(ModelTest, OnlyWhatIsThereIsSupported) {
  EXPECT_TRUE(Model::CheckModelSupport(kCPU, kMindIR));
  EXPECT_TRUE(Model::CheckModelSupport(kCPU, kONNX));
  EXPECT_FALSE(Model::CheckModelSupport(kCPU, kOM));
  EXPECT_FALSE(Model::CheckModelSupport(kGPU, kMindIR));
  EXPECT_FALSE(Model::CheckModelSupport(kAscend, kMindIR));
}

TEST(ModelTest, TrainingIsNotSupported) {
  Model model = built(scaled());
  EXPECT_EQ(model.Train(1, nullptr, {}), kMCFailed);
  EXPECT_EQ(model.RunStep(), kMCFailed);
  EXPECT_FALSE(model.HasPreprocess());
  std::vector<MSTensor> outputs;
  EXPECT_EQ(model.PredictWithPreprocess({}, &outputs), kMEFailed);
}

TEST(ModelThreadsTest, CallsAreIndependentOfEachOther) {
  constexpr int kThreads = 8;
  constexpr int kCalls = 100;
  Model model = built(scaled());
  std::atomic<int> wrong = 0;
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      std::vector<MSTensor> outputs;
      for (int i = 0; i < kCalls; ++i) {
        const auto value = static_cast<float>(thread * kCalls + i);
        const bool is_right =
            model.Predict({floats({value, value})}, &outputs) == kSuccess &&
            values_of(outputs[0]) == std::vector<float>{11 * value, 101 * value} &&
            model.GetInputs().size() == 1 && model.GetOutputs().size() == 1;
        if (!is_right) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ModelThreadsTest, BuildAndResizeWhileOthersPredict) {
  constexpr int kThreads = 4;
  const auto source = scaled({-1, 2});
  Model model = built(source);
  std::atomic<bool> is_over = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, rows = thread + 1] {
      const std::vector<float> ones(static_cast<std::size_t>(rows) * 2, 1);
      std::vector<MSTensor> outputs;
      while (!is_over) {
        const bool is_right = model.Predict({floats(ones, {rows, 2})}, &outputs) == kSuccess &&
                              outputs[0].Shape() == Shape{rows, 2} &&
                              values_of(outputs[0])[1] == 101;
        if (!is_right) ++wrong;
      }
    });
  }
  for (int64_t i = 1; i <= 20; ++i) {
    EXPECT_EQ(model.Resize(model.GetInputs(), {{i, 2}}), kSuccess);
    if (i % 5 == 0) {
      EXPECT_EQ(model.Build(cell_of(source), on_cpu()), kSuccess);
    }
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(WorkerGateTest, TooManyAreSentAway) {
  mycel::api::WorkerGate gate(1, 1);
  EXPECT_TRUE(gate.enter());
  std::thread waits([&] {
    EXPECT_TRUE(gate.enter());
    gate.leave();
  });
  while (gate.waiting() == 0) std::this_thread::yield();
  EXPECT_FALSE(gate.enter());
  gate.leave();
  waits.join();
  EXPECT_TRUE(gate.enter());
}

}  // namespace
}  // namespace mindspore
