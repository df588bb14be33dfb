// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/writing/network.h"

namespace mycel::formats::writing {

// Cuts a recorded graph with branches and loops into graphs that are written one by one. Values
// that matter were marked while recording, so that each is a node of its own: a mark is a choice
// between a value and itself, by one tensor that nothing else is chosen by.
class Regions {
 public:
  Regions(Network& network, const ir::Graph& graph, std::size_t result_count);

  // `inputs`: of the network; those that nobody reads have no node yet.
  void take_arguments(std::span<const TensorSpec> inputs);
  // RuntimeError for what no file can hold. `decides`: something depends on values.
  void check(bool decides) const;
  bool has_regions() const { return !inner_.empty(); }
  Way straight();  // of a network that asks nothing
  Way cut();

 private:
  struct Inner {
    std::size_t home = 0;
    std::vector<Node*> arguments;
    std::vector<Node*> nodes;  // all that stand in it
    std::vector<Value> results;
  };

  Node& add(const ir::Node& source, std::size_t home);
  void enter(const ir::Region& region, Inner& inner, const std::set<const ir::Node*>& left_out);
  void enter_node(const ir::Node& source, Inner& inner);
  void rename(const Inner& inner);
  Value value_of(const ir::Output& output) const;
  Value resolved(Value value) const;
  bool is_mark(const Node& node) const;
  void pass_on(Node& mark) const;

  Value result(Value value);
  Way way(const Inner& inner, const std::vector<Value>& results);
  const Node* final_decision(std::size_t home, const std::vector<Value>& results) const;
  Way decision(const Node& node, std::size_t home);
  StraightGraph graph(const std::vector<Value>& results, std::size_t home);
  void make_loop(Node& node);
  bool is_computed(const Value& value) const;
  bool is_argument_of(const Value& value, std::size_t home) const;

  Network& network_;
  Inner body_;
  std::vector<Value> results_;
  std::vector<Node*> arguments_;
  std::set<Value> chosen_;  // what marks choose by
  std::unordered_map<const ir::Node*, Node*> nodes_;
  std::unordered_map<const Node*, std::vector<Inner>> inner_;  // of branches and loops
  std::unordered_map<const Node*, bool> is_while_;
  std::unordered_map<const Node*, std::size_t> home_;  // which region a node stands in
  std::map<Value, Value> same_;  // values that are passed on, and what they are
  std::size_t count_ = 0;
};

}  // namespace mycel::formats::writing
