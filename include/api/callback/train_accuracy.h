// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_API_CALLBACK_TRAIN_ACCURACY_H_
#define MINDSPORE_INCLUDE_API_CALLBACK_TRAIN_ACCURACY_H_

#include <climits>
#include <vector>

#include "include/api/callback/callback.h"
#include "include/api/metrics/accuracy.h"

namespace mindspore {

class MS_API TrainAccuracy : public TrainCallBack {
 public:
  explicit TrainAccuracy(int print_every_n = INT_MAX, int accuracy_metrics = METRICS_CLASSIFICATION,
                         const std::vector<int>& input_indexes = {1},
                         const std::vector<int>& output_indexes = {0});
  virtual ~TrainAccuracy();
  const std::vector<GraphPoint>& GetAccuracyPoints();  // always empty
};

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_CALLBACK_TRAIN_ACCURACY_H_
