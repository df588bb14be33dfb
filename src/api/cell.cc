// SPDX-License-Identifier: Apache-2.0
#include "include/api/cell.h"

#include "api/boundary.h"
#include "api/built_model.h"
#include "api/graph_data.h"
#include "api/model_impl.h"
#include "include/api/context.h"

namespace mindspore {

using mycel::api::BuiltModel;

std::vector<Output> CellBase::Construct(const std::vector<Input>& /*inputs*/) { return {}; }

Status CellBase::Run(const std::vector<MSTensor>& /*inputs*/, std::vector<MSTensor>* /*outputs*/) {
  return {};
}

std::vector<Output> CellBase::operator()(const std::vector<Input>& inputs) const {
  return Clone()->Construct(inputs);
}

InputAndOutput::InputAndOutput() = default;
InputAndOutput::InputAndOutput(const std::shared_ptr<CellBase>& cell,
                               const std::vector<InputAndOutput>& prev, int32_t index)
    : cell_(cell), prev_(prev), index_(index) {}

// A cell that is run by itself: the model that was made of it when that was first needed. Copies of
// the cell share it.
class GraphCell::GraphImpl {
 public:
  explicit GraphImpl(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  std::shared_ptr<BuiltModel> built(const GraphCell& cell) {
    const std::lock_guard lock(mutex_);
    if (!built_) {
      auto source = ModelImpl::source_of(cell);
      mycel::api::require(source != nullptr, kMCInvalidInput, "the graph is null");
      mycel::api::Target target;
      if (context_) target = mycel::api::choose_target(*context_);
      built_ = std::make_shared<BuiltModel>(std::move(source), std::move(target));
    }
    return built_;
  }

 private:
  const std::shared_ptr<Context> context_;
  std::mutex mutex_;  // guards built_
  std::shared_ptr<BuiltModel> built_;
};

GraphCell::GraphCell(const Graph& graph) : GraphCell(std::make_shared<Graph>(graph)) {}
GraphCell::GraphCell(Graph&& graph) : GraphCell(std::make_shared<Graph>(std::move(graph))) {}
GraphCell::GraphCell(const std::shared_ptr<Graph>& graph)
    : graph_(graph), executor_(std::make_shared<GraphImpl>(nullptr)) {}

void GraphCell::SetContext(const std::shared_ptr<Context>& context) {
  executor_ = std::make_shared<GraphImpl>(context);
}

Status GraphCell::Run(const std::vector<MSTensor>& inputs, std::vector<MSTensor>* outputs) {
  return mycel::api::guarded(kMCFailed, "GraphCell::Run", [&] {
    mycel::api::require(outputs != nullptr, kMCInvalidInput, "the list for the results is null");
    mycel::api::require(executor_ != nullptr, kMCInvalidInput, "the graph is null");
    *outputs = executor_->built(*this)->predict(inputs);
  });
}

std::vector<MSTensor> GraphCell::GetInputs() {
  return mycel::api::guarded_value("GraphCell::GetInputs", std::vector<MSTensor>(), [&] {
    return executor_ ? executor_->built(*this)->inputs() : std::vector<MSTensor>();
  });
}

std::vector<MSTensor> GraphCell::GetOutputs() {
  return mycel::api::guarded_value("GraphCell::GetOutputs", std::vector<MSTensor>(), [&] {
    return executor_ ? executor_->built(*this)->outputs() : std::vector<MSTensor>();
  });
}

Status GraphCell::Load(uint32_t /*device_id*/) {
  return mycel::api::guarded(kMCFailed, "GraphCell::Load", [&] {
    mycel::api::require(executor_ != nullptr, kMCInvalidInput, "the graph is null");
    executor_->built(*this);
  });
}

}  // namespace mindspore
