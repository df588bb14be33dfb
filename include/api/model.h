// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_API_MODEL_H_
#define MINDSPORE_INCLUDE_API_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "include/api/callback/callback.h"
#include "include/api/cell.h"
#include "include/api/cfg.h"
#include "include/api/context.h"
#include "include/api/dual_abi_helper.h"
#include "include/api/graph.h"
#include "include/api/status.h"
#include "include/api/types.h"

namespace mindspore {

class Metrics;
class ModelImpl;
namespace dataset {
class Dataset;
}  // namespace dataset

// A graph made ready for a device. Copies of a built model share it. Any number of threads may
// call Predict, and ask for inputs and outputs, at the same time; Build and Resize may happen
// meanwhile, and calls under way finish with what they began with.
class MS_API Model {
 public:
  Model();
  ~Model();
  Model(const Model& other);
  Model& operator=(const Model& other);

  // ---- making it ready. A second Build replaces what there was, if it succeeds.

  Status Build(GraphCell graph, const std::shared_ptr<Context>& model_context = nullptr,
               const std::shared_ptr<TrainCfg>& train_cfg = nullptr);
  // Load and build. `model_data` may be freed as soon as this returns.
  Status Build(const void* model_data, size_t data_size, ModelType model_type,
               const std::shared_ptr<Context>& model_context = nullptr);
  inline Status Build(const std::string& model_path, ModelType model_type,
                      const std::shared_ptr<Context>& model_context = nullptr);
  // The same for encrypted models; `crypto_lib_path` is not used.
  inline Status Build(const void* model_data, size_t data_size, ModelType model_type,
                      const std::shared_ptr<Context>& model_context, const Key& dec_key,
                      const std::string& dec_mode, const std::string& crypto_lib_path);
  inline Status Build(const std::string& model_path, ModelType model_type,
                      const std::shared_ptr<Context>& model_context, const Key& dec_key,
                      const std::string& dec_mode, const std::string& crypto_lib_path);
  static bool CheckModelSupport(enum DeviceType device_type, ModelType model_type);

  // ---- running it

  // One tensor per input, in their order; a tensor of as many bytes as the input needs is enough.
  // Where the model leaves lengths open, they are those of the tensors. Results have memory of
  // their own. The callbacks are not called.
  Status Predict(const std::vector<MSTensor>& inputs, std::vector<MSTensor>* outputs,
                 const MSKernelCallBack& before = nullptr, const MSKernelCallBack& after = nullptr);
  // Makes other shapes the model's own. They are kept: switching back costs nothing.
  Status Resize(const std::vector<MSTensor>& inputs, const std::vector<std::vector<int64_t>>& dims);

  // ---- inputs and outputs. Empty before Build.

  // Zeros at first, then what the last Predict was given. They may be filled and passed to Predict.
  std::vector<MSTensor> GetInputs();
  inline MSTensor GetInputByTensorName(const std::string& tensor_name);  // null: none has the name
  std::vector<MSTensor> GetOutputs();  // after Predict: its results
  inline std::vector<std::string> GetOutputTensorNames();
  inline MSTensor GetOutputByTensorName(const std::string& tensor_name);
  inline std::vector<MSTensor> GetOutputsByNodeName(const std::string& node_name);

  // ---- preprocessing that is stored in the model

  bool HasPreprocess();
  Status Preprocess(const std::vector<std::vector<MSTensor>>& inputs,
                    std::vector<MSTensor>* outputs);
  Status PredictWithPreprocess(const std::vector<std::vector<MSTensor>>& inputs,
                               std::vector<MSTensor>* outputs,
                               const MSKernelCallBack& before = nullptr,
                               const MSKernelCallBack& after = nullptr);

  // ---- others

  // Settings for small devices: read, and reported as ignored.
  inline Status LoadConfig(const std::string& config_path);
  inline Status UpdateConfig(const std::string& section,
                             const std::pair<std::string, std::string>& config);
  // JSON for "inputs", "outputs", "device", "version", "weights_bytes", "user_info"; else nothing.
  inline std::string GetModelInfo(const std::string& key);
  Status Finalize();  // lets go of the model

