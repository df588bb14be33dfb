// SPDX-License-Identifier: Apache-2.0
#include "ir/region_draft.h"

#include <algorithm>
#include <limits>

#include "ir/constant_number.h"
#include "operator/contexts.h"
#include "operator/registry.h"

namespace mycel::ir {

using op::RegionStep;
using op::ScalarOp;
using tensor::DType;
using tensor::IntList;
using tensor::Shape;

namespace {

// Operands of steps count the loads first, and those are all known only at the end.
constexpr std::size_t kSteps = std::numeric_limits<std::uint32_t>::max();
// A place in a formula is a byte.
constexpr std::size_t kLongestFormula = 200;

Shape without_ones(const Shape& shape) {
  Shape longer;
  for (const std::int64_t length : shape) {
    if (length != 1) longer.push_back(length);
  }
  return longer;
}

bool has_known_type(const Output& value) {
  const Node& node = *value.node;
  if (node.kind() == NodeKind::HostCall) return false;
  return node.kind() != NodeKind::Operator || !node.definition()->dynamic_outputs;
}

bool is_formula(const Node& node) {
  const OpDef& definition = *node.definition();
  return definition.is_elementwise() && definition.infer == op::infer_elementwise &&
         definition.program().steps.size() <= kLongestFormula;
}

bool is_conversion(const Node& node) {
  const Output from = node.operands()[0];
  return node.definition()->traits.converts && from.type().shape == node.type().shape &&
         from.type().dtype != node.type().dtype && !from.type().is_number;
}

// Sorted, of the operand; empty: it folds nothing.
IntList folded_axes(const Node& node) {
  const int place = node.definition()->find_attribute(node.definition()->traits.reduces.axes);
  const op::AttributeValue& given = node.attributes()[static_cast<std::size_t>(place)];
  if (given.is_none()) return {};
  const Shape& shape = node.operands()[0].type().shape;
  IntList axes;
  for (const std::int64_t axis : given.ints()) {
    if (axis < 0 || axis >= static_cast<std::int64_t>(shape.size())) return {};
    if (shape[static_cast<std::size_t>(axis)] != 1) axes.push_back(axis);
  }
  return axes;
}

// For each axis of the view that of the base; nothing: elements are left out or lie elsewhere.
std::optional<IntList> axes_of_view(const op::ViewSpec& view, const Tensor& base) {
  if (view.offset != 0) return std::nullopt;
  IntList axes;
  std::size_t next = 0;
  const auto skip_ones = [&] {
    while (next < base.shape().size() && base.shape()[next] == 1) ++next;
  };
  for (std::size_t i = 0; i < view.shape.size(); ++i) {
    axes.push_back(-1);
    if (view.shape[i] == 1 || view.strides[i] == 0) continue;
    skip_ones();
    if (next >= base.shape().size() || base.shape()[next] != view.shape[i] ||
        base.strides()[next] != view.strides[i])
      return std::nullopt;
    axes.back() = static_cast<std::int64_t>(next++);
  }
  skip_ones();
  return next == base.shape().size() ? std::optional(axes) : std::nullopt;
}

// How the node sees its first operand.
std::optional<IntList> plain_view(const Node& node) {
  if (node.kind() != NodeKind::Operator || node.definition()->view == nullptr ||
      node.output_count() != 1 || node.operands().empty() || !node.operands()[0])
    return std::nullopt;
  const Output from = node.operands()[0];
  if (from.type().is_number || tensor::element_count(from.type().shape) == 0 ||
      from.type().dtype != node.type().dtype || !has_known_type(from))
    return std::nullopt;
  // Nobody looks at the elements.
  const Tensor base = Tensor::from_storage(tensor::Storage::borrow(
                                               device::Device{}, nullptr, 0, [](void*) {}, nullptr),
                                           from.type().shape, from.type().dtype);
  const std::vector<TensorSpec> types{node.type()};
  AttributeList attributes = node.attributes();
  op::ViewContext context(*node.definition(), attributes, base, types);
  if (!node.definition()->view(context)) return std::nullopt;
  return axes_of_view(context.views()[0], base);
}

}  // namespace

bool is_plain_view(const Node& node) { return plain_view(node).has_value(); }

SeenValue seen_through_views(Output value) {
  SeenValue seen{value, {}};
  for (std::size_t i = 0; i < value.type().shape.size(); ++i)
    seen.axes.push_back(value.type().shape[i] == 1 ? -1 : static_cast<std::int64_t>(i));
  while (const std::optional<IntList> axes = plain_view(*seen.source.node)) {
    for (std::int64_t& axis : seen.axes) {
      if (axis >= 0) axis = (*axes)[static_cast<std::size_t>(axis)];
    }
    seen.source = seen.source.node->operands()[0];
  }
  return seen;
}

RegionRole region_role(const Node& node) {
  if (node.kind() != NodeKind::Operator || node.has_effects() || node.output_count() != 1 ||
      node.operands().empty() || node.definition()->dynamic_outputs || node.type().is_number ||
      tensor::element_count(node.type().shape) == 0)
    return RegionRole::None;
  for (const Output& operand : node.operands()) {
    if (!operand || !has_known_type(operand)) return RegionRole::None;
  }
  if (is_formula(node)) return RegionRole::Formula;
  if (is_conversion(node)) return RegionRole::Conversion;
  const bool folds = !node.definition()->traits.reduces.axes.empty() &&
                     !node.operands()[0].type().is_number && !folded_axes(node).empty() &&
                     tensor::element_count(node.operands()[0].type().shape) > 0;
  return folds ? RegionRole::Reduction : RegionRole::None;
}

// ---- drafts ------------------------------------------------------------------------------------

std::optional<RegionDraft> RegionDraft::of(std::span<Node* const> nodes) {
  RegionDraft draft(nodes);
  if (!draft.find_space()) return std::nullopt;
  for (const Node* node : nodes) {
    if (!draft.add(*node)) return std::nullopt;
  }
  const std::size_t loads = draft.program_.loads.size();
  for (RegionStep& step : draft.program_.steps) {
    for (std::size_t& operand : step.operands) {
      if (operand >= kSteps) operand = operand - kSteps + loads;
    }
  }
  return draft;
}

// Reductions say what is folded; without one, all values are of one shape.
bool RegionDraft::find_space() {
  bool is_known = false;
  for (const Node* node : nodes_) {
    if (region_role(*node) != RegionRole::Reduction) continue;
    const Shape& shape = node->operands()[0].type().shape;
    const IntList axes = folded_axes(*node);
    std::vector<bool> folded;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] != 1)
        folded.push_back(std::ranges::find(axes, static_cast<std::int64_t>(axis)) != axes.end());
    }
    const Shape space = without_ones(shape);
    if (is_known && !(space == program_.space && folded == program_.is_reduced)) return false;
    program_.space = space;
    program_.is_reduced = folded;
    is_known = true;
  }
  if (!is_known && !nodes_.empty()) {
    program_.space = without_ones(nodes_[0]->type().shape);
    program_.is_reduced.assign(program_.space.size(), false);
  }
  return !nodes_.empty();
}

