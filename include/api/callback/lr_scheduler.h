// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_API_CALLBACK_LR_SCHEDULER_H_
#define MINDSPORE_INCLUDE_API_CALLBACK_LR_SCHEDULER_H_

#include <functional>

#include "include/api/callback/callback.h"

namespace mindspore {

constexpr int DONT_UPDATE_LR = 0;
constexpr int UPDATE_LR = 1;

// Changes *lr for an epoch; UPDATE_LR when it did.
using LR_Lambda = std::function<int(float* lr, int epoch, void* cb_data)>;

// Multiplies by the float that `multiplication` points to.
MS_API int MultiplicativeLRLambda(float* lr, int epoch, void* multiplication);
// Multiplies by gamma after every so many epochs; `step_size` points to a struct StepLRLambda.
MS_API int StepLRLambda(float* lr, int epoch, void* step_size);
struct MS_API StepLRLambda {
  StepLRLambda(int step, float g) : step_size(step), gamma(g) {}
  int step_size;
  float gamma;
};

class MS_API LRScheduler : public TrainCallBack {
 public:
  explicit LRScheduler(LR_Lambda lambda_func, void* lr_cb_data = nullptr, int step = 1);
  virtual ~LRScheduler();
};

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_CALLBACK_LR_SCHEDULER_H_
