// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_DATASET_VISION_LITE_H_
#define MINDSPORE_INCLUDE_DATASET_VISION_LITE_H_

#include <cstdint>
#include <vector>

#include "include/api/status.h"
#include "include/dataset/constants.h"
#include "include/dataset/transforms.h"

namespace mindspore {
namespace dataset {
namespace vision {

// Turns, moves, scales and shears a picture about its middle.
class DATASET_API Affine final : public TensorTransform {
 public:
  explicit Affine(float degrees, const std::vector<float>& translation = {0.0f, 0.0f},
                  float scale = 1.0f, const std::vector<float>& shear = {0.0f, 0.0f},
                  InterpolationMode interpolation = InterpolationMode::kNearestNeighbour,
                  const std::vector<uint8_t>& fill_value = {0, 0, 0});
};

class DATASET_API CenterCrop final : public TensorTransform {
 public:
  explicit CenterCrop(const std::vector<int32_t>& size);  // {edge} or {height, width}
};

class DATASET_API Crop final : public TensorTransform {
 public:
  Crop(const std::vector<int32_t>& coordinates, const std::vector<int32_t>& size);
};

// The pixels of a compressed picture: JPEG, PNG, BMP and others.
class DATASET_API Decode final : public TensorTransform {
 public:
  explicit Decode(bool rgb = true);
};

class DATASET_API GaussianBlur final : public TensorTransform {
 public:
  explicit GaussianBlur(const std::vector<int32_t>& kernel_size,
                        const std::vector<float>& sigma = {0.0f, 0.0f});
};

class DATASET_API HWC2CHW final : public TensorTransform {
 public:
  HWC2CHW();
};

// (pixel - mean) / std, channel by channel, as float32.
class DATASET_API Normalize final : public TensorTransform {
 public:
  Normalize(const std::vector<float>& mean, const std::vector<float>& std, bool is_hwc = true);
};

class DATASET_API Pad final : public TensorTransform {
 public:
  // {all}, {left and right, top and bottom} or {left, top, right, bottom}
  explicit Pad(const std::vector<int32_t>& padding, const std::vector<uint8_t>& fill_value = {0},
               BorderType padding_mode = BorderType::kConstant);
};

// pixel * rescale + shift, as float32.
class DATASET_API Rescale final : public TensorTransform {
 public:
  Rescale(float rescale, float shift);
};

// {height, width}, or {shorter edge}: the other one follows.
class DATASET_API Resize final : public TensorTransform {
 public:
  explicit Resize(const std::vector<int32_t>& size,
                  InterpolationMode interpolation = InterpolationMode::kLinear);
};

class DATASET_API RGB2BGR final : public TensorTransform {
 public:
  RGB2BGR();
};

class DATASET_API RGB2GRAY final : public TensorTransform {
 public:
  RGB2GRAY();
};

class DATASET_API Rotate final : public TensorTransform {
 public:
  explicit Rotate(FixRotationAngle angle_id = FixRotationAngle::k0Degree);  // not supported
  explicit Rotate(float degrees, InterpolationMode resample = InterpolationMode::kNearestNeighbour,
                  bool expand = false, const std::vector<float>& center = {},
                  const std::vector<uint8_t>& fill_value = {0, 0, 0});
};

class DATASET_API SwapRedBlue final : public TensorTransform {
 public:
  SwapRedBlue();
};

}  // namespace vision
}  // namespace dataset
}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_DATASET_VISION_LITE_H_
