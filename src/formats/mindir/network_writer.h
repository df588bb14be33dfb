// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formats/mindir/graph_writer.h"
#include "formats/writing/folding.h"
#include "formats/writing/network.h"

namespace mycel::formats::mindir {

// Writes the graphs of a network node by node.
class NetworkWriter {
 public:
  NetworkWriter(const writing::Network& network, FileWriter& file)
      : network_(network), folding_(file.emitter), file_(file) {}

  // TypeError for operators that no primitive is there for, ValueError for parameters of others.
  void check(const std::optional<std::set<std::string>>& own_parameters);
  // Gives the outermost graph.
  std::unique_ptr<GraphWriter> write(const std::vector<std::string>& input_names);

 private:
  using Node = writing::Node;
  using Types = std::vector<op::TensorSpec>;
  // Says what a graph returns, given the results of the piece.
  using Finish = std::function<void(GraphWriter&, const std::vector<writing::Value>&)>;

  void check_operators(const writing::StraightGraph& graph);
  void write_way(GraphWriter& writer, const writing::Way& way, const Types& types,
                 const Finish& finish);
  void write_nodes(GraphWriter& writer, const writing::StraightGraph& graph);
  void write_node(GraphWriter& writer, Node& node, const std::set<writing::Value>& read);
  void write_loop(GraphWriter& writer, const Node& node);
  std::vector<std::string> write_operator(GraphWriter& writer, Node& node,
                                          const std::set<writing::Value>& read);

  const writing::Network& network_;
  writing::Folding folding_;
  FileWriter& file_;
};

}  // namespace mycel::formats::mindir
