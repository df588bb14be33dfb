// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_DATASET_VISION_H_
#define MINDSPORE_INCLUDE_DATASET_VISION_H_

#include <cstdint>
#include <vector>

#include "include/dataset/vision_lite.h"

namespace mindspore {
namespace dataset {
namespace vision {

class DATASET_API Equalize final : public TensorTransform {
 public:
  Equalize();
};

class DATASET_API HorizontalFlip final : public TensorTransform {
 public:
  HorizontalFlip();
};

class DATASET_API Invert final : public TensorTransform {
 public:
  Invert();
};

class DATASET_API VerticalFlip final : public TensorTransform {
 public:
  VerticalFlip();
};

}  // namespace vision
}  // namespace dataset
}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_DATASET_VISION_H_
