// SPDX-License-Identifier: Apache-2.0
// Callbacks of training on small devices. `Model::Train` is not supported, so nobody calls them.
#ifndef MINDSPORE_INCLUDE_API_CALLBACK_CALLBACK_H_
#define MINDSPORE_INCLUDE_API_CALLBACK_CALLBACK_H_

#include <cstdint>
#include <utility>

#include "include/api/types.h"

namespace mindspore {

class CallbackImpl;
class Model;
class ModelImpl;

using GraphPoint = std::pair<int, float>;

struct MS_API TrainCallBackData {
  TrainCallBackData(bool train_mode, int epoch, int step, Model* model)
      : train_mode_(train_mode),
        epoch_(static_cast<unsigned int>(epoch)),
        step_(static_cast<unsigned int>(step)),
        model_(model) {}
  bool train_mode_;
  unsigned int epoch_;
  unsigned int step_ = 0;
  Model* model_;
};

enum CallbackRetValue : uint32_t {
  kContinue = 0,
  kStopTraining = 1,
  kExit = 2,
  kUnknownRetValue = 0xFFFFFFFF,
};

class MS_API TrainCallBack {
 public:
  virtual ~TrainCallBack() = default;
  virtual void Begin(const TrainCallBackData& /*cb_data*/) {}
  virtual void End(const TrainCallBackData& /*cb_data*/) {}
  virtual void EpochBegin(const TrainCallBackData& /*cb_data*/) {}
  virtual CallbackRetValue EpochEnd(const TrainCallBackData& /*cb_data*/) { return kContinue; }
  virtual void StepBegin(const TrainCallBackData& /*cb_data*/) {}
  virtual void StepEnd(const TrainCallBackData& /*cb_data*/) {}

 protected:
  friend class Model;
  friend class ModelImpl;
  CallbackImpl* callback_impl_ = nullptr;
};

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_CALLBACK_CALLBACK_H_
