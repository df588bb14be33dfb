// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "formats/onnx/graph_writer.h"
#include "formats/writing/folding.h"
#include "formats/writing/network.h"

namespace mycel::formats::onnx {

// Writes the graphs of a network node by node.
class NetworkWriter {
 public:
  NetworkWriter(const writing::Network& network, FileWriter& file)
      : network_(network), folding_(file.emitter), file_(file) {}

  // Gives the outermost graph. TypeError for operators that ONNX has no counterpart of.
  WrittenGraph write(const std::vector<std::string>& input_names);

 private:
  using Node = writing::Node;

  void check();
  // What a piece computes until it gives its results, or decides between two graphs; names of
  // these.
  Names write_way(GraphWriter& writer, const writing::Way& way);
  void write_node(GraphWriter& writer, Node& node, const writing::StraightGraph& graph,
                  const std::set<writing::Value>& read);
  Names write_operator(GraphWriter& writer, Node& node, const writing::StraightGraph& graph,
                       const std::set<writing::Value>& read);
  void write_loop(GraphWriter& writer, const Node& node);

  const writing::Network& network_;
  writing::Folding folding_;
  FileWriter& file_;
};

}  // namespace mycel::formats::onnx
