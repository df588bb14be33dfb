// SPDX-License-Identifier: Apache-2.0
// Settings of training on small devices: plain data, so that programs that name them compile.
#ifndef MINDSPORE_INCLUDE_API_CFG_H_
#define MINDSPORE_INCLUDE_API_CFG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "include/api/data_type.h"
#include "include/api/dual_abi_helper.h"
#include "include/api/types.h"

namespace mindspore {

constexpr int iter_th = 1000;

class MS_API MixPrecisionCfg {
 public:
  bool dynamic_loss_scale_ = false;
  float loss_scale_ = 128.0f;
  bool keep_batchnorm_fp32_ = true;
  uint32_t num_of_not_nan_iter_th_ = iter_th;
  bool is_raw_mix_precision_ = false;
};

class MS_API TrainCfg {
 public:
  inline std::vector<std::string> GetLossName() const;
  inline void SetLossName(const std::vector<std::string>& loss_name);

  OptimizationLevel optimization_level_ = kO0;
  MixPrecisionCfg mix_precision_cfg_;
  bool accumulate_gradients_ = false;

 private:
  std::vector<std::vector<char>> loss_name_ =
      VectorStringToChar({"loss_fct", "_loss_fn", "SigmoidCrossEntropy"});
};

std::vector<std::string> TrainCfg::GetLossName() const { return VectorCharToString(loss_name_); }
void TrainCfg::SetLossName(const std::vector<std::string>& loss_name) {
  loss_name_ = VectorStringToChar(loss_name);
}

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_CFG_H_
