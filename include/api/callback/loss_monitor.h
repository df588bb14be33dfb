// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_API_CALLBACK_LOSS_MONITOR_H_
#define MINDSPORE_INCLUDE_API_CALLBACK_LOSS_MONITOR_H_

#include <climits>
#include <vector>

#include "include/api/callback/callback.h"

namespace mindspore {

class MS_API LossMonitor : public TrainCallBack {
 public:
  explicit LossMonitor(int print_every_n_steps = INT_MAX);
  virtual ~LossMonitor();
  const std::vector<GraphPoint>& GetLossPoints();  // always empty
};

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_CALLBACK_LOSS_MONITOR_H_
