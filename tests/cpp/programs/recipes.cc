// SPDX-License-Identifier: Apache-2.0
// What programs do with the C++ interface, one function each: `recipes <name> <model> [more]`. The
// status is 0 when all went well. Results go to the standard output as numbers.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "include/api/context.h"
#include "include/api/model.h"
#include "include/api/model_group.h"
#include "include/api/model_parallel_runner.h"
#include "include/api/raii.h"
#include "include/api/serialization.h"

namespace {

using namespace mindspore;

using Arguments = std::vector<std::string>;

std::shared_ptr<Context> CpuContext() {
  auto context = std::make_shared<Context>();
  context->MutableDeviceInfo().push_back(std::make_shared<CPUDeviceInfo>());
  return context;
}

// What kind of model a file holds.
ModelType TypeOf(const std::string &path) {
  const std::string ending = ".onnx";
  const bool is_onnx = path.size() > ending.size() &&
                       path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
  return is_onnx ? kONNX : kMindIR;
}

int Report(const Status &status, int result) {
  std::cerr << status << "\n";
  return result;
}

// 0, 0.1, 0.2, ...: what the tests give to the network, too.
std::vector<float> Ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = 0.1f * static_cast<float>(i);
  return values;
}

MSTensor Filled(const MSTensor &like) {
  const std::vector<float> values = Ramp(static_cast<size_t>(like.ElementNum()));
  return MSTensor(like.Name(), like.DataType(), like.Shape(), values.data(),
                  values.size() * sizeof(float));
}

void Print(const MSTensor &tensor) {
  std::cout << std::hexfloat;
  for (const float value : Span<float>(tensor)) std::cout << value << " ";
  std::cout << "\n";
}

int LoadBuildPredict(const Arguments &arguments) {
  Graph graph;
  if (!Serialization::Load(arguments.at(0), TypeOf(arguments.at(0)), &graph)) return 1;
  Model model;
  if (model.Build(GraphCell(graph), CpuContext()) != kSuccess) return 2;
  std::vector<MSTensor> inputs;
  for (const MSTensor &input : model.GetInputs()) inputs.push_back(Filled(input));
  std::vector<MSTensor> outputs;
  const Status status = model.Predict(inputs, &outputs);
  if (status != kSuccess) return Report(status, 3);
  for (const MSTensor &output : outputs) Print(output);
  return 0;
}

// arguments: model, then a file of bytes for each input. The results are printed as bytes, too.
int FromFiles(const Arguments &arguments) {
  Model model;
  const Status built = model.Build(arguments.at(0), TypeOf(arguments.at(0)), CpuContext());
  if (built.IsError()) return Report(built, 1);
  std::vector<MSTensor> inputs;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const TensorPtr read(MSTensor::CreateTensorFromFile(arguments[i]));
    if (read == nullptr) return 2;
    inputs.push_back(*read);
  }
  for (int call = 0; call < 2; ++call) {  // the second one repeats what the first has compiled
    std::vector<MSTensor> outputs;
    const Status status = model.Predict(inputs, &outputs);
    if (status.IsError()) return Report(status, 3);
    for (const MSTensor &output : outputs) {
      const auto data = output.Data();
      const auto *bytes = static_cast<const unsigned char *>(data.get());
      for (size_t i = 0; i < output.DataSize(); ++i) std::printf("%02x", bytes[i]);
      std::printf("\n");
    }
  }
  return 0;
}

int FromPath(const Arguments &arguments) {
  Model model;
  const Status status = model.Build(arguments.at(0), TypeOf(arguments.at(0)), CpuContext());
  if (status.IsError()) return Report(status, 1);
  std::vector<MSTensor> outputs;
  if (model.Predict({Filled(model.GetInputs().at(0))}, &outputs) != kSuccess) return 2;
  Print(outputs.at(0));
  return model.Finalize().IsOk() ? 0 : 3;
}

// arguments: model, key, mode
int Encrypted(const Arguments &arguments) {
  const std::string &secret = arguments.at(1);
  Key key;
  if (secret.size() > sizeof key.key) return 9;
  std::memcpy(key.key, secret.data(), secret.size());
  key.len = secret.size();
  Graph graph;
  const Status status =
      Serialization::Load(arguments.at(0), kMindIR, &graph, key, arguments.at(2));
  std::memset(key.key, 0, sizeof key.key);
  if (status.IsError()) return Report(status, status == kMEInvalidInput ? 1 : 2);
  Model model;
  if (model.Build(GraphCell(graph), CpuContext()) != kSuccess) return 3;
  std::vector<MSTensor> outputs;
  if (model.Predict({Filled(model.GetInputs().at(0))}, &outputs) != kSuccess) return 4;
  Print(outputs.at(0));
  return 0;
}

