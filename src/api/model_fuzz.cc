// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: model files the whole way that they go in a program: loaded, built, asked what
// they take and give, run, resized, run again. MODEL chooses mindir (the default) or onnx. Not part
// of the library; README.md says how to build and run it.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "device/pool.h"
#include "include/api/context.h"
#include "include/api/model.h"
#include "include/api/serialization.h"
#include "platform/error/error.h"
#include "platform/protobuf/changed_message.h"
#include "runtime/attend.h"

namespace {

using namespace mindspore;  // NOLINT: this file is about nothing else
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostInputBytes = 1 << 16;
constexpr std::size_t kMostMemory = std::size_t{512} << 20;  // a few bytes may ask for any
constexpr std::chrono::milliseconds kLongestRun(200);        // models may turn for ever

thread_local Clock::time_point end_of_run;

void end_long_runs() {
  if (Clock::now() > end_of_run)
    mycel::platform::fail(mycel::platform::ErrorKind::Runtime, "takes too long");
}

ModelType chosen_type() {
  const char* const chosen = std::getenv("MODEL");
  return chosen != nullptr && std::string_view(chosen) == "onnx" ? kONNX : kMindIR;
}

// Lengths that are open become this one.
std::vector<std::vector<std::int64_t>> shapes_of(const std::vector<MSTensor>& inputs,
                                                 std::int64_t open) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (const MSTensor& input : inputs) {
    shapes.push_back(input.Shape());
    for (std::int64_t& length : shapes.back())
      if (length < 0) length = open;
  }
  return shapes;
}

// False: it would be larger than a test should be.
bool fill(std::vector<MSTensor>& inputs, std::int64_t open, unsigned char content) {
  const auto shapes = shapes_of(inputs, open);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    MSTensor& input = inputs[i];
    MSTensor sized(input.Name(), input.DataType(), {}, nullptr, 0);
    sized.SetShape(shapes[i]);
    if (sized.DataSize() > kMostInputBytes) return false;
    if (void* const bytes = sized.MutableData()) std::memset(bytes, content, sized.DataSize());
    input = sized;
  }
  return true;
}

void run(Model& model, std::int64_t open, unsigned char content) {
  std::vector<MSTensor> inputs = model.GetInputs(), outputs;
  if (!fill(inputs, open, content)) return;
  end_of_run = Clock::now() + kLongestRun;
  if (model.Predict(inputs, &outputs) != kSuccess) return;
  for (const MSTensor& output : outputs)
    if (output == nullptr || (output.DataSize() > 0 && output.Data() == nullptr)) std::abort();
}

std::shared_ptr<Context> on_cpu() {
  auto context = std::make_shared<Context>();
  context->MutableDeviceInfo().push_back(std::make_shared<CPUDeviceInfo>());
  context->SetThreadNum(1);
  return context;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names that libFuzzer calls
extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** /*arguments*/) {
  setenv("GLOG_v", "4", 0);           // thousands of refusals
  setenv("MYCEL_CODEGEN", "off", 0);  // and of formulas
  mycel::runtime::set_attend(end_long_runs);
  mycel::device::set_memory_limit({}, kMostMemory);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const ModelType type = chosen_type();
  static const std::shared_ptr<Context> context = on_cpu();
  Graph graph;
  end_of_run = Clock::time_point::max();
  if (Serialization::Load(data, size, type, &graph) != kSuccess) return 0;
  Model model;
  if (model.Build(GraphCell(graph), context) != kSuccess) return 0;
  for (const char* const key : {"inputs", "outputs", "weights_bytes", "user_info"})
    model.GetModelInfo(key);
  run(model, 2, 0);
  run(model, 3, 0x3F);  // floats near one, large integers
  const auto inputs = model.GetInputs();
  if (model.Resize(inputs, shapes_of(inputs, 1)) == kSuccess) run(model, 1, 1);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(unsigned char* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return mycel::platform::change_message(data, size, most, seed);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const unsigned char* first, std::size_t first_size,
                                                 const unsigned char* second,
                                                 std::size_t second_size, unsigned char* out,
                                                 std::size_t most, unsigned seed) {
  using mycel::platform::bytes_of_fuzzer;
  return mycel::platform::cross_messages(bytes_of_fuzzer(first, first_size),
                                         bytes_of_fuzzer(second, second_size), out, most, seed);
}
// NOLINTEND(readability-identifier-naming)