// Whether values of this shape have the kept axes only; nothing: they are not of this space.
std::optional<bool> RegionDraft::is_reduced(const Shape& shape) const {
  const Shape lengths = without_ones(shape);
  if (lengths == program_.space) return false;
  Shape kept;
  for (std::size_t axis = 0; axis < program_.space.size(); ++axis) {
    if (!program_.is_reduced[axis]) kept.push_back(program_.space[axis]);
  }
  return lengths == kept ? std::optional(true) : std::nullopt;
}

// For each axis of a value's shape the one of the space that it runs along; -1: none.
IntList RegionDraft::axes_in_space(const Shape& shape, bool is_reduced) const {
  IntList axes;
  std::size_t next = 0;
  for (const std::int64_t length : shape) {
    axes.push_back(-1);
    if (length == 1) continue;
    while (is_reduced && program_.is_reduced[next]) ++next;
    axes.back() = static_cast<std::int64_t>(next++);
  }
  return axes;
}

bool RegionDraft::add(const Node& node) {
  const RegionRole role = region_role(node);
  RegionStep step;
  step.result = node.type().dtype;
  if (role == RegionRole::Reduction) {
    step.kind = RegionStep::Kind::Reduction;
    step.reduction = node.definition()->traits.reduces.kind;
    step.computed =
        op::accumulation_type(step.reduction, node.operands()[0].type().dtype, step.result);
    step.is_reduced = true;
  } else {
    const std::optional<bool> reduced = is_reduced(node.type().shape);
    if (!reduced) return false;
    step.is_reduced = *reduced;
    std::vector<TensorSpec> types;
    for (const Output& operand : node.operands()) types.push_back(operand.type());
    const DType computed = role == RegionRole::Conversion
                               ? types[0].dtype
                               : op::elementwise_compute_type(*node.definition(), types);
    step.computed = tensor::is_half(computed) ? DType::Float32 : computed;
  }
  for (std::size_t i = 0; i < node.operands().size(); ++i) {
    if (!add_operand(node, i, step)) return false;
  }
  steps_[&node] = program_.steps.size();
  program_.steps.push_back(std::move(step));
  return true;
}

namespace {

// Read as a truth value, a number is read when the program runs.
bool is_in_formula(const Node& node, std::size_t i) {
  return node.definition()->is_elementwise() && !node.definition()->inputs[i].is_mask &&
         constant_number(node.operands()[i]).has_value();
}

}  // namespace

