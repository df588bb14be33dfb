// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_DATASET_CONSTANTS_H_
#define MINDSPORE_INCLUDE_DATASET_CONSTANTS_H_

#include <cstdint>

#include "include/api/types.h"

namespace mindspore {
namespace dataset {

using uchar = unsigned char;
using dsize_t = int64_t;

enum class MapTargetDevice { kCpu = 0, kGpu = 1, kAscend310 = 2, kAscend910B = 3, kInvalid = 100 };

enum class InterpolationMode {
  kLinear = 0,
  kNearestNeighbour = 1,
  kCubic = 2,
  kArea = 3,
  kCubicPil = 4,
};

// What is around a picture: one colour, its edge, or the picture mirrored without or with its edge.
enum class BorderType { kConstant = 0, kEdge = 1, kReflect = 2, kSymmetric = 3 };

// As cameras note how they were held.
enum class FixRotationAngle {
  k0Degree = 1,
  k0DegreeAndMirror = 2,
  k180Degree = 3,
  k180DegreeAndMirror = 4,
  k90DegreeAndMirror = 5,
  k90Degree = 6,
  k270DegreeAndMirror = 7,
  k270Degree = 8,
};

enum class ImageFormat { HWC = 0, CHW = 1, HW = 2 };

// Of videos on Ascend devices.
enum class VdecOutputFormat { kYuvSemiplanar420 = 1, kYvuSemiplanar420 = 2 };
enum class VdecStreamFormat {
  kH265MainLevel = 0,
  kH264BaselineLevel = 1,
  kH264MainLevel = 2,
  kH264HighLevel = 3,
};

}  // namespace dataset
}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_DATASET_CONSTANTS_H_
