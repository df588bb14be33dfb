// SPDX-License-Identifier: Apache-2.0
#include "include/api/model.h"

#include <filesystem>
#include <fstream>

#include "api/boundary.h"
#include "api/device_choice.h"
#include "api/graph_data.h"
#include "api/load_program.h"
#include "api/model_impl.h"
#include "include/api/serialization.h"
#include "platform/log/log.h"

namespace mindspore {

using mycel::api::BuiltModel;
using mycel::api::guarded;
using mycel::api::guarded_value;
using mycel::api::require;

std::shared_ptr<const mycel::api::ProgramSource> ModelImpl::source_of(const GraphCell& cell) {
  const std::shared_ptr<Graph>& graph = cell.GetGraph();
  if (graph == nullptr || *graph == nullptr) return nullptr;
  return graph->graph_data_->source;
}

namespace {

std::vector<MSTensor> tensors_named(const std::vector<MSTensor>& tensors, const std::string& name) {
  std::vector<MSTensor> found;
  for (const MSTensor& tensor : tensors) {
    if (tensor.Name() == name) found.push_back(tensor);
  }
  return found;
}

void warn_of_callbacks(const MSKernelCallBack& before, const MSKernelCallBack& after) {
  if (before || after)
    mycel::platform::log_warning(
        "Model::Predict: functions to be called around operators are never called in this release");
}

MSTensor first_or_null(const std::vector<MSTensor>& tensors) {
  return tensors.empty() ? MSTensor(nullptr) : tensors.front();
}

}  // namespace

Model::Model() : impl_(std::make_shared<ModelImpl>()) {}
Model::~Model() = default;
Model::Model(const Model& other) : impl_(std::make_shared<ModelImpl>(other.impl_->built())) {}
Model& Model::operator=(const Model& other) {
  if (this != &other) impl_->set(other.impl_->built());
  return *this;
}

Status Model::Build(GraphCell graph, const std::shared_ptr<Context>& model_context,
                    const std::shared_ptr<TrainCfg>& /*train_cfg*/) {
  return guarded(kMCFailed, "Model::Build", [&] {
    mycel::api::start_log();
    auto source = ModelImpl::source_of(graph);
    require(source != nullptr, kMCInvalidInput, "the graph is null");
    require(model_context != nullptr, kMCInvalidInput, "the context is null");
    mycel::api::Target target = mycel::api::choose_target(*model_context);
    impl_->set(std::make_shared<BuiltModel>(std::move(source), std::move(target)));
  });
}

Status Model::Build(const void* model_data, size_t data_size, ModelType model_type,
                    const std::shared_ptr<Context>& model_context) {
  return Build(model_data, data_size, model_type, model_context, Key(),
               StringToChar(kDecModeAesGcm), {});
}

Status Model::Build(const std::vector<char>& model_path, ModelType model_type,
                    const std::shared_ptr<Context>& model_context) {
  return Build(model_path, model_type, model_context, Key(), StringToChar(kDecModeAesGcm), {});
}

Status Model::Build(const void* model_data, size_t data_size, ModelType model_type,
                    const std::shared_ptr<Context>& model_context, const Key& dec_key,
                    const std::vector<char>& dec_mode,
                    const std::vector<char>& /*crypto_lib_path*/) {
  Graph graph;
  const Status status = Serialization::Load(model_data, data_size, model_type, &graph, dec_key,
                                            CharToString(dec_mode));
  return status.IsOk() ? Build(GraphCell(graph), model_context) : status;
}

Status Model::Build(const std::vector<char>& model_path, ModelType model_type,
                    const std::shared_ptr<Context>& model_context, const Key& dec_key,
                    const std::vector<char>& dec_mode,
                    const std::vector<char>& /*crypto_lib_path*/) {
  Graph graph;
  const Status status = Serialization::Load(CharToString(model_path), model_type, &graph, dec_key,
                                            CharToString(dec_mode));
  return status.IsOk() ? Build(GraphCell(graph), model_context) : status;
}

bool Model::CheckModelSupport(enum DeviceType device_type, ModelType model_type) {
  return mycel::api::is_loadable(model_type) && device_type != kAllDevice &&
         mycel::api::is_available(device_type);
}

Status Model::Predict(const std::vector<MSTensor>& inputs, std::vector<MSTensor>* outputs,
                      const MSKernelCallBack& before, const MSKernelCallBack& after) {
  return guarded(kMCFailed, "Model::Predict", [&] {
    warn_of_callbacks(before, after);
    const ModelImpl::Built built = impl_->built();
    require(built != nullptr, kMCFailed, "the model is not built; call Build first");
    require(outputs != nullptr, kMCInvalidInput, "the list for the results is null");
    *outputs = built->predict(inputs);
  });
}

Status Model::Resize(const std::vector<MSTensor>& inputs,
                     const std::vector<std::vector<int64_t>>& dims) {
  return guarded(kMCFailed, "Model::Resize", [&] {
    const ModelImpl::Built built = impl_->built();
    require(built != nullptr, kMCFailed, "the model is not built; call Build first");
    built->resize(inputs.size(), dims);
  });
}

std::vector<MSTensor> Model::GetInputs() {
  return guarded_value("Model::GetInputs", std::vector<MSTensor>(), [&] {
    const ModelImpl::Built built = impl_->built();
    return built ? built->inputs() : std::vector<MSTensor>();
  });
}

std::vector<MSTensor> Model::GetOutputs() {
  return guarded_value("Model::GetOutputs", std::vector<MSTensor>(), [&] {
    const ModelImpl::Built built = impl_->built();
    return built ? built->outputs() : std::vector<MSTensor>();
  });
}

MSTensor Model::GetInputByTensorName(const std::vector<char>& tensor_name) {
  return first_or_null(tensors_named(GetInputs(), CharToString(tensor_name)));
}

MSTensor Model::GetOutputByTensorName(const std::vector<char>& tensor_name) {
  return first_or_null(tensors_named(GetOutputs(), CharToString(tensor_name)));
}

std::vector<MSTensor> Model::GetOutputsByNodeName(const std::vector<char>& node_name) {
  return {GetOutputByTensorName(node_name)};
}

std::vector<std::vector<char>> Model::GetOutputTensorNamesChar() {
  std::vector<std::vector<char>> names;
  for (const MSTensor& tensor : GetOutputs()) names.push_back(StringToChar(tensor.Name()));
  return names;
}

bool Model::HasPreprocess() {
  const ModelImpl::Built built = impl_->built();
  return built != nullptr && built->has_preprocessing();
}

Status Model::Preprocess(const std::vector<std::vector<MSTensor>>& inputs,
                         std::vector<MSTensor>* outputs) {
  return guarded(kMEFailed, "Model::Preprocess", [&] {
    const ModelImpl::Built built = impl_->built();
    require(built != nullptr, kMCFailed, "the model is not built; call Build first");
    require(outputs != nullptr, kMCInvalidInput, "the list for the results is null");
    *outputs = built->preprocess(inputs);
  });
}

Status Model::PredictWithPreprocess(const std::vector<std::vector<MSTensor>>& inputs,
                                    std::vector<MSTensor>* outputs, const MSKernelCallBack& before,
                                    const MSKernelCallBack& after) {
  std::vector<MSTensor> prepared;
  const Status status = Preprocess(inputs, &prepared);
  return status.IsOk() ? Predict(prepared, outputs, before, after) : status;
}

Status Model::LoadConfig(const std::vector<char>& config_path) {
  return guarded(kMCFailed, "Model::LoadConfig", [&] {
    const std::string path = CharToString(config_path);
    std::ifstream file(path);
    require(file.is_open(), kMEInvalidInput, "the file '", path,
            "' does not exist or cannot be read");
    std::string ignored;
    for (std::string line; std::getline(file, line);) {
      const std::size_t sign = line.find('=');
      if (sign == std::string::npos || line.front() == '#' || line.front() == ';') continue;
      ignored += (ignored.empty() ? "" : ", ") + line.substr(0, sign);
    }
    if (!ignored.empty())
      mycel::platform::log_warning("Model::LoadConfig: settings of '", path,
                                   "' that have no effect: ", ignored);
  });
}

Status Model::UpdateConfig(const std::vector<char>& section,
                           const std::pair<std::vector<char>, std::vector<char>>& config) {
  return guarded(kMCFailed, "Model::UpdateConfig", [&] {
    mycel::platform::log_warning("Model::UpdateConfig: a setting that has no effect: ",
                                 CharToString(section), ".", CharToString(config.first));
  });
}

std::vector<char> Model::GetModelInfo(const std::vector<char>& key) {
  return guarded_value("Model::GetModelInfo", std::vector<char>(), [&] {
    const ModelImpl::Built built = impl_->built();
    return built ? StringToChar(built->info(CharToString(key))) : std::vector<char>();
  });
}

Status Model::Finalize() {
  impl_->set(nullptr);
  return {};
}

}  // namespace mindspore
