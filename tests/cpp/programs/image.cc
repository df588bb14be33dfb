// SPDX-License-Identifier: Apache-2.0
// Picture in, numbers out: `image <picture>` prints what a network for 8x8 pictures would be given.
#include <iostream>
#include <memory>
#include <vector>

#include "include/api/raii.h"
#include "include/dataset/execute.h"
#include "include/dataset/vision.h"
#include "include/dataset/vision_ascend.h"

namespace ds = mindspore::dataset;

int main(int argc, char **argv) {
  if (argc < 2) return 100;
  const std::vector<std::shared_ptr<ds::TensorTransform>> transforms = {
      std::make_shared<ds::vision::Decode>(),
      std::make_shared<ds::vision::Resize>(std::vector<int32_t>{12, 10}),
      std::make_shared<ds::vision::CenterCrop>(std::vector<int32_t>{8}),
      std::make_shared<ds::vision::Normalize>(std::vector<float>{120.0f, 110.0f, 100.0f},
                                              std::vector<float>{60.0f, 55.0f, 50.0f}),
      std::make_shared<ds::vision::HWC2CHW>()};
  ds::Execute preprocess(transforms);
  const mindspore::TensorPtr raw(mindspore::MSTensor::CreateTensorFromFile(argv[1]));
  if (raw == nullptr) return 1;
  mindspore::MSTensor picture;
  const mindspore::Status status = preprocess(*raw, &picture);
  if (status.IsError()) {
    std::cerr << status << "\n";
    return 2;
  }
  if (picture.Shape() != std::vector<int64_t>{3, 8, 8}) return 3;
  std::cout << std::hexfloat;
  for (const float value : mindspore::Span<float>(picture)) std::cout << value << " ";

  mindspore::MSTensor nothing;
  ds::Execute of_ascend(std::make_shared<ds::vision::DvppDecodePng>());
  if (of_ascend(*raw, &nothing) != mindspore::kMDNotImplementedYet) return 4;
  ds::Execute wrong(std::make_shared<ds::vision::Resize>(std::vector<int32_t>{-1, 2}));
  if (wrong(picture, &nothing) != mindspore::kMDSyntaxError) return 5;
  const float seven = 7.0f;
  const mindspore::MSTensor value("", mindspore::DataType::kNumberTypeFloat32, {}, &seven, 4);
  ds::Execute pad(std::make_shared<ds::transforms::PadEnd>(std::vector<int64_t>{-1, 10, 4}, value));
  mindspore::MSTensor padded;
  if (pad(picture, &padded).IsError() || padded.Shape() != std::vector<int64_t>{3, 10, 4}) return 7;
  const mindspore::Span<float> before(picture), after(padded);
  for (size_t i = 0; i < after.size(); ++i) {
    const size_t plane = i / 40, row = i / 4 % 10, column = i % 4;
    if (after[i] != (row < 8 ? before[plane * 64 + row * 8 + column] : seven)) return 8;
  }
  ds::Execute pad_rows(std::make_shared<ds::transforms::PadEnd>(std::vector<int64_t>{5}));
  if (pad_rows(picture, &padded).IsOk()) return 9;
  ds::vision::SwapRedBlue swap;
  ds::Execute by_reference{std::reference_wrapper<ds::TensorTransform>(swap)};
  ds::Execute by_pointer(&swap);
  const std::vector<mindspore::MSTensor> inputs = {*raw};
  std::vector<mindspore::MSTensor> outputs;
  return by_pointer(inputs, &outputs).IsError() ? 0 : 6;  // bytes of a file are no picture
}
