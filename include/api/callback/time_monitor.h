// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_API_CALLBACK_TIME_MONITOR_H_
#define MINDSPORE_INCLUDE_API_CALLBACK_TIME_MONITOR_H_

#include "include/api/callback/callback.h"

namespace mindspore {

class MS_API TimeMonitor : public TrainCallBack {
 public:
  virtual ~TimeMonitor() = default;
  void EpochBegin(const TrainCallBackData& cb_data) override;
  CallbackRetValue EpochEnd(const TrainCallBackData& cb_data) override;
};

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_CALLBACK_TIME_MONITOR_H_
