// SPDX-License-Identifier: Apache-2.0
// Training on small devices and what belongs to it: declared for programs that name it, and
// refused.
#include "api/boundary.h"
#include "include/api/allocator.h"
#include "include/api/callback/ckpt_saver.h"
#include "include/api/callback/loss_monitor.h"
#include "include/api/callback/lr_scheduler.h"
#include "include/api/callback/time_monitor.h"
#include "include/api/callback/train_accuracy.h"
#include "include/api/metrics/accuracy.h"
#include "include/api/model.h"

namespace mindspore {

namespace {

Status not_supported(std::string_view operation) {
  return mycel::api::failure(kMCFailed, operation, "not supported; models are trained in Python");
}

// Never freed: nothing is left to do when a program ends.
const std::vector<GraphPoint>& no_points() {
  static const auto& none = *new std::vector<GraphPoint>();
  return none;
}

}  // namespace

Status Model::Predict(const MSKernelCallBack& /*before*/, const MSKernelCallBack& /*after*/) {
  return not_supported("Model::Predict");
}
Status Model::RunStep(const MSKernelCallBack& /*before*/, const MSKernelCallBack& /*after*/) {
  return not_supported("Model::RunStep");
}
Status Model::UpdateWeights(const std::vector<MSTensor>& /*new_weights*/) {
  return not_supported("Model::UpdateWeights");
}
Status Model::UpdateWeights(const std::vector<std::vector<MSTensor>>& /*new_weights*/) {
  return not_supported("Model::UpdateWeights");
}
Status Model::BuildTransferLearning(GraphCell /*backbone*/, GraphCell /*head*/,
                                    const std::shared_ptr<Context>& /*context*/,
                                    const std::shared_ptr<TrainCfg>& /*train_cfg*/) {
  return not_supported("Model::BuildTransferLearning");
}
Status Model::ApplyGradients(const std::vector<MSTensor>& /*gradients*/) {
  return not_supported("Model::ApplyGradients");
}
Status Model::UpdateFeatureMaps(const std::vector<MSTensor>& /*new_weights*/) {
  return not_supported("Model::UpdateFeatureMaps");
}
Status Model::SetOptimizerParams(const std::vector<MSTensor>& /*params*/) {
  return not_supported("Model::SetOptimizerParams");
}
Status Model::SetupVirtualBatch(int /*virtual_batch_multiplier*/, float /*lr*/,
                                float /*momentum*/) {
  return not_supported("Model::SetupVirtualBatch");
}
Status Model::SetLearningRate(float /*learning_rate*/) {
  return not_supported("Model::SetLearningRate");
}
Status Model::InitMetrics(std::vector<Metrics*> /*metrics*/) {
  return not_supported("Model::InitMetrics");
}
Status Model::BindGLTexture2DMemory(
    const std::map<std::vector<char>, unsigned int>& /*inputGLTexture*/,
    std::map<std::vector<char>, unsigned int>* /*outputGLTexture*/) {
  return not_supported("Model::BindGLTexture2DMemory");
}
Status Model::SetTrainMode(bool /*train*/) { return not_supported("Model::SetTrainMode"); }
Status Model::Train(int /*epochs*/, std::shared_ptr<dataset::Dataset> /*ds*/,
                    std::vector<TrainCallBack*> /*cbs*/) {
  return not_supported("Model::Train");
}
Status Model::Evaluate(std::shared_ptr<dataset::Dataset> /*ds*/,
                       std::vector<TrainCallBack*> /*cbs*/) {
  return not_supported("Model::Evaluate");
}

std::vector<MSTensor> Model::GetGradients() const { return {}; }
std::vector<MSTensor> Model::GetFeatureMaps() const { return {}; }
std::vector<MSTensor> Model::GetTrainableParams() const { return {}; }
std::vector<MSTensor> Model::GetOptimizerParams() const { return {}; }
float Model::GetLearningRate() { return 0; }
std::vector<Metrics*> Model::GetMetrics() { return {}; }
bool Model::GetTrainMode() const { return false; }

CkptSaver::CkptSaver(int /*save_every_n*/, const std::vector<char>& /*filename_prefix*/) {}
CkptSaver::~CkptSaver() = default;
LossMonitor::LossMonitor(int /*print_every_n_steps*/) {}
LossMonitor::~LossMonitor() = default;
const std::vector<GraphPoint>& LossMonitor::GetLossPoints() { return no_points(); }
LRScheduler::LRScheduler(LR_Lambda /*lambda_func*/, void* /*lr_cb_data*/, int /*step*/) {}
LRScheduler::~LRScheduler() = default;
void TimeMonitor::EpochBegin(const TrainCallBackData& /*cb_data*/) {}
CallbackRetValue TimeMonitor::EpochEnd(const TrainCallBackData& /*cb_data*/) { return kContinue; }
TrainAccuracy::TrainAccuracy(int /*print_every_n*/, int /*accuracy_metrics*/,
                             const std::vector<int>& /*input_indexes*/,
                             const std::vector<int>& /*output_indexes*/) {}
TrainAccuracy::~TrainAccuracy() = default;
const std::vector<GraphPoint>& TrainAccuracy::GetAccuracyPoints() { return no_points(); }
AccuracyMetrics::AccuracyMetrics(int /*accuracy_metrics*/,
                                 const std::vector<int>& /*input_indexes*/,
                                 const std::vector<int>& /*output_indexes*/) {}
AccuracyMetrics::~AccuracyMetrics() = default;
void AccuracyMetrics::Clear() {}
float AccuracyMetrics::Eval() { return 0; }

int MultiplicativeLRLambda(float* lr, int /*epoch*/, void* multiplication) {
  if (lr == nullptr || multiplication == nullptr) return DONT_UPDATE_LR;
  *lr *= *static_cast<const float*>(multiplication);
  return UPDATE_LR;
}

int StepLRLambda(float* lr, int epoch, void* step_size) {
  if (lr == nullptr || step_size == nullptr) return DONT_UPDATE_LR;
  const auto& decay = *static_cast<const struct StepLRLambda*>(step_size);
  if (decay.step_size <= 0 || (epoch + 1) % decay.step_size != 0) return DONT_UPDATE_LR;
  *lr *= decay.gamma;
  return UPDATE_LR;
}

std::shared_ptr<Allocator> Allocator::Create() { return nullptr; }

}  // namespace mindspore
