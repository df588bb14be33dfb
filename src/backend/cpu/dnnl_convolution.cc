// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/dnnl_convolution.h"

#include <optional>

#include "backend/cpu/dnnl_primitive.h"
#include "backend/cpu/loops/blocked_loops.h"
#include "platform/thread/parallel_for.h"

namespace mycel::backend {
namespace {

using dnnl::memory;
using tensor::Tensor;

// A tensor in the caller's layout and in the one the primitive chose, with the way between them.
struct Operand {
  std::optional<DnnlStep> reorder;
  std::size_t bytes = 0;  // of the chosen layout, when it differs
  bool tiled = false;     // the chosen layout is that of `is_tiled`
};

// Weights of a 1 x 1 window in square tiles, inputs by outputs: one of our loops brings them back
// at the speed of memory, which oneDNN's does not.
bool is_tiled(const memory::desc& layout) {
  const memory::dims dims = layout.get_dims();
  const std::int64_t lanes = blocked_lanes();
  if (dims.size() != 4 || dims[2] != 1 || dims[3] != 1 || dims[0] % lanes != 0 ||
      dims[1] % lanes != 0 || layout.get_data_type() != memory::data_type::f32)
    return false;
  using Tag = memory::format_tag;
  return layout ==
         memory::desc(dims, memory::data_type::f32, lanes == 16 ? Tag::ABcd16b16a : Tag::ABcd8b8a);
}

void lay_out(const void* tiles, const Tensor& weight) {
  const std::int64_t lanes = blocked_lanes(), outputs = weight.shape()[0];
  const std::int64_t inputs = weight.shape()[1];
  platform::parallel_for(
      outputs / lanes, lanes * inputs, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
          const std::int64_t at = block * lanes * inputs;
          blocked_loops().lay_out_tiles(static_cast<const float*>(tiles) + at, inputs / lanes,
                                        weight.data<float>() + at, inputs);
        }
      });
}

struct Plan {
  bool usable = false;
  Operand input, weight, output;
  DnnlStep step;
};

enum class Flow : std::uint8_t { Read, Written };

Operand make_operand(const memory::desc& given, const memory::desc& chosen, Flow flow) {
  Operand operand;
  if (given == chosen) return operand;
  operand.bytes = chosen.get_size();
  operand.tiled = flow == Flow::Written && is_tiled(chosen);
  const memory::desc& from = flow == Flow::Read ? given : chosen;
  const memory::desc& to = flow == Flow::Read ? chosen : given;
  const dnnl::reorder::primitive_desc reorder(dnnl_engine(), from, dnnl_engine(), to,
                                              dnnl_attributes());
  operand.reorder.emplace(
      dnnl::reorder(reorder),
      std::vector<std::pair<int, memory::desc>>{{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}},
      reorder.scratchpad_desc());
  return operand;
}

memory::desc free_layout(const memory::desc& given) {
  return {given.get_dims(), given.get_data_type(), memory::format_tag::any};
}

struct Layouts {
  memory::desc input, weight, bias, output;        // as the caller has them
  memory::desc any_input, any_weight, any_output;  // what the primitive may choose
  memory::dims stride, dilation, pad_before, pad_after;
  bool fixed = false;  // the activations are to stay as they are

  Layouts(const ConvolutionTensors& tensors, const ConvolutionWindow& window) {
    const memory::data_type type = dnnl_type(tensors.input.dtype());
    const auto dims = [](const Tensor& t) {
      return memory::dims(t.shape().begin(), t.shape().end());
    };
    memory::dims weights = dims(tensors.weight);
    using Tag = memory::format_tag;
    Tag tag = Tag::abcd;
    if (window.groups > 1) {
      weights[0] /= window.groups;
      weights.insert(weights.begin(), window.groups);
      tag = Tag::abcde;
    }
    input = activation_layout(tensors.input);
    output = activation_layout(tensors.output);
    weight = {weights, type, tag};
    any_weight = {weights, type, Tag::any};
    fixed = tensors.output.shape().size() == 5;
    any_input = fixed ? input : free_layout(input);
    any_output = fixed ? output : free_layout(output);
    if (tensors.bias.defined()) bias = {dims(tensors.bias), type, Tag::a};
    stride = {window.stride_height, window.stride_width};
    dilation = {window.dilation_height - 1, window.dilation_width - 1};
    pad_before = {window.pad_top, window.pad_left};
    pad_after = {window.pad_bottom, window.pad_right};
  }

  void release() {
    fixed = false;
    any_input = free_layout(input);
    any_output = free_layout(output);
  }
};

// oneDNN's own plain loops are for completeness, not for use.
bool is_slow(const char* implementation) {
  return std::string_view(implementation).starts_with("ref");
}

