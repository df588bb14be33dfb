// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/size_expression.h"
#include "operator/op_def.h"
#include "operator/origin.h"
#include "operator/value.h"
#include "tensor/tensor.h"

namespace mycel::ir {

using op::AttributeList;
using op::OpDef;
using op::Origin;
using op::Phase;
using op::Position;
using op::TensorSpec;
using tensor::Tensor;

class Graph;
class Node;
class Region;

enum class NodeKind : std::uint8_t {
  Argument,   // a value handed in: of the graph, or of a region
  Constant,   // a tensor known while compiling
  Parameter,  // a tensor bound by reference: read when executed, may be written by effects
  Operator,   // of the registry
  If,         // condition, captured values...; two regions
  While,      // loop values...; condition region, body region. May keep values of its turns
  HostCall,   // runs Python when executed
  Fused,      // inputs...; one region, which a device may compute in one go
};
std::string_view name_of(NodeKind kind);

// One result of a node.
struct Output {
  Node* node = nullptr;
  std::uint32_t index = 0;
  explicit operator bool() const { return node != nullptr; }
  bool operator==(const Output&) const = default;
  const TensorSpec& type() const;
};

// What more may be known of a value than its type.
enum class Layout : std::uint8_t {
  Plain,
  Blocked,  // channels in blocks: operator/blocking.h
};
struct ValueFacts {
  Layout layout = Layout::Plain;
  // Of its axes, as formulas of lengths of the graph's arguments, each null where it is not known.
  // Empty: nobody has asked. The type has the numbers for which the graph was made.
  std::vector<SizeRef> sizes;
  bool is_news() const { return layout != Layout::Plain || !sizes.empty(); }
};

// Python that runs when the graph is executed.
using HostFunction = std::function<std::vector<Tensor>(std::span<const Tensor> inputs)>;

class Node {
 public:
  NodeKind kind() const { return kind_; }
  std::uint32_t id() const { return id_; }
  const OpDef* definition() const { return definition_; }  // of operators
  const AttributeList& attributes() const { return attributes_; }
  AttributeList& attributes() { return attributes_; }
  const std::vector<Output>& operands() const {
    return operands_;
  }  // an absent optional one has no node
  std::size_t output_count() const { return types_.size(); }
  const TensorSpec& type(std::size_t output = 0) const { return types_[output]; }
  Output output(std::uint32_t index = 0) { return {this, index}; }
  const ValueFacts& facts(std::size_t output = 0) const;
  const std::vector<std::unique_ptr<Region>>& regions() const { return regions_; }
  Region& region(std::size_t i) const { return *regions_[i]; }
  Region& parent() const { return *parent_; }
  const Tensor& tensor() const { return tensor_; }  // of constants and parameters
  // Of arguments, parameters, host calls and what is fused.
  const std::string& name() const { return name_; }
  const HostFunction& host_function() const { return host_function_; }
  const Origin& origin() const { return origin_; }
  Phase phase() const { return origin_.phase; }
  const std::string& cell() const;   // path of the Cell it comes from; empty: none
  const Position& position() const;  // the user's line
  device::Device device() const;     // where it is computed
  bool has_effects() const;
  // A loop whose last output is what its turns keep (op::TurnLog): those results of the body that
  // come after the loop values.
  bool keeps_turns() const { return kind_ == NodeKind::While && types_.size() > operands_.size(); }

  // Who reads output `index`; a user that reads it twice is listed twice.
  const std::vector<Node*>& users(std::uint32_t index = 0) const { return users_[index]; }
  // Of the region it stands in, or of one inside that.
  bool is_result(std::uint32_t index = 0) const { return !returned_by_[index].empty(); }
  const std::vector<Region*>& returned_by(std::uint32_t index = 0) const {
    return returned_by_[index];
  }
  bool is_unused() const;

  void set_operand(std::size_t i, Output value);
  void set_facts(std::size_t output, ValueFacts facts);
  void set_origin(Origin origin) { origin_ = std::move(origin); }

