// SPDX-License-Identifier: Apache-2.0
// A network's forward pass as writers of model files see it: straight graphs, decisions and loops.
#pragma once

#include <compare>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace mycel::formats::writing {

using op::TensorSpec;
using tensor::Tensor;

struct Node;
struct Loop;
struct Way;

// One result of a node.
struct Value {
  Node* node = nullptr;
  std::uint32_t index = 0;
  explicit operator bool() const { return node != nullptr; }
  auto operator<=>(const Value&) const = default;
  const TensorSpec& type() const;
};

enum class NodeKind : std::uint8_t { Argument, Constant, Parameter, Operator, Loop };

struct Node {
  NodeKind kind = NodeKind::Operator;
  std::string name;  // of the parameter or argument
  const op::OpDef* definition = nullptr;
  op::AttributeList attributes;
  std::vector<Value> operands;  // an absent optional one has no node
  std::vector<TensorSpec> types;
  Tensor tensor;  // of constants and parameters
  ir::Position position;
  std::unique_ptr<Loop> loop;  // of loops
  std::size_t order = 0;       // as it was recorded

  bool is_operator() const { return kind == NodeKind::Operator; }
  bool is_parameter() const { return kind == NodeKind::Parameter && !name.empty(); }
  bool is_number() const { return kind == NodeKind::Constant && types[0].is_number; }
  bool is_writing() const { return is_operator() && definition->has_effects; }
  std::string place() const;  // the user's line, for messages
  // The parameter that the operator writes to; null: it writes to none.
  const Node* written_parameter() const;
};

inline const TensorSpec& Value::type() const { return node->types[index]; }

struct StraightGraph {
  std::vector<Node*> arguments;  // one per tensor of the inputs; in a loop, one per variable
  std::vector<Node*> nodes;      // constants, parameters, operators, loops: each after what it uses
  std::vector<Value> results;
  std::vector<Value> outer;  // values of the graphs around that it uses

  std::vector<const Node*> parameters() const;  // in the order of their first use
  std::set<Value> read_values() const;          // by its nodes, or as results
};

// What a network, or a piece of it, does after some answers: it returns, or asks the next question.
struct Way {
  StraightGraph graph;
  std::vector<Value> results;
  Value question;  // none: it returns
  std::unique_ptr<Way> if_true, if_false;

  std::vector<TensorSpec> types() const;  // of what is returned
  // Every graph, those of loops too.
  void for_graphs(const std::function<void(const StraightGraph&)>& visit) const;
};

// Turns that are made as long as a condition holds.
struct Loop {
  // From the variables to a mask without axes; null: one turn is made, which has no variables but
  // uses what stands around.
  std::unique_ptr<Way> condition;
  Way body;                   // from the variables before a turn to those after it
  std::vector<Value> begins;  // variables before the first turn, in the graph around
  std::vector<Value> starts;  // variables before a turn, the arguments of both
  std::vector<Value> ends;    // variables after the last turn, in the graph around

  std::vector<const Node*> parameters() const;  // that some turn uses, each once
};

class Network {
 public:
  // `inputs`: what the network was given; `result_count`: how many of the graph's last results are
  // the network's. `is_as_it_is`: nothing in it was made a loop or a decision. RuntimeError for
  // what no file can hold.
  Network(const ir::Graph& graph, std::span<const TensorSpec> inputs, std::size_t result_count,
          bool is_as_it_is);

  const std::string& name() const { return name_; }
  const Way& way() const { return way_; }

 private:
  friend class Regions;
  std::string name_;
  std::vector<std::unique_ptr<Node>> nodes_;
  Way way_;
};

}  // namespace mycel::formats::writing
