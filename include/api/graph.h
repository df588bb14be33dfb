// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_API_GRAPH_H_
#define MINDSPORE_INCLUDE_API_GRAPH_H_

#include <cstddef>
#include <memory>

#include "include/api/status.h"
#include "include/api/types.h"

namespace mindspore {

// A program that was loaded (`Serialization::Load`), with its weights. A handle: copies share it.
class MS_API Graph {
 public:
  class GraphData;
  Graph();  // null
  explicit Graph(const std::shared_ptr<GraphData>& graph_data);
  explicit Graph(std::shared_ptr<GraphData>&& graph_data);
  explicit Graph(std::nullptr_t);
  ~Graph();

  enum ModelType ModelType() const;  // kUnknownType: the graph is null
  bool operator==(std::nullptr_t) const;
  bool operator!=(std::nullptr_t) const;

 private:
  friend class GraphCell;
  friend class ModelImpl;
  std::shared_ptr<GraphData> graph_data_;
};

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_GRAPH_H_
