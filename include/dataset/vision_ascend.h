// SPDX-License-Identifier: Apache-2.0
// Transforms of Ascend devices: declared for programs that name them; running one fails with
// kMDNotImplementedYet.
#ifndef MINDSPORE_INCLUDE_DATASET_VISION_ASCEND_H_
#define MINDSPORE_INCLUDE_DATASET_VISION_ASCEND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "include/api/status.h"
#include "include/dataset/constants.h"
#include "include/dataset/transforms.h"

namespace mindspore {
namespace dataset {
namespace vision {

class DATASET_API DvppDecodeResizeJpeg final : public TensorTransform {
 public:
  explicit DvppDecodeResizeJpeg(const std::vector<uint32_t>& resize);
};

class DATASET_API DvppDecodeResizeCropJpeg final : public TensorTransform {
 public:
  DvppDecodeResizeCropJpeg(const std::vector<uint32_t>& crop, const std::vector<uint32_t>& resize);
};

class DATASET_API DvppDecodeVideo final : public TensorTransform {
 public:
  DvppDecodeVideo(const std::vector<uint32_t>& size, VdecStreamFormat type,
                  VdecOutputFormat out_format = VdecOutputFormat::kYuvSemiplanar420,
                  const std::string& output = "./output")
      : DvppDecodeVideo(size, type, out_format, StringToChar(output)) {}
  DvppDecodeVideo(const std::vector<uint32_t>& size, VdecStreamFormat type,
                  const std::string& output)
      : DvppDecodeVideo(size, type, VdecOutputFormat::kYuvSemiplanar420, StringToChar(output)) {}
  DvppDecodeVideo(const std::vector<uint32_t>& size, VdecStreamFormat type,
                  VdecOutputFormat out_format, const std::vector<char>& output);
};

class DATASET_API DvppDecodePng final : public TensorTransform {
 public:
  DvppDecodePng();
};

}  // namespace vision
}  // namespace dataset
}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_DATASET_VISION_ASCEND_H_