// Parts of the finish in the order in which they are given to the primitive.
struct FinishPart {
  const Tensor* tensor;
  memory::desc layout;
};
std::vector<FinishPart> parts_of(const ConvolutionFinish& finish, const Layouts& l) {
  std::vector<FinishPart> parts;
  const memory::desc per_channel(memory::dims{1, l.output.get_dims()[1], 1, 1},
                                 memory::data_type::f32, memory::format_tag::abcd);
  if (finish.scale.defined()) parts.push_back({&finish.scale, per_channel});
  if (finish.shift.defined()) parts.push_back({&finish.shift, per_channel});
  if (finish.residual.defined()) parts.push_back({&finish.residual, l.output});
  return parts;
}

dnnl::primitive_attr attributes_of(const ConvolutionFinish& finish, const Layouts& l) {
  dnnl::primitive_attr attributes = dnnl_attributes();
  dnnl::post_ops steps;
  for (const FinishPart& part : parts_of(finish, l)) {
    const bool scales = part.tensor == &finish.scale;
    steps.append_binary(scales ? dnnl::algorithm::binary_mul : dnnl::algorithm::binary_add,
                        part.layout);
  }
  attributes.set_post_ops(steps);
  return attributes;
}

constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;

auto forward_of(const Layouts& l, const ConvolutionFinish& finish = {}) {
  using Description = dnnl::convolution_forward::primitive_desc;
  const auto kind = dnnl::prop_kind::forward_training;
  const dnnl::primitive_attr attributes = attributes_of(finish, l);
  return !l.bias.is_zero()
             ? Description(dnnl_engine(), kind, kAlgorithm, l.any_input, l.any_weight, l.bias,
                           l.any_output, l.stride, l.dilation, l.pad_before, l.pad_after,
                           attributes, true)
             : Description(dnnl_engine(), kind, kAlgorithm, l.any_input, l.any_weight, l.any_output,
                           l.stride, l.dilation, l.pad_before, l.pad_after, attributes, true);
}

Plan plan_forward(const Layouts& l, const ConvolutionFinish& finish) {
  const auto chosen = forward_of(l, finish);
  if (!chosen || (l.fixed && is_slow(chosen.impl_info_str()))) return {};
  Plan plan{true,
            make_operand(l.input, chosen.src_desc(), Flow::Read),
            make_operand(l.weight, chosen.weights_desc(), Flow::Read),
            make_operand(l.output, chosen.dst_desc(), Flow::Written),
            {}};
  std::vector<std::pair<int, memory::desc>> arguments = {{DNNL_ARG_SRC, chosen.src_desc()},
                                                         {DNNL_ARG_WEIGHTS, chosen.weights_desc()},
                                                         {DNNL_ARG_DST, chosen.dst_desc()}};
  if (!l.bias.is_zero()) arguments.emplace_back(DNNL_ARG_BIAS, l.bias);
  int place = 0;
  for (const FinishPart& part : parts_of(finish, l)) {
    arguments.emplace_back(DNNL_ARG_ATTR_MULTIPLE_POST_OP(place++) | DNNL_ARG_SRC_1, part.layout);
  }
  plan.step =
      DnnlStep(dnnl::convolution_forward(chosen), std::move(arguments), chosen.scratchpad_desc());
  return plan;
}

Plan plan_input_gradient(const Layouts& l) {
  const auto hint = forward_of(l);
  if (!hint) return {};
  const dnnl::convolution_backward_data::primitive_desc chosen(
      dnnl_engine(), kAlgorithm, l.any_input, l.any_weight, l.any_output, l.stride, l.dilation,
      l.pad_before, l.pad_after, hint, dnnl_attributes(), true);
  if (!chosen || (l.fixed && is_slow(chosen.impl_info_str()))) return {};
  Plan plan{true,
            make_operand(l.input, chosen.diff_src_desc(), Flow::Written),
            make_operand(l.weight, chosen.weights_desc(), Flow::Read),
            make_operand(l.output, chosen.diff_dst_desc(), Flow::Read),
            {}};
  plan.step = DnnlStep(dnnl::convolution_backward_data(chosen),
                       {{DNNL_ARG_DIFF_SRC, chosen.diff_src_desc()},
                        {DNNL_ARG_WEIGHTS, chosen.weights_desc()},
                        {DNNL_ARG_DIFF_DST, chosen.diff_dst_desc()}},
                       chosen.scratchpad_desc());
  return plan;
}