int FromMemory(const Arguments &arguments) {
  std::ifstream file(arguments.at(0), std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  Graph graph;
  const ModelType type = TypeOf(arguments.at(0));
  const Status status = Serialization::Load(bytes.data(), bytes.size(), type, &graph);
  std::fill(bytes.begin(), bytes.end(), '\0');  // the graph has its own copy
  if (!status.IsOk() || graph == nullptr) return Report(status, 1);
  Graph untouched;
  if (Serialization::Load(bytes.data(), bytes.size(), type, &untouched) != kMEInvalidInput) return 2;
  if (untouched != nullptr) return 3;
  GraphCell cell(graph);
  std::vector<MSTensor> outputs;
  if (cell.Run({Filled(cell.GetInputs().at(0))}, &outputs) != kSuccess) return 4;
  Print(outputs.at(0));
  return 0;
}

int Describe(const Arguments &arguments) {
  auto context = std::make_shared<Context>();
  if (Model::CheckModelSupport(kGPU, kMindIR)) {
    context->MutableDeviceInfo().push_back(std::make_shared<GPUDeviceInfo>());
  } else {
    context->MutableDeviceInfo().push_back(std::make_shared<CPUDeviceInfo>());
  }
  context->SetThreadNum(2);
  std::vector<Graph> graphs;
  if (Serialization::Load(Arguments{arguments.at(0)}, TypeOf(arguments.at(0)), &graphs) != kSuccess) return 1;
  Model model;
  if (model.Build(GraphCell(graphs.at(0)), context) != kSuccess) return 2;
  for (const MSTensor &input : model.GetInputs()) {
    std::cout << input.Name() << " " << static_cast<int>(input.DataType()) << " "
              << input.DataSize();
    for (const int64_t length : input.Shape()) std::cout << " " << length;
    std::cout << "\n";
  }
  for (const std::string &name : model.GetOutputTensorNames()) std::cout << name << "\n";
  return model.GetInputByTensorName("nobody") == nullptr ? 0 : 3;
}

int WithoutCopy(const Arguments &arguments) {
  Model model;
  if (model.Build(arguments.at(0), TypeOf(arguments.at(0)), CpuContext()) != kSuccess) return 1;
  const MSTensor spec = model.GetInputs().at(0);
  std::vector<float> memory = Ramp(static_cast<size_t>(spec.ElementNum()));
  TensorPtr reference(MSTensor::CreateRefTensor(spec.Name(), spec.DataType(), spec.Shape(),
                                                memory.data(), memory.size() * sizeof(float),
                                                false));
  if (reference == nullptr) return 2;
  std::vector<MSTensor> inputs = {*reference};
  reference.reset();
  std::vector<MSTensor> outputs;
  if (model.Predict(inputs, &outputs) != kSuccess) return 3;
  Print(outputs.at(0));
  return 0;
}

// The batch becomes four times as large; where it is open, four.
int OtherShapes(const Arguments &arguments) {
  Model model;
  if (model.Build(arguments.at(0), TypeOf(arguments.at(0)), CpuContext()) != kSuccess) return 1;
  std::vector<MSTensor> inputs = model.GetInputs();
  std::vector<std::vector<int64_t>> shapes;
  for (const MSTensor &input : inputs) {
    shapes.push_back(input.Shape());
    shapes.back().at(0) = 4 * std::max<int64_t>(1, shapes.back().at(0));
  }
  const Status status = model.Resize(inputs, shapes);
  if (status != kSuccess) return Report(status, 2);
  inputs = model.GetInputs();
  if (inputs.at(0).Shape() != shapes.at(0)) return 3;
  const std::vector<float> values = Ramp(static_cast<size_t>(inputs[0].ElementNum()));
  std::memcpy(inputs[0].MutableData(), values.data(), inputs[0].DataSize());
  std::vector<MSTensor> outputs;
  if (model.Predict(inputs, &outputs) != kSuccess) return 4;
  Print(outputs.at(0));
  return 0;
}

int Threads(const Arguments &arguments) {
  Model model;
  if (model.Build(arguments.at(0), TypeOf(arguments.at(0)), CpuContext()) != kSuccess) return 1;
  const MSTensor spec = model.GetInputs().at(0);
  std::vector<MSTensor> expected;
  if (model.Predict({Filled(spec)}, &expected) != kSuccess) return 2;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const std::vector<MSTensor> inputs = {Filled(spec)};
      std::vector<MSTensor> outputs;
      for (int call = 0; call < 25; ++call) {
        const bool is_right =
            model.Predict(inputs, &outputs) == kSuccess &&
            outputs.at(0).DataSize() == expected.at(0).DataSize() &&
            std::memcmp(outputs[0].Data().get(), expected[0].Data().get(),
                        outputs[0].DataSize()) == 0;
        if (!is_right) ++wrong;
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  return wrong == 0 ? 0 : 3;
}

int WorkerPool(const Arguments &arguments) {
  auto config = std::make_shared<RunnerConfig>();
  config->SetContext(CpuContext());
  config->SetWorkersNum(2);
  config->SetConfigInfo("weight", {{"weight_path", "nowhere"}});
  ModelParallelRunner runner;
  std::vector<MSTensor> outputs;
  if (runner.Predict({}, &outputs) != kLiteNullptr) return 1;
  if (runner.Init(arguments.at(0), config) != kSuccess) return 2;
  if (runner.Init("no such file", config) != kSuccess) return 3;  // the first one counts
  std::vector<MSTensor> inputs = runner.GetInputs();
  for (MSTensor &input : inputs) {
    const std::vector<float> values = Ramp(static_cast<size_t>(input.ElementNum()));
    void *memory = std::malloc(input.DataSize());
    std::memcpy(memory, values.data(), input.DataSize());
    input.SetData(memory);
  }
  if (runner.Predict({}, &outputs) != kLiteError) return 4;
  if (runner.Predict(inputs, nullptr) != kLiteNullptr) return 5;
  if (runner.Predict(inputs, &outputs) != kSuccess) return 6;
  Print(outputs.at(0));
  ModelGroup group(ModelGroupFlag::kShareWeight);
  return group.AddModel(Arguments{arguments.at(0)}).IsOk() ? 0 : 7;
}

size_t MemoryInPages() {
  std::ifstream file("/proc/self/statm");
  size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident;
}

// Four models of one file, each loaded by itself and run. Prints the results of one after the
// other, then the memory that the first took and that the others took, in pages.
int FourModels(const Arguments &arguments) {
  std::vector<Model> models(4);
  std::vector<size_t> memory = {MemoryInPages()};
  for (Model &model : models) {
    if (model.Build(arguments.at(0), TypeOf(arguments.at(0)), CpuContext()) != kSuccess) return 1;
    std::vector<MSTensor> outputs;
    for (int call = 0; call < 2; ++call)
      if (model.Predict({Filled(model.GetInputs().at(0))}, &outputs) != kSuccess) return 2;
    Print(outputs.at(0));
    memory.push_back(MemoryInPages());
  }
  std::cout << memory[1] - memory[0] << " " << memory.back() - memory[1] << "\n";
  return 0;
}

// arguments: model, then files of pictures. Prints what the stored preprocessing makes of them, and
// what the model gives for that.
int Preprocessed(const Arguments &arguments) {
  Model model;
  const Status built = model.Build(arguments.at(0), kMindIR, CpuContext());
  if (built.IsError()) return Report(built, 1);
  if (!model.HasPreprocess()) return 2;
  std::vector<std::vector<MSTensor>> samples;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const TensorPtr read(MSTensor::CreateTensorFromFile(arguments[i]));
    if (read == nullptr) return 3;
    samples.push_back({*read});
  }
  std::vector<MSTensor> prepared, outputs;
  const Status status = model.Preprocess(samples, &prepared);
  if (status.IsError()) return Report(status, 4);
  const Status predicted = model.PredictWithPreprocess(samples, &outputs);
  if (predicted.IsError()) return Report(predicted, 5);
  Print(prepared.at(0));
  Print(outputs.at(0));
  return 0;
}

int Errors(const Arguments &arguments) {
  Graph graph;
  const Status missing = Serialization::Load("missing.mindir", kMindIR, &graph);
  if (missing) return 1;
  if (static_cast<uint32_t>(missing.StatusCode()) != 0x20000002) return 2;
  if (missing.ToString().find("exist") == std::string::npos) return 3;
  const Status null = Serialization::Load(arguments.at(0), kMindIR, static_cast<Graph *>(nullptr));
  if (null != kMEInvalidInput || null.ToString().find("null") == std::string::npos) return 4;
  if (Serialization::Load(arguments.at(0), kOM, &graph) != kMEInvalidInput) return 5;
  if (graph != nullptr) return 6;
  if (Serialization::ExportModel(Model(), kMindIR, "out.mindir") != kMEFailed) return 7;
  auto context = std::make_shared<Context>();
  auto ascend = std::make_shared<Ascend310DeviceInfo>();
  ascend->SetDeviceID(0);
  context->MutableDeviceInfo().push_back(ascend);
  Model model;
  const Status built = model.Build(arguments.at(0), kMindIR, context);
  switch (built.StatusCode()) {
    case kMCDeviceError: std::cout << built.GetErrDescription() << "\n"; break;
    default: return 8;
  }
  return Version().empty() ? 9 : 0;
}

}  // namespace

int main(int argc, char **argv) {
  const std::map<std::string, std::function<int(const Arguments &)>> recipes = {
      {"load_build_predict", LoadBuildPredict},
      {"from_files", FromFiles},
      {"from_path", FromPath},
      {"encrypted", Encrypted},
      {"from_memory", FromMemory},
      {"describe", Describe},
      {"without_copy", WithoutCopy},
      {"other_shapes", OtherShapes},
      {"threads", Threads},
      {"worker_pool", WorkerPool},
      {"four_models", FourModels},
      {"preprocessed", Preprocessed},
      {"errors", Errors},
  };
  if (argc < 2 || recipes.count(argv[1]) == 0) return 100;
  return recipes.at(argv[1])(Arguments(argv + 2, argv + argc));
}
