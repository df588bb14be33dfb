// SPDX-License-Identifier: Apache-2.0
#include "passes/layout/blockable.h"

#include <algorithm>

#include "operator/registry.h"
#include "passes/memory_effects.h"
#include "passes/rewrite.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::Output;
using op::TensorSpec;
using tensor::DType;
using tensor::IntList;
using tensor::Shape;

// Up to here a first convolution reads images as they are.
constexpr std::int64_t kFewChannels = 4;

bool is_float32(const Output& value) { return !value || value.type().dtype == DType::Float32; }

bool all_float32(const Node& node) {
  return std::all_of(node.operands().begin(), node.operands().end(), is_float32);
}

// ---- convolutions ------------------------------------------------------------------------------

bool groups_fit(std::int64_t in, std::int64_t out, std::int64_t groups, std::int64_t block) {
  if (groups == 1 || (groups == in && groups == out)) return true;
  return in / groups % block == 0 && out / groups % block == 0;
}

// A product of matrices in the plain layout, where nothing is reordered.
bool is_pointwise(const Node& node, std::int64_t kernel_height, std::int64_t kernel_width) {
  const auto all = [&](std::string_view name, std::int64_t value) {
    const IntList values = attribute(node, name).ints();
    return std::all_of(values.begin(), values.end(), [&](std::int64_t v) { return v == value; });
  };
  return kernel_height == 1 && kernel_width == 1 && all("stride", 1) && all("pad", 0) &&
         attribute(node, "groups").integer() == 1;
}

struct ConvolutionShape {
  const TensorSpec *images, *results;
  Shape kernel;
  bool multiplies;  // a pointwise one is a plain product of matrices
};

std::optional<Blockable> convolution(Node& node, const ConvolutionShape& shape, Blockable found,
                                     std::int64_t block) {
  const Shape& x = shape.images->shape;
  const std::int64_t groups = attribute(node, "groups").integer();
  const bool few =
      x[1] <= kFewChannels && groups == 1 && !is_operator(node, "conv2d_input_gradient");
  if (!all_float32(node) || !can_block(*shape.results, block)) return {};
  if (!few && !can_block(*shape.images, block)) return {};
  if (!groups_fit(x[1], shape.results->shape[1], groups, block)) return {};
  const std::size_t rank = shape.kernel.size();
  if (!shape.multiplies || !is_pointwise(node, shape.kernel[rank - 2], shape.kernel[rank - 1])) {
    found.reordered =
        tensor::element_count(shape.results->shape) + (few ? 0 : tensor::element_count(x));
  }
  // The images come first among the operands.
  if (few) found.operands.erase(found.operands.begin());
  return found;
}

std::optional<Blockable> as_convolution(Node& node, std::int64_t block) {
  const auto& operands = node.operands();
  if (is_operator(node, "conv2d")) {
    return convolution(node,
                       {&operands[0].type(), &node.type(), operands[1].type().shape, !operands[2]},
                       {&node, {0}, {0}}, block);
  }
  if (is_operator(node, "conv2d_input_gradient")) {
    return convolution(node, {&node.type(), &operands[0].type(), operands[1].type().shape, true},
                       {&node, {0}, {0}}, block);
  }
  if (is_operator(node, "conv2d_weight_gradient")) {
    return convolution(node, {&operands[0].type(), &operands[1].type(), node.type().shape, false},
                       {&node, {0, 1}, {}}, block);
  }
  return {};
}

// ---- what goes along with them -----------------------------------------------------------------

std::optional<Blockable> as_normalization(Node& node) {
  if (!all_float32(node)) return {};
  if (is_operator(node, "batch_norm_training") || is_operator(node, "batch_norm_inference"))
    return Blockable{&node, {0}, {0}};
  if (is_operator(node, "batch_norm_gradient")) return Blockable{&node, {0, 1}, {0}};
  return {};
}

std::optional<Blockable> as_pooling(Node& node) {
  if (!is_float32(node.operands().empty() ? Output() : node.operands()[0])) return {};
  if (is_operator(node, "max_pool2d")) return Blockable{&node, {0}, {0, 1}};
  if (is_operator(node, "plane_scatter")) return Blockable{&node, {0, 1}, {0}};
  if (is_operator(node, "avg_pool2d") || is_operator(node, "avg_pool2d_gradient"))
    return Blockable{&node, {0}, {0}};
  return {};
}

// A sum over whole planes, which leaves whole channels.
std::optional<Blockable> as_reduction(Node& node) {
  if (!is_operator(node, "reduce_sum") && !is_operator(node, "reduce_mean")) return {};
  if (node.operands()[0].type().rank() != 4) return {};
  const IntList axes = attribute(node, "axis").ints();
  const auto has = [&](std::int64_t axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  };
  if (!has(2) || !has(3) || has(1)) return {};
  return Blockable{&node, {0}, {}};
}

std::optional<Blockable> as_joining(Node& node) {
  if (!is_operator(node, "concat")) return {};
  Blockable found{&node, {}, {0}};
  for (std::size_t i = 0; i < node.operands().size(); ++i) found.operands.push_back(i);
  return found;
}

// Whole blocks of channels, or anything of the other axes: what joining's gradient cuts out.
std::optional<Blockable> as_cutting(Node& node, std::int64_t block) {
  if (!is_operator(node, "slice") || node.type().rank() != 4) return {};
  if (attribute(node, "begin").ints()[1] % block != 0) return {};
  return Blockable{&node, {0}, {0}};
}

