// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_API_KERNEL_API_H_
#define MINDSPORE_INCLUDE_API_KERNEL_API_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "include/api/status.h"
#include "include/api/types.h"

namespace mindspore {

class Context;

namespace kernel {

// A kernel that a program brings along on small devices. All of it is the program's own: nothing in
// the library uses one.
class MSKernel {
 public:
  using Config = std::map<std::string, std::map<std::string, std::string>>;

  MSKernel() = default;
  MSKernel(std::vector<mindspore::MSTensor> inputs, std::vector<mindspore::MSTensor> outputs,
           const mindspore::Context* ctx)
      : context_(ctx), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}
  virtual ~MSKernel() = default;

  virtual int InferShape() { return static_cast<int>(kLiteError); }
  virtual int Prepare() = 0;
  virtual int Execute() = 0;
  virtual int ReSize() = 0;

  virtual void set_inputs(const std::vector<mindspore::MSTensor>& in_tensors) {
    inputs_ = in_tensors;
  }
  virtual void set_input(mindspore::MSTensor in_tensor, int index) {
    inputs_[static_cast<size_t>(index)] = in_tensor;
  }
  virtual void set_outputs(const std::vector<mindspore::MSTensor>& out_tensors) {
    outputs_ = out_tensors;
  }
  virtual void set_output(mindspore::MSTensor out_tensor, int index) {
    outputs_[static_cast<size_t>(index)] = out_tensor;
  }
  virtual const std::vector<mindspore::MSTensor>& inputs() { return inputs_; }
  virtual const std::vector<mindspore::MSTensor>& outputs() { return outputs_; }

  virtual std::string name() const { return name_; }
  void set_name(const std::string& name) { name_ = name; }
  const mindspore::Context* context() const { return context_; }

  std::string GetAttr(const std::string& key) const {
    const auto found = attrs_.find(key);
    return found == attrs_.end() ? std::string() : found->second;
  }
  void SetConfig(const Config* config) { config_ = config; }
  std::map<std::string, std::string> GetConfig(const std::string& section) const {
    if (config_ == nullptr || config_->count(section) == 0) return {};
    return config_->at(section);
  }

 protected:
  void SetAttr(const std::string& key, const std::string& value) { attrs_[key] = value; }

  std::string name_;
  const mindspore::Context* context_ = nullptr;
  std::vector<mindspore::MSTensor> inputs_;
  std::vector<mindspore::MSTensor> outputs_;
  std::map<std::string, std::string> attrs_;
  const Config* config_ = nullptr;
};

template <typename Primitive>
class IKernel : public MSKernel {
 public:
  IKernel() = default;
  IKernel(const std::vector<mindspore::MSTensor>& inputs,
          const std::vector<mindspore::MSTensor>& outputs, const Primitive* primitive,
          const mindspore::Context* ctx)
      : MSKernel(inputs, outputs, ctx), primitive_(primitive) {}
  ~IKernel() override = default;
  const Primitive* primitive() const { return primitive_; }

 protected:
  const Primitive* primitive_ = nullptr;
};

}  // namespace kernel
}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_KERNEL_API_H_
