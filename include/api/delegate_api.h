// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_API_DELEGATE_API_H_
#define MINDSPORE_INCLUDE_API_DELEGATE_API_H_

#include <memory>
#include <vector>

#include "include/api/status.h"
#include "include/api/types.h"

namespace mindspore {

// Others that compute parts of a graph on small devices. A context keeps one; nobody asks it.
class AbstractDelegate {
 public:
  AbstractDelegate() = default;
  AbstractDelegate(const std::vector<mindspore::MSTensor>& inputs,
                   const std::vector<mindspore::MSTensor>& outputs)
      : inputs_(inputs), outputs_(outputs) {}
  virtual ~AbstractDelegate() = default;
  const std::vector<mindspore::MSTensor>& inputs() { return inputs_; }
  const std::vector<mindspore::MSTensor>& outputs() { return outputs_; }

 protected:
  std::vector<mindspore::MSTensor> inputs_;
  std::vector<mindspore::MSTensor> outputs_;
};

template <typename Graph, typename Node, typename Kernel>
class IDelegate : public AbstractDelegate {
 public:
  IDelegate() = default;
  IDelegate(const std::vector<mindspore::MSTensor>& inputs,
            const std::vector<mindspore::MSTensor>& outputs)
      : AbstractDelegate(inputs, outputs) {}
  virtual ~IDelegate() = default;
  virtual void ReplaceNodes(const std::shared_ptr<Graph>& graph) = 0;
  virtual bool IsDelegateNode(const std::shared_ptr<Node>& node) = 0;
  virtual std::shared_ptr<Kernel> CreateKernel(const std::shared_ptr<Node>& node) = 0;
};

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_DELEGATE_API_H_
