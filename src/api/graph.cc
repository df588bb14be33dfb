// SPDX-License-Identifier: Apache-2.0
#include "include/api/graph.h"

#include "api/boundary.h"
#include "api/graph_data.h"

namespace mindspore {

Graph::Graph() = default;
Graph::Graph(const std::shared_ptr<GraphData>& graph_data) : graph_data_(graph_data) {}
Graph::Graph(std::shared_ptr<GraphData>&& graph_data) : graph_data_(std::move(graph_data)) {}
Graph::Graph(std::nullptr_t) {}
Graph::~Graph() = default;

enum ModelType Graph::ModelType() const {
  if (graph_data_) return graph_data_->type;
  mycel::api::note_null_handle("Graph::ModelType");
  return kUnknownType;
}

bool Graph::operator==(std::nullptr_t) const { return graph_data_ == nullptr; }
bool Graph::operator!=(std::nullptr_t) const { return graph_data_ != nullptr; }

}  // namespace mindspore
