// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_DATASET_EXECUTE_H_
#define MINDSPORE_INCLUDE_DATASET_EXECUTE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "include/api/context.h"
#include "include/api/types.h"
#include "include/dataset/constants.h"
#include "include/dataset/transforms.h"

namespace mindspore {
namespace dataset {

// Runs transforms on tensors, one after the other, on the CPU. Any number of threads may use one.
class DATASET_API Execute {
 public:
  explicit Execute(const std::shared_ptr<TensorOperation>& op,
                   MapTargetDevice device_type = MapTargetDevice::kCpu, uint32_t device_id = 0);
  explicit Execute(const std::shared_ptr<TensorTransform>& op,
                   MapTargetDevice device_type = MapTargetDevice::kCpu, uint32_t device_id = 0);
  explicit Execute(const std::reference_wrapper<TensorTransform>& op,
                   MapTargetDevice device_type = MapTargetDevice::kCpu, uint32_t device_id = 0);
  explicit Execute(TensorTransform* op, MapTargetDevice device_type = MapTargetDevice::kCpu,
                   uint32_t device_id = 0);
  explicit Execute(const std::vector<std::shared_ptr<TensorOperation>>& ops,
                   MapTargetDevice device_type = MapTargetDevice::kCpu, uint32_t device_id = 0);
  explicit Execute(const std::vector<std::shared_ptr<TensorTransform>>& ops,
                   MapTargetDevice device_type = MapTargetDevice::kCpu, uint32_t device_id = 0);
  explicit Execute(const std::vector<std::reference_wrapper<TensorTransform>>& ops,
                   MapTargetDevice device_type = MapTargetDevice::kCpu, uint32_t device_id = 0);
  explicit Execute(const std::vector<TensorTransform*>& ops,
                   MapTargetDevice device_type = MapTargetDevice::kCpu, uint32_t device_id = 0);
  ~Execute();

  Status operator()(const mindspore::MSTensor& input, mindspore::MSTensor* output);
  // Each of them for itself.
  Status operator()(const std::vector<mindspore::MSTensor>& input_tensor_list,
                    std::vector<mindspore::MSTensor>* out);

  // Of Ascend devices: nothing to do, nothing to tell.
  Status DeviceMemoryRelease();
  inline std::string AippCfgGenerator();

 private:
  std::vector<char> AippCfgGeneratorChar();
  struct Data;
  std::shared_ptr<Data> data_;
};

std::string Execute::AippCfgGenerator() { return CharToString(AippCfgGeneratorChar()); }

}  // namespace dataset
}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_DATASET_EXECUTE_H_