 private:
  friend class Graph;
  friend class Region;
  NodeKind kind_ = NodeKind::Operator;
  std::uint32_t id_ = 0;
  const OpDef* definition_ = nullptr;
  AttributeList attributes_;
  std::vector<Output> operands_;
  std::vector<TensorSpec> types_;
  std::vector<ValueFacts> facts_;  // of the first outputs
  std::vector<std::vector<Node*>> users_;
  std::vector<std::vector<Region*>> returned_by_;  // likewise, one that gives it twice twice
  std::vector<std::unique_ptr<Region>> regions_;
  Region* parent_ = nullptr;
  std::list<Node*>::iterator place_;
  Tensor tensor_;
  std::string name_;
  HostFunction host_function_;
  Origin origin_;
};

// A straight list of nodes with arguments and results. Nodes read values of their own region and of
// the regions around it.
class Region {
 public:
  Region(Graph& graph, Node* owner) : graph_(graph), owner_(owner) {}
  Graph& graph() const { return graph_; }
  Node* owner() const { return owner_; }  // null: the graph's body
  const std::vector<Node*>& arguments() const { return arguments_; }
  const std::list<Node*>& nodes() const { return nodes_; }  // in order, without arguments
  const std::vector<Output>& results() const { return results_; }
  void set_results(std::vector<Output> results);

 private:
  friend class Graph;
  friend class Node;
  Graph& graph_;
  Node* owner_;
  std::vector<Node*> arguments_;
  std::list<Node*> nodes_;
  std::vector<Output> results_;
};

// A program in single-assignment form. Owns its nodes; an erased node stays allocated until the
// graph goes, so that pointers held by a pass never dangle.
class Graph {
 public:
  explicit Graph(std::string name = "graph");
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const std::string& name() const { return name_; }
  // Where its operators run; Python's numbers among its values stay on the host.
  device::Device device() const { return device_; }
  void set_device(device::Device device) { device_ = device; }
  // What holds for lengths of its arguments wherever this graph is the right one.
  const std::vector<SizeRelation>& relations() const { return relations_; }
  void set_relations(std::vector<SizeRelation> relations) { relations_ = std::move(relations); }
  Region& body() { return *body_; }
  const Region& body() const { return *body_; }

  // Nodes are appended to `region`, or put before `before` when given.
  Node& add_argument(Region& region, TensorSpec type, std::string name);
  Node& add_constant(Region& region, Tensor value, Node* before = nullptr);
  Node& add_parameter(Region& region, Tensor value, std::string name, Node* before = nullptr);
  Node& add_operator(Region& region, const OpDef& definition, std::vector<Output> operands,
                     AttributeList attributes, std::vector<TensorSpec> types,
                     Node* before = nullptr);
  Node& add_if(Region& region, Output condition);  // regions are filled, then types set
  Node& add_while(Region& region, std::vector<Output> initial);
  Node& add_host_call(Region& region, std::string name, HostFunction function,
                      std::vector<Output> operands, std::vector<TensorSpec> types);
  // A straight region that reads nothing but its arguments, which are these operands; it is filled,
  // then types are set.
  Node& add_fused(Region& region, std::string name, std::vector<Output> operands,
                  Node* before = nullptr);
  void set_types(Node& node, std::vector<TensorSpec> types);

  // Every reader of `from`, results included, reads `to` instead, of which what was known of `from`
  // is known from then on.
  void replace(Output from, Output to);
  void erase(Node& node);  // must be unused
  void move_before(Node& node, Node& before);

  std::size_t node_count() const;  // in all regions, without arguments
  bool has_inner_regions() const { return inner_regions_ > 0; }  // of branches and loops

  // Definitions made for this graph alone (fused formulas) live as long as it does.
  OpDef& own(std::unique_ptr<OpDef> definition);

 private:
  Node& add(Region& region, NodeKind kind, std::vector<Output> operands,
            std::vector<TensorSpec> types, Node* before);
  std::string name_;
  device::Device device_;
  std::vector<SizeRelation> relations_;
  std::deque<std::unique_ptr<Node>> pool_;
  std::vector<std::unique_ptr<OpDef>> definitions_;
  std::unique_ptr<Region> body_;
  std::size_t inner_regions_ = 0;
};

// Calls visit(node) for every node of the region and of the regions inside it, outer ones first.
void walk(const Region& region, const std::function<void(Node&)>& visit);

// What a formula gives for the lengths of arguments for which the graph was made; nothing where
// that is no whole number.
std::optional<std::int64_t> evaluate(const SizeExpression& size, const Graph& graph);

// Writes the graph as text that `parse` reads back; constants of more than a few elements show only
// their type. A line ends with what of the user's program it is: `@ backward "cell" "file":line`.
enum class Detail : std::uint8_t {
  Everything,
  Computation,  // only what is computed: equal for equal graphs, wherever they come from
};
std::string to_text(const Graph& graph, Detail detail = Detail::Everything);
std::unique_ptr<Graph> parse(std::string_view text);

// Throws Internal with everything that is wrong: operands defined later or elsewhere, types that
// inference would not give, results missing.
void verify(const Graph& graph);

}  // namespace mycel::ir
