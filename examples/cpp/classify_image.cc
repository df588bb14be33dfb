// SPDX-License-Identifier: Apache-2.0
// Says what is on a picture, with a network that was exported from Python. No Python is needed here.
//
//   classify_image <model.mindir> <picture> [<file with a name per line>]
//
// The network takes one float32 input of shape (1, 3, height, width), as those of examples/ do, and
// gives a score per class. How to get one: see README.md.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "include/api/context.h"
#include "include/api/model.h"
#include "include/api/raii.h"
#include "include/api/serialization.h"
#include "include/dataset/execute.h"
#include "include/dataset/vision.h"

namespace ds = mindspore::dataset;
using mindspore::MSTensor;
using mindspore::Status;

namespace {

constexpr size_t kShown = 5;

// A context says what a model is built for. Several devices may be named, in order of preference.
std::shared_ptr<mindspore::Context> BestDevice() {
  auto context = std::make_shared<mindspore::Context>();
  if (mindspore::Model::CheckModelSupport(mindspore::kGPU, mindspore::kMindIR))
    context->MutableDeviceInfo().push_back(std::make_shared<mindspore::GPUDeviceInfo>());
  context->MutableDeviceInfo().push_back(std::make_shared<mindspore::CPUDeviceInfo>());
  return context;
}

// The picture as the network saw pictures when it was trained: the middle of it, with ImageNet's
// mean and deviation, channels first. These are the transforms of mindspore.dataset.vision; they give
// the same numbers as in Python.
Status ReadPicture(const std::string &file, int32_t height, int32_t width, MSTensor *picture) {
  const mindspore::TensorPtr bytes(MSTensor::CreateTensorFromFile(file));
  if (bytes == nullptr) return Status(mindspore::kMDFileNotExist, "cannot read " + file);
  ds::Execute prepare(std::vector<std::shared_ptr<ds::TensorTransform>>{
      std::make_shared<ds::vision::Decode>(),
      std::make_shared<ds::vision::Resize>(std::vector<int32_t>{height * 8 / 7, width * 8 / 7}),
      std::make_shared<ds::vision::CenterCrop>(std::vector<int32_t>{height, width}),
      std::make_shared<ds::vision::Normalize>(std::vector<float>{123.675f, 116.28f, 103.53f},
                                              std::vector<float>{58.395f, 57.12f, 57.375f}),
      std::make_shared<ds::vision::HWC2CHW>()});
  return prepare(*bytes, picture);
}

std::vector<std::string> ReadNames(const std::string &file) {
  std::ifstream stream(file);
  std::vector<std::string> names;
  for (std::string line; std::getline(stream, line);) names.push_back(line);
  return names;
}

// The likeliest classes, with the scores made probabilities.
void Show(const MSTensor &scores, const std::vector<std::string> &names) {
  const mindspore::Span<float> values(scores);
  const float largest = *std::max_element(values.begin(), values.end());
  float sum = 0;
  for (const float value : values) sum += std::exp(value - largest);
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t shown = std::min(kShown, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](size_t a, size_t b) { return values[a] > values[b]; });
  for (size_t i = 0; i < shown; ++i) {
    const size_t number = order[i];
    std::cout << std::exp(values[number] - largest) / sum << "  "
              << (number < names.size() ? names[number] : "class " + std::to_string(number)) << "\n";
  }
}

int Fail(const Status &status) {
  std::cerr << "classify_image: " << status << "\n";
  return 1;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::cerr << "usage: classify_image <model.mindir> <picture> [<file of names>]\n";
    return 2;
  }
  // Load, then build: loading reads the file, building compiles it for a device.
  mindspore::Graph graph;
  Status status = mindspore::Serialization::Load(argv[1], mindspore::kMindIR, &graph);
  if (status.IsError()) return Fail(status);
  mindspore::Model model;
  status = model.Build(mindspore::GraphCell(graph), BestDevice());
  if (status.IsError()) return Fail(status);

  // What the network wants to be given.
  const std::vector<MSTensor> inputs = model.GetInputs();
  if (inputs.size() != 1 || inputs[0].Shape().size() != 4)
    return Fail(Status(mindspore::kMCInvalidInput, "this is no network for pictures"));
  const std::vector<int64_t> shape = inputs[0].Shape();
  MSTensor picture;
  status = ReadPicture(argv[2], static_cast<int32_t>(shape[2]), static_cast<int32_t>(shape[3]),
                       &picture);
  if (status.IsError()) return Fail(status);

  // One picture is a batch of one: (3, height, width) becomes (1, 3, height, width).
  picture.SetShape(shape);
  std::vector<MSTensor> outputs;
  status = model.Predict({picture}, &outputs);
  if (status.IsError()) return Fail(status);
  Show(outputs.at(0), argc > 3 ? ReadNames(argv[3]) : std::vector<std::string>());
  return 0;
}