bool RegionDraft::add_operand(const Node& node, std::size_t i, RegionStep& step) {
  if (is_in_formula(node, i)) return true;
  const Output operand = node.operands()[i];
  const bool folds = step.kind == RegionStep::Kind::Reduction;
  const Shape& walked = folds ? operand.type().shape : node.type().shape;
  const IntList along = axes_in_space(walked, !folds && step.is_reduced);
  const SeenValue seen = seen_through_views(operand);
  IntList axes(program_.space.size(), -1);
  const std::size_t missing = walked.size() - operand.type().shape.size();
  for (std::size_t axis = 0; axis < seen.axes.size(); ++axis) {
    if (seen.axes[axis] >= 0)
      axes[static_cast<std::size_t>(along[missing + axis])] = seen.axes[axis];
  }
  const auto made = steps_.find(seen.source.node);
  if (made == steps_.end()) {
    step.operands.push_back(load(seen.source, std::move(axes)));
    return true;
  }
  // A value of the region itself is read at the place where it was computed.
  const IntList own =
      axes_in_space(seen.source.type().shape, program_.steps[made->second].is_reduced);
  IntList wanted(program_.space.size(), -1);
  for (std::size_t axis = 0; axis < own.size(); ++axis) {
    if (own[axis] >= 0)
      wanted[static_cast<std::size_t>(own[axis])] = static_cast<std::int64_t>(axis);
  }
  step.operands.push_back(kSteps + made->second);
  return wanted == axes;
}

std::size_t RegionDraft::load(Output source, IntList axes) {
  const auto found = std::ranges::find(arguments_, source);
  const auto argument = static_cast<std::size_t>(found - arguments_.begin());
  if (found == arguments_.end()) {
    arguments_.push_back(source);
    program_.arguments.push_back(source.type());
  }
  const op::RegionLoad wanted{argument, std::move(axes)};
  const auto same = std::ranges::find(program_.loads, wanted);
  const auto place = static_cast<std::size_t>(same - program_.loads.begin());
  if (same == program_.loads.end()) program_.loads.push_back(wanted);
  return place;
}

namespace {

// Attributes and numbers become constants; the inputs that are left are the step's operands.
op::ScalarProgram formula_of(const Node& node) {
  op::ScalarProgram formula;
  if (!node.definition()->is_elementwise()) {
    formula.steps.push_back({.op = ScalarOp::Input});
    formula.input_count = 1;
    return formula;
  }
  formula = node.definition()->program();
  std::vector<int> place;
  int next = 0;
  for (std::size_t i = 0; i < node.operands().size(); ++i)
    place.push_back(is_in_formula(node, i) ? -1 : next++);
  formula.input_count = next;
  for (op::ScalarStep& step : formula.steps) {
    const auto index = static_cast<std::size_t>(step.index);
    if (step.op == ScalarOp::Attribute)
      step = {.op = ScalarOp::Constant, .number = attribute_number(node.attributes()[index])};
    if (step.op != ScalarOp::Input) continue;
    if (place[index] >= 0)
      step.index = place[index];
    else
      step = {.op = ScalarOp::Constant, .number = *constant_number(node.operands()[index])};
  }
  return formula;
}

}  // namespace

std::optional<op::RegionProgram> RegionDraft::finished(std::span<const Output> results) const {
  op::RegionProgram program = program_;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (program.steps[i].kind == RegionStep::Kind::Formula)
      program.steps[i].formula = formula_of(*nodes_[i]);
  }
  for (const Output& result : results) {
    const auto made = steps_.find(result.node);
    if (made == steps_.end()) return std::nullopt;
    program.results.push_back({program.loads.size() + made->second, result.type()});
  }
  return program;
}

std::optional<op::RegionProgram> region_program(const Node& fused) {
  const Region& region = fused.region(0);
  std::vector<Node*> nodes;
  for (Node* node : region.nodes()) {
    if (node->kind() == NodeKind::Constant || is_plain_view(*node)) continue;
    if (region_role(*node) == RegionRole::None) return std::nullopt;
    nodes.push_back(node);
  }
  const std::optional<RegionDraft> draft = RegionDraft::of(nodes);
  if (!draft) return std::nullopt;
  std::optional<op::RegionProgram> program = draft->finished(region.results());
  if (!program) return std::nullopt;
  std::vector<std::size_t> places;
  for (const Output& argument : draft->arguments()) {
    const auto found = std::ranges::find(region.arguments(), argument.node);
    if (found == region.arguments().end()) return std::nullopt;  // a constant that is no number
    places.push_back(static_cast<std::size_t>(found - region.arguments().begin()));
  }
  for (op::RegionLoad& load : program->loads) load.argument = places[load.argument];
  program->arguments.clear();
  for (const Node* argument : region.arguments()) program->arguments.push_back(argument->type());
  return program;
}

}  // namespace mycel::ir