Plan plan_weight_gradient(const Layouts& l) {
  const auto hint = forward_of(l);
  if (!hint) return {};
  const dnnl::convolution_backward_weights::primitive_desc chosen(
      dnnl_engine(), kAlgorithm, l.any_input, l.any_weight, l.any_output, l.stride, l.dilation,
      l.pad_before, l.pad_after, hint, dnnl_attributes(), true);
  if (!chosen || (l.fixed && is_slow(chosen.impl_info_str()))) return {};
  Plan plan{true,
            make_operand(l.input, chosen.src_desc(), Flow::Read),
            make_operand(l.weight, chosen.diff_weights_desc(), Flow::Written),
            make_operand(l.output, chosen.diff_dst_desc(), Flow::Read),
            {}};
  plan.step = DnnlStep(dnnl::convolution_backward_weights(chosen),
                       {{DNNL_ARG_SRC, chosen.src_desc()},
                        {DNNL_ARG_DIFF_WEIGHTS, chosen.diff_weights_desc()},
                        {DNNL_ARG_DIFF_DST, chosen.diff_dst_desc()}},
                       chosen.scratchpad_desc());
  return plan;
}

Plan make_plan(ConvolutionPass pass, const Layouts& layouts, const ConvolutionFinish& finish) {
  switch (pass) {
    case ConvolutionPass::Forward: return plan_forward(layouts, finish);
    case ConvolutionPass::InputGradient: return plan_input_gradient(layouts);
    case ConvolutionPass::WeightGradient: return plan_weight_gradient(layouts);
  }
  return {};
}

// The address the primitive works on, after bringing the values there.
void* prepare(Operand& operand, const Tensor& tensor, const Scratch& scratch, Flow flow) {
  if (!operand.reorder) return tensor.raw();
  if (flow == Flow::Read) operand.reorder->run({tensor.raw(), scratch.data()});
  return scratch.data();
}

void bring_back(Operand& operand, const Tensor& tensor, void* computed) {
  if (operand.tiled) return lay_out(computed, tensor);
  if (operand.reorder) operand.reorder->run({computed, tensor.raw()});
}

void run_plan(Plan& plan, ConvolutionPass pass, const ConvolutionTensors& tensors,
              const ConvolutionFinish& finish) {
  const auto flow = [&](ConvolutionPass writer) {
    return pass == writer ? Flow::Written : Flow::Read;
  };
  const Scratch input_scratch(plan.input.bytes), weight_scratch(plan.weight.bytes),
      output_scratch(plan.output.bytes);
  void* input =
      prepare(plan.input, tensors.input, input_scratch, flow(ConvolutionPass::InputGradient));
  void* weight =
      prepare(plan.weight, tensors.weight, weight_scratch, flow(ConvolutionPass::WeightGradient));
  void* output =
      prepare(plan.output, tensors.output, output_scratch, flow(ConvolutionPass::Forward));
  platform::InlineVector<void*, 8> addresses{input, weight, output};
  for (const Tensor* more : {&tensors.bias, &finish.scale, &finish.shift, &finish.residual}) {
    if (more->defined()) addresses.push_back(more->raw());
  }
  plan.step.run(std::span<void* const>(addresses.begin(), addresses.size()));
  if (pass == ConvolutionPass::Forward) bring_back(plan.output, tensors.output, output);
  if (pass == ConvolutionPass::InputGradient) bring_back(plan.input, tensors.input, input);
  if (pass == ConvolutionPass::WeightGradient) bring_back(plan.weight, tensors.weight, weight);
}

}  // namespace

bool dnnl_convolution(ConvolutionPass pass, const ConvolutionTensors& tensors,
                      const ConvolutionWindow& window, const ConvolutionFinish& finish) {
  static thread_local PlanCache<Plan> cache;
  const std::int64_t taps =
      tensors.weight.size() / std::max<std::int64_t>(1, tensors.weight.shape()[0]);
  const int threads = threads_for(tensors.output.size() * taps);
  const platform::TeamLimit team(threads);
  PlanKey key{static_cast<std::int64_t>(pass),
              static_cast<std::int64_t>(tensors.input.dtype()),
              tensors.bias.defined(),
              threads,
              window.pad_top,
              window.pad_bottom,
              window.pad_left,
              window.pad_right,
              window.stride_height,
              window.stride_width,
              window.dilation_height,
              window.dilation_width,
              window.groups,
              finish.scale.defined(),
              finish.shift.defined(),
              finish.residual.defined(),
              static_cast<std::int64_t>(tensors.input.shape().size()),
              static_cast<std::int64_t>(tensors.output.shape().size())};
  key.add(tensors.input.shape());
  key.add(tensors.weight.shape());
  key.add(tensors.output.shape());
  Plan& plan = cache.get(key, [&] {
    Layouts layouts(tensors, window);
    Plan made = make_plan(pass, layouts, finish);
    if (made.usable || !layouts.fixed) return made;
    layouts.release();
    return make_plan(pass, layouts, finish);
  });
  if (!plan.usable) return false;
  run_plan(plan, pass, tensors, finish);
  return true;
}

}  // namespace mycel::backend
