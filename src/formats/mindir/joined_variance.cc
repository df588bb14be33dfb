// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>

#include "formats/mindir/joined_nodes.h"
#include "platform/error/error.h"

namespace mycel::formats::mindir {

namespace {

using op::IntList;

class Variance final : public Function {
 public:
  Variance(IntList axes, bool keeps_axes, std::int64_t divisor)
      : axes_(std::move(axes)), keeps_axes_(keeps_axes), divisor_(divisor) {}

  std::string_view name() const override { return "Variance"; }
  Datum call(std::span<const Datum> arguments, Host& host) const override {
    op::Emitter& emitter = host.emitter();
    const op::Value x = op::operand_of(arguments[0], emitter);
    platform::require(x.defined(), platform::ErrorKind::Type,
                      "For 'ReduceMean', the input must be a Tensor, but got ",
                      arguments[0].type_name(), ".");
    if (!tensor::is_floating(x.dtype())) return Datum(in_parts(x, emitter));
    // The file tells the divisor; what the operator asks for is how much less it is than the count.
    const std::int64_t ddof = count(x.shape()) - divisor_;
    return Datum(
        emitter.call("var", {x}, {{"axis", axes_}, {"ddof", ddof}, {"keepdims", keeps_axes_}}));
  }

 private:
  // Of whole numbers, which variances are not taken of.
  op::Value in_parts(const op::Value& x, op::Emitter& emitter) const {
    const op::Value mean = emitter.call("reduce_mean", {x}, {{"axis", axes_}, {"keep_dims", true}});
    const op::Value square = emitter.call("square", {x - mean});
    return emitter.call("reduce_sum", {square}, {{"axis", axes_}, {"keep_dims", keeps_axes_}}) /
           emitter.number(static_cast<double>(divisor_));
  }

  std::int64_t count(const tensor::Shape& shape) const {
    const auto rank = static_cast<std::int64_t>(shape.size());
    tensor::Shape lengths;
    for (const std::int64_t axis : axes_)
      lengths.push_back(
          shape[static_cast<std::size_t>(tensor::normalize_axis(axis, rank, "ReduceMean"))]);
    return tensor::element_count(lengths);
  }

  IntList axes_;
  bool keeps_axes_;
  std::int64_t divisor_;
};

// The parts of a variance, as `var` is written: from the mean to the division.
class Parts {
 public:
  Parts(const Graph& graph, const UseCounts& uses) : graph_(graph), uses_(uses) {}

  // Whether the node divides the sum of such squares.
  bool find(const Node& division) {
    const Node* const sum = part(division, "RealDiv", 0, "ReduceSum");
    const Node* const square = sum == nullptr ? nullptr : part(*sum, "ReduceSum", 0, "Square");
    const Node* const distance = square == nullptr ? nullptr : part(*square, "Square", 0, "Sub");
    const Node* const mean =
        distance == nullptr ? nullptr : part(*distance, "Sub", 1, "ReduceMean");
    if (mean == nullptr || !is_same(distance->operands[0], mean->operands[0])) return false;
    const std::optional<IntList> of_mean = axes_of(*mean), of_sum = axes_of(*sum);
    if (!of_mean || of_mean != of_sum || !keeps_axes(*mean)) return false;
    slots = {sum->slot, square->slot, distance->slot, mean->slot};
    input = mean->operands[0];
    axes = *of_mean;
    keeps = keeps_axes(*sum);
    return true;
  }

  std::vector<std::size_t> slots;
  Operand input;
  IntList axes;
  bool keeps = false;

 private:
  // The node that an operand of this one comes from, if both are the primitives and nobody else
  // reads it.
  const Node* part(const Node& node, std::string_view name, std::size_t operand,
                   std::string_view wanted) const {
    const Primitive* const primitive = primitive_of(node);
    if (primitive == nullptr || primitive->name() != name || operand >= node.operands.size())
      return nullptr;
    const Node* const found = graph_.node_of(node.operands[operand]);
    if (found == nullptr || uses_.at({&graph_, found->slot}) != 1) return nullptr;
    const Primitive* const of_found = primitive_of(*found);
    const bool is_wanted = of_found != nullptr && of_found->name() == wanted;
    return is_wanted && !found->operands.empty() ? found : nullptr;
  }

  static bool is_same(const Operand& a, const Operand& b) {
    const bool is_place = a.kind == Operand::Kind::Slot || a.kind == Operand::Kind::Parameter;
    return is_place && a.kind == b.kind && a.graph == b.graph && a.index == b.index;
  }

  static std::optional<IntList> axes_of(const Node& node) {
    IntList axes;
    const bool is_told = node.operands.size() == 2 &&
                         node.operands[1].kind == Operand::Kind::Constant &&
                         op::to_integers(node.operands[1].value, axes) && !axes.empty();
    return is_told ? std::optional(axes) : std::nullopt;
  }

  static bool keeps_axes(const Node& node) {
    const Datum& keeps = primitive_of(node)->attribute("keep_dims");
    return keeps.is_bool() && keeps.flag();
  }

  const Graph& graph_;
  const UseCounts& uses_;
};

// A number of elements.
std::optional<std::int64_t> divisor_of(const Node& division) {
  constexpr double kMost = 1LL << 53;
  double value = 0;
  const bool is_told = division.operands.size() == 2 &&
                       division.operands[1].kind == Operand::Kind::Constant &&
                       op::to_real(division.operands[1].value, value);
  if (!is_told || !(value >= 1 && value <= kMost) || value != std::floor(value))
    return std::nullopt;
  return static_cast<std::int64_t>(value);
}

void join(Graph& graph, Node& division, const UseCounts& uses) {
  const std::optional<std::int64_t> divisor = divisor_of(division);
  Parts parts(graph, uses);
  if (!divisor || !parts.find(division)) return;
  const auto variance = std::make_shared<Variance>(parts.axes, parts.keeps, *divisor);
  division.operands = {parts.input};
  division.callee = Operand::constant(Datum(std::shared_ptr<const op::Opaque>(variance)));
  division.function = variance;
  for (const std::size_t slot : parts.slots) graph.nodes.erase(slot);
}

}  // namespace

void join_variances(std::span<const std::unique_ptr<Graph>> graphs) {
  const UseCounts uses = count_uses(graphs);
  for (const auto& graph : graphs)
    for (auto& [slot, node] : graph->nodes) join(*graph, node, uses);
}

}  // namespace mycel::formats::mindir