  // Training on small devices: not supported, and they say so.
  Status Predict(const MSKernelCallBack& before = nullptr, const MSKernelCallBack& after = nullptr);
  Status RunStep(const MSKernelCallBack& before = nullptr, const MSKernelCallBack& after = nullptr);
  Status UpdateWeights(const std::vector<MSTensor>& new_weights);
  Status UpdateWeights(const std::vector<std::vector<MSTensor>>& new_weights);
  Status BuildTransferLearning(GraphCell backbone, GraphCell head,
                               const std::shared_ptr<Context>& context,
                               const std::shared_ptr<TrainCfg>& train_cfg = nullptr);
  std::vector<MSTensor> GetGradients() const;
  Status ApplyGradients(const std::vector<MSTensor>& gradients);
  std::vector<MSTensor> GetFeatureMaps() const;
  std::vector<MSTensor> GetTrainableParams() const;
  Status UpdateFeatureMaps(const std::vector<MSTensor>& new_weights);
  std::vector<MSTensor> GetOptimizerParams() const;
  Status SetOptimizerParams(const std::vector<MSTensor>& params);
  Status SetupVirtualBatch(int virtual_batch_multiplier, float lr = -1.0f, float momentum = -1.0f);
  Status SetLearningRate(float learning_rate);
  float GetLearningRate();
  Status InitMetrics(std::vector<Metrics*> metrics);
  std::vector<Metrics*> GetMetrics();
  inline Status BindGLTexture2DMemory(const std::map<std::string, unsigned int>& inputGLTexture,
                                      std::map<std::string, unsigned int>* outputGLTexture);
  Status SetTrainMode(bool train);
  bool GetTrainMode() const;
  Status Train(int epochs, std::shared_ptr<dataset::Dataset> ds, std::vector<TrainCallBack*> cbs);
  Status Evaluate(std::shared_ptr<dataset::Dataset> ds, std::vector<TrainCallBack*> cbs);

  const std::shared_ptr<ModelImpl> impl() const { return impl_; }

 private:
  friend class Serialization;
  MSTensor GetInputByTensorName(const std::vector<char>& tensor_name);
  std::vector<std::vector<char>> GetOutputTensorNamesChar();
  MSTensor GetOutputByTensorName(const std::vector<char>& tensor_name);
  std::vector<MSTensor> GetOutputsByNodeName(const std::vector<char>& node_name);
  Status LoadConfig(const std::vector<char>& config_path);
  Status UpdateConfig(const std::vector<char>& section,
                      const std::pair<std::vector<char>, std::vector<char>>& config);
  Status Build(const std::vector<char>& model_path, ModelType model_type,
               const std::shared_ptr<Context>& model_context);
  Status Build(const void* model_data, size_t data_size, ModelType model_type,
               const std::shared_ptr<Context>& model_context, const Key& dec_key,
               const std::vector<char>& dec_mode, const std::vector<char>& crypto_lib_path);
  Status Build(const std::vector<char>& model_path, ModelType model_type,
               const std::shared_ptr<Context>& model_context, const Key& dec_key,
               const std::vector<char>& dec_mode, const std::vector<char>& crypto_lib_path);
  std::vector<char> GetModelInfo(const std::vector<char>& key);
  Status BindGLTexture2DMemory(const std::map<std::vector<char>, unsigned int>& inputGLTexture,
                               std::map<std::vector<char>, unsigned int>* outputGLTexture);

  std::shared_ptr<ModelImpl> impl_;
};

Status Model::Build(const std::string& model_path, ModelType model_type,
                    const std::shared_ptr<Context>& model_context) {
  return Build(StringToChar(model_path), model_type, model_context);
}
Status Model::Build(const void* model_data, size_t data_size, ModelType model_type,
                    const std::shared_ptr<Context>& model_context, const Key& dec_key,
                    const std::string& dec_mode, const std::string& crypto_lib_path) {
  return Build(model_data, data_size, model_type, model_context, dec_key, StringToChar(dec_mode),
               StringToChar(crypto_lib_path));
}
Status Model::Build(const std::string& model_path, ModelType model_type,
                    const std::shared_ptr<Context>& model_context, const Key& dec_key,
                    const std::string& dec_mode, const std::string& crypto_lib_path) {
  return Build(StringToChar(model_path), model_type, model_context, dec_key, StringToChar(dec_mode),
               StringToChar(crypto_lib_path));
}
MSTensor Model::GetInputByTensorName(const std::string& tensor_name) {
  return GetInputByTensorName(StringToChar(tensor_name));
}
std::vector<std::string> Model::GetOutputTensorNames() {
  return VectorCharToString(GetOutputTensorNamesChar());
}
MSTensor Model::GetOutputByTensorName(const std::string& tensor_name) {
  return GetOutputByTensorName(StringToChar(tensor_name));
}
std::vector<MSTensor> Model::GetOutputsByNodeName(const std::string& node_name) {
  return GetOutputsByNodeName(StringToChar(node_name));
}
Status Model::LoadConfig(const std::string& config_path) {
  return LoadConfig(StringToChar(config_path));
}
Status Model::UpdateConfig(const std::string& section,
                           const std::pair<std::string, std::string>& config) {
  return UpdateConfig(StringToChar(section),
                      {StringToChar(config.first), StringToChar(config.second)});
}
std::string Model::GetModelInfo(const std::string& key) {
  return CharToString(GetModelInfo(StringToChar(key)));
}
Status Model::BindGLTexture2DMemory(const std::map<std::string, unsigned int>& inputGLTexture,
                                    std::map<std::string, unsigned int>* outputGLTexture) {
  std::map<std::vector<char>, unsigned int> results;
  const Status status = BindGLTexture2DMemory(MapStringToChar(inputGLTexture),
                                              outputGLTexture == nullptr ? nullptr : &results);
  if (outputGLTexture != nullptr && status.IsOk()) *outputGLTexture = MapCharToString(results);
  return status;
}

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_MODEL_H_