// How an operand that is stretched is seen beside blocked ones: a number stays; (…, C, 1, 1) and
// values that are the same for all channels only need another shape.
std::optional<Shape> stretched_shape(const Shape& shape, std::int64_t channels,
                                     std::int64_t block) {
  if (tensor::element_count(shape) == 1)
    return shape.size() <= 4 ? std::optional(shape) : std::nullopt;
  if (shape.size() > 4) return {};
  const std::size_t rank = shape.size();
  const std::int64_t own = rank >= 3 ? shape[rank - 3] : 1;
  Shape seen = shape;
  if (own == 1) {
    seen.push_back(1);
    return seen;
  }
  if (own != channels || shape[rank - 1] != 1 || shape[rank - 2] != 1) return {};
  seen[rank - 3] /= block;
  seen.push_back(block);
  return seen;
}

std::optional<Blockable> as_elementwise(Node& node, std::int64_t block) {
  if (!node.definition()->is_elementwise() || node.definition()->infer != op::infer_elementwise ||
      !can_block(node.type(), block))
    return {};
  const Shape& shape = node.type().shape;
  Blockable found{&node, {}, {0}};
  for (std::size_t i = 0; i < node.operands().size(); ++i) {
    const TensorSpec& type = node.operands()[i].type();
    if (type.shape == shape) {
      found.operands.push_back(i);
    } else if (!stretched_shape(type.shape, shape[1], block)) {
      return {};
    }
  }
  if (found.operands.empty()) return {};
  return found;
}

// ---- conditions for all ------------------------------------------------------------------------

bool values_fit(const Blockable& found, std::int64_t block) {
  const Node& node = *found.node;
  for (const std::size_t i : found.operands) {
    const Output value = node.operands()[i];
    if (!value || !can_block(value.type(), block) || is_parameter_memory(value)) return false;
  }
  for (const std::uint32_t i : found.outputs) {
    if (!can_block(node.type(i), block)) return false;
    for (const Node* user : node.users(i)) {
      for (std::size_t at = 0; at < user->operands().size(); ++at) {
        if (user->operands()[at] == Output{found.node, i} && may_write(*user, at)) return false;
      }
    }
  }
  return true;
}

const op::OpDef& blocked_definition(const Node& node) {
  const op::OpDef* own = op::find_or_null("blocked_" + node.definition()->name);
  return own != nullptr ? *own : *node.definition();
}

op::AttributeList cut_in_blocks(const Node& slice, std::int64_t block) {
  const auto blocked = [&](std::string_view name, std::int64_t last) {
    IntList list = attribute(slice, name).ints();
    list[1] /= block;
    list.push_back(last);
    return list;
  };
  return attributes_for(*slice.definition(),
                        {{"begin", blocked("begin", 0)}, {"size", blocked("size", block)}});
}

Output reshaped(ir::Graph& graph, Node& before, Output value, const Shape& shape) {
  const op::OpDef& reshape = op::find("reshape");
  return add_before(graph, before, reshape, {value},
                    attributes_for(reshape, {{"shape", IntList(shape.begin(), shape.end())}}))
      .output();
}

}  // namespace

bool can_block(const TensorSpec& type, std::int64_t block) {
  return type.rank() == 4 && !type.is_number && type.shape[1] % block == 0 &&
         tensor::element_count(type.shape) > 0;
}

std::optional<Blockable> as_blockable(Node& node, std::int64_t block) {
  if (node.kind() != ir::NodeKind::Operator || node.has_effects() || node.operands().empty())
    return {};
  std::optional<Blockable> found = as_convolution(node, block);
  if (!found) found = as_normalization(node);
  if (!found) found = as_pooling(node);
  if (!found) found = as_reduction(node);
  if (!found) found = as_joining(node);
  if (!found) found = as_cutting(node, block);
  if (!found) found = as_elementwise(node, block);
  if (found && !values_fit(*found, block)) return {};
  return found;
}

std::vector<Output> add_blocked(ir::Graph& graph, const Blockable& plain,
                                std::vector<Output> operands, std::int64_t block) {
  Node& node = *plain.node;
  const op::OpDef& definition = blocked_definition(node);
  if (definition.is_elementwise()) {
    for (Output& operand : operands) {
      if (operand.type().rank() == 5) continue;
      const Shape& shape = operand.type().shape;
      const Shape seen = *stretched_shape(shape, node.type().shape[1], block);
      if (!(seen == shape)) operand = reshaped(graph, node, operand, seen);
    }
  }
  // Optional operands that only the blocked form has are absent.
  if (!definition.inputs.empty() && !definition.inputs.back().variadic)
    operands.resize(definition.inputs.size());
  op::AttributeList attributes = attributes_like(definition, node);
  const int place = definition.find_attribute("block");
  if (place >= 0) attributes[static_cast<std::size_t>(place)] = block;
  if (is_operator(node, "slice")) attributes = cut_in_blocks(node, block);
  Node& blocked = add_before(graph, node, definition, std::move(operands), std::move(attributes));
  std::vector<Output> outputs;
  for (std::uint32_t i = 0; i < node.output_count(); ++i) {
    const bool stays =
        std::find(plain.outputs.begin(), plain.outputs.end(), i) != plain.outputs.end();
    const bool same = blocked.type(i).shape == node.type(i).shape;
    outputs.push_back(stays || same ? blocked.output(i)
                                    : reshaped(graph, node, blocked.output(i), node.type(i).shape));
  }
  return outputs;
}

}  // namespace mycel::passes
