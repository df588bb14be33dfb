// SPDX-License-Identifier: Apache-2.0
#include "include/api/model_parallel_runner.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "api/boundary.h"
#include "api/worker_gate.h"
#include "include/api/model.h"
#include "platform/log/log.h"
#include "platform/thread/parallel_for.h"

namespace mindspore {

using mycel::api::failure;
using mycel::api::WorkerGate;

struct RunnerConfig::Data {
  int32_t workers = 0;
  std::shared_ptr<Context> context;
  std::vector<uint32_t> device_ids;
  std::map<std::vector<char>, std::map<std::vector<char>, std::vector<char>>> sections;
  std::vector<char> path;
};

namespace {

constexpr std::size_t kMostWaiting = 1000;
constexpr std::size_t kMostSections = 100;
constexpr std::size_t kMostKeys = 1000;

}  // namespace

RunnerConfig::RunnerConfig() : data_(std::make_shared<Data>()) {}
RunnerConfig::~RunnerConfig() = default;
void RunnerConfig::SetWorkersNum(int32_t workers_num) { data_->workers = workers_num; }
int32_t RunnerConfig::GetWorkersNum() const { return data_->workers; }
void RunnerConfig::SetContext(const std::shared_ptr<Context>& context) {
  if (context) data_->context = context;
}
std::shared_ptr<Context> RunnerConfig::GetContext() const { return data_->context; }
void RunnerConfig::SetDeviceIds(const std::vector<uint32_t>& device_ids) {
  data_->device_ids = device_ids;
}
std::vector<uint32_t> RunnerConfig::GetDeviceIds() const { return data_->device_ids; }
void RunnerConfig::SetConfigInfo(const std::vector<char>& section,
                                 const std::map<std::vector<char>, std::vector<char>>& config) {
  const bool is_new = data_->sections.count(section) == 0;
  if ((is_new && data_->sections.size() >= kMostSections) || config.size() > kMostKeys) {
    mycel::platform::log_warning("RunnerConfig::SetConfigInfo: section '", CharToString(section),
                                 "' is ignored; there may be ", kMostSections, " sections of ",
                                 kMostKeys, " keys");
    return;
  }
  data_->sections[section] = config;
}
std::map<std::vector<char>, std::map<std::vector<char>, std::vector<char>>>
RunnerConfig::GetConfigInfoChar() const {
  return data_->sections;
}
void RunnerConfig::SetConfigPath(const std::vector<char>& config_path) {
  data_->path = config_path;
}
std::vector<char> RunnerConfig::GetConfigPathChar() const { return data_->path; }

// Callers compute on their own threads: a model is safe for any number of them, and handing a call
// over to another thread would only cost time.
class ModelParallelRunnerImpl {
 public:
  template <class Build>
  Status init(const std::shared_ptr<RunnerConfig>& config, const Build& build) {
    const std::lock_guard lock(mutex_);
    if (gate_) return {};
    std::shared_ptr<Context> context = config ? config->GetContext() : nullptr;
    if (!context) {
      context = std::make_shared<Context>();
      context->MutableDeviceInfo().push_back(std::make_shared<CPUDeviceInfo>());
    }
    const Status status = build(model_, context);
    if (status.IsError()) return Status(kLiteError, status.ToString());
    const int wanted = config ? config->GetWorkersNum() : 0;
    if (wanted < 0)
      return failure(
          kLiteError, "ModelParallelRunner::Init",
          mycel::platform::join("the number of workers must not be negative, but got ", wanted));
    const int cores = mycel::platform::compute_threads();
    const int threads = std::max(1, context->GetThreadNum());
    gate_ = std::make_shared<WorkerGate>(
        static_cast<std::size_t>(wanted > 0 ? wanted : std::max(1, cores / threads)), kMostWaiting);
    return {};
  }

  std::shared_ptr<WorkerGate> gate() const {
    const std::lock_guard lock(mutex_);
    return gate_;
  }
  Model& model() { return model_; }

 private:
  mutable std::mutex mutex_;          // guards gate_, and the making of model_
  std::shared_ptr<WorkerGate> gate_;  // null: not initialised
  Model model_;
};

ModelParallelRunner::ModelParallelRunner()
    : model_parallel_runner_impl_(std::make_shared<ModelParallelRunnerImpl>()) {}
ModelParallelRunner::~ModelParallelRunner() = default;

Status ModelParallelRunner::Init(const std::vector<char>& model_path,
                                 const std::shared_ptr<RunnerConfig>& runner_config) {
  return model_parallel_runner_impl_->init(
      runner_config, [&](Model& model, const std::shared_ptr<Context>& context) {
        const std::string path = CharToString(model_path);
        return model.Build(path, path.ends_with(".onnx") ? kONNX : kMindIR, context);
      });
}

Status ModelParallelRunner::Init(const void* model_data, const size_t data_size,
                                 const std::shared_ptr<RunnerConfig>& runner_config) {
  return model_parallel_runner_impl_->init(
      runner_config, [&](Model& model, const std::shared_ptr<Context>& context) {
        return model.Build(model_data, data_size, kMindIR, context);
      });
}

std::vector<MSTensor> ModelParallelRunner::GetInputs() {
  return model_parallel_runner_impl_->model().GetInputs();
}

std::vector<MSTensor> ModelParallelRunner::GetOutputs() {
  return model_parallel_runner_impl_->model().GetOutputs();
}

Status ModelParallelRunner::Predict(const std::vector<MSTensor>& inputs,
                                    std::vector<MSTensor>* outputs, const MSKernelCallBack& before,
                                    const MSKernelCallBack& after) {
  constexpr std::string_view kOperation = "ModelParallelRunner::Predict";
  const std::shared_ptr<WorkerGate> gate = model_parallel_runner_impl_->gate();
  if (!gate) return failure(kLiteNullptr, kOperation, "not initialised; call Init first");
  if (outputs == nullptr) return failure(kLiteNullptr, kOperation, "the list for results is null");
  if (inputs.empty()) return failure(kLiteError, kOperation, "there are no inputs");
  if (!gate->enter())
    return failure(kLiteServiceDeny, kOperation,
                   mycel::platform::join(kMostWaiting, " calls wait already"));
  const Status status =
      model_parallel_runner_impl_->model().Predict(inputs, outputs, before, after);
  gate->leave();
  return status;
}

}  // namespace mindspore
