// SPDX-License-Identifier: Apache-2.0
// Takes the address of what the headers declare and define elsewhere: this must link. Functions that the
// headers define themselves are kept by an option of the compiler.
#include <cstdio>

#include "include/api/allocator.h"
#include "include/api/callback/ckpt_saver.h"
#include "include/api/callback/loss_monitor.h"
#include "include/api/callback/lr_scheduler.h"
#include "include/api/callback/time_monitor.h"
#include "include/api/callback/train_accuracy.h"
#include "include/api/metrics/accuracy.h"
#include "include/api/model.h"
#include "include/api/model_group.h"
#include "include/api/model_parallel_runner.h"
#include "include/api/serialization.h"
#include "include/dataset/execute.h"
#include "include/dataset/vision.h"
#include "include/dataset/vision_ascend.h"

namespace {

using namespace mindspore;

int count = 0;
template <class T>
void Use(T method) {
  volatile auto kept = method;
  (void)kept;
  ++count;
}

void Small() {
  Use(&Status::IsOk);
  Use(&Status::IsError);
  Use(&Status::StatusCode);
  Use(&Status::GetLineOfCode);
  Use(&Status::OK);
  Use(static_cast<bool (Status::*)(const Status &) const>(&Status::operator==));
  Use(static_cast<bool (Status::*)(enum StatusCode) const>(&Status::operator!=));
  Use(&MSTensor::DestroyTensorPtr);
  Use(&MSTensor::DataType);
  Use(&MSTensor::Shape);
  Use(&MSTensor::ElementNum);
  Use(&MSTensor::Data);
  Use(&MSTensor::MutableData);
  Use(&MSTensor::DataSize);
  Use(&MSTensor::GetDeviceId);
  Use(&MSTensor::IsConst);
  Use(&MSTensor::IsDevice);
  Use(&MSTensor::Clone);
  Use(static_cast<bool (MSTensor::*)(std::nullptr_t) const>(&MSTensor::operator==));
  Use(static_cast<bool (MSTensor::*)(const MSTensor &) const>(&MSTensor::operator!=));
  Use(&MSTensor::SetShape);
  Use(&MSTensor::SetDataType);
  Use(&MSTensor::SetAllocator);
  Use(&MSTensor::allocator);
  Use(&MSTensor::SetFormat);
  Use(&MSTensor::format);
  Use(&MSTensor::SetData);
  Use(&MSTensor::SetDeviceData);
  Use(&MSTensor::GetDeviceData);
  Use(&MSTensor::QuantParams);
  Use(&MSTensor::SetQuantParams);
  Use(&Buffer::ResizeData);
  Use(&Buffer::SetData);
  Use(&Buffer::Clone);
  Use(&Graph::ModelType);
  Use(&GraphCell::SetContext);
  Use(&GraphCell::Run);
  Use(&GraphCell::GetInputs);
  Use(&GraphCell::GetOutputs);
  Use(&GraphCell::Load);
  Use(&CellBase::operator());
  Use(&Allocator::Create);
}

void Settings() {
  Use(&Context::MutableDeviceInfo);
  Use(&Context::SetThreadNum);
  Use(&Context::GetThreadNum);
  Use(static_cast<void (Context::*)(int)>(&Context::SetThreadAffinity));
  Use(static_cast<void (Context::*)(const std::vector<int> &)>(&Context::SetThreadAffinity));
  Use(&Context::GetThreadAffinityMode);
  Use(&Context::GetThreadAffinityCoreList);
  Use(&Context::SetEnableParallel);
  Use(&Context::GetEnableParallel);
  Use(&Context::SetInterOpParallelNum);
  Use(&Context::GetInterOpParallelNum);
  Use(&Context::SetBuiltInDelegate);
  Use(&Context::GetBuiltInDelegate);
  Use(&Context::set_delegate);
  Use(&Context::get_delegate);
  Use(&Context::SetDelegate);
  Use(&Context::GetDelegate);
  Use(&Context::SetMultiModalHW);
  Use(&Context::GetMultiModalHW);
  Use(&DeviceInfoContext::SetAllocator);
  Use(&DeviceInfoContext::GetAllocator);
  Use(&CPUDeviceInfo::SetEnableFP16);
  Use(&KirinNPUDeviceInfo::SetFrequency);
  Use(&GPUDeviceInfo::SetDeviceID);
  Use(&GPUDeviceInfo::GetRankID);
  Use(&GPUDeviceInfo::GetGroupSize);
  Use(&GPUDeviceInfo::SetEnableGLTexture);
  Use(&GPUDeviceInfo::SetGLContext);
  Use(&GPUDeviceInfo::GetGLDisplay);
  Use(&AscendDeviceInfo::SetRankID);
  Use(&AscendDeviceInfo::SetInputShapeMap);
  Use(&AscendDeviceInfo::SetDynamicBatchSize);
  Use(&AscendDeviceInfo::SetOutputType);
  Use(&RunnerConfig::SetWorkersNum);
  Use(&RunnerConfig::SetContext);
  Use(&RunnerConfig::GetContext);
  Use(&RunnerConfig::SetDeviceIds);
  Use(&RunnerConfig::GetDeviceIds);
}

void Models() {
  using Tensors = std::vector<MSTensor>;
  using CallBack = const MSKernelCallBack &;
  Use(static_cast<Status (Model::*)(GraphCell, const std::shared_ptr<Context> &,
                                    const std::shared_ptr<TrainCfg> &)>(&Model::Build));
  Use(static_cast<Status (Model::*)(const void *, size_t, ModelType,
                                    const std::shared_ptr<Context> &)>(&Model::Build));
  Use(static_cast<Status (Model::*)(const Tensors &, Tensors *, CallBack, CallBack)>(
      &Model::Predict));
  Use(static_cast<Status (Model::*)(CallBack, CallBack)>(&Model::Predict));
  Use(static_cast<Status (Model::*)(const Tensors &)>(&Model::UpdateWeights));
  Use(static_cast<Status (Model::*)(const std::vector<Tensors> &)>(&Model::UpdateWeights));
  Use(&Model::CheckModelSupport);
  Use(&Model::Resize);
  Use(&Model::GetInputs);
  Use(&Model::GetOutputs);
  Use(&Model::HasPreprocess);
  Use(&Model::Preprocess);
  Use(&Model::PredictWithPreprocess);
  Use(&Model::Finalize);
  Use(&Model::RunStep);
  Use(&Model::BuildTransferLearning);
  Use(&Model::GetGradients);
  Use(&Model::ApplyGradients);
  Use(&Model::GetFeatureMaps);
  Use(&Model::UpdateFeatureMaps);
  Use(&Model::GetTrainableParams);
  Use(&Model::GetOptimizerParams);
  Use(&Model::SetOptimizerParams);
  Use(&Model::SetupVirtualBatch);
  Use(&Model::SetLearningRate);
  Use(&Model::GetLearningRate);
  Use(&Model::InitMetrics);
  Use(&Model::GetMetrics);
  Use(&Model::SetTrainMode);
  Use(&Model::GetTrainMode);
  Use(&Model::Train);
  Use(&Model::Evaluate);
  Use(&ModelParallelRunner::GetInputs);
  Use(&ModelParallelRunner::GetOutputs);
  Use(&ModelParallelRunner::Predict);
  Use(&ModelGroup::CalMaxSizeOfWorkspace);
  Use(static_cast<Status (ModelGroup::*)(const std::vector<Model> &)>(&ModelGroup::AddModel));
  Use(static_cast<int (*)(float *, int, void *)>(&MultiplicativeLRLambda));
}

void Classes() {
  const LossMonitor loss;
  const LRScheduler scheduler(MultiplicativeLRLambda);
  const TimeMonitor time;
  const TrainAccuracy accuracy;
  const AccuracyMetrics metrics;
  const CkptSaver saver(1, "prefix");
  const AutoDeviceInfo best;
  const Key key("0123456789ABCDEF", 16);
  namespace ds = mindspore::dataset;
  const ds::vision::Affine affine(10.0f);
  const ds::vision::Crop crop({0, 0}, {2, 2});
  const ds::vision::GaussianBlur blur({3});
  const ds::vision::Pad pad({1});
  const ds::vision::Rescale rescale(1.0f, 0.0f);
  const ds::vision::RGB2BGR bgr;
  const ds::vision::RGB2GRAY gray;
  const ds::vision::Rotate rotate(90.0f);
  const ds::vision::Rotate turned;
  const ds::vision::Equalize equalize;
  const ds::vision::HorizontalFlip horizontal;
  const ds::vision::VerticalFlip vertical;
  const ds::vision::Invert invert;
  const ds::vision::DvppDecodeResizeJpeg jpeg({2, 2});
  const ds::vision::DvppDecodeResizeCropJpeg cropped({2, 2}, {2, 2});
  const ds::vision::DvppDecodeVideo video({2, 2}, ds::VdecStreamFormat::kH264MainLevel);
  const ds::transforms::TypeCast cast(DataType::kNumberTypeFloat32);
  const ds::transforms::OneHot one_hot(3);
  const ds::transforms::PadEnd pad_end({3, -1});
  const ds::transforms::Duplicate twice;
  const ds::transforms::Compose both({std::make_shared<ds::vision::HWC2CHW>()});
  Use(&ds::Execute::DeviceMemoryRelease);
}

}  // namespace

int main() {
  Small();
  Settings();
  Models();
  Classes();
  std::printf("%d\n", count);
  return 0;
}
