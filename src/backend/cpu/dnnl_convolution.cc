// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/dnnl_convolution.h"

#include <optional>

#include "backend/cpu/dnnl_primitive.h"
#include "platform/thread/parallel_for.h"

namespace mycel::backend {
namespace {

using dnnl::memory;
using tensor::Tensor;

// A tensor in the caller's layout and in the one the primitive chose, with the way between them.
struct Operand {
  std::optional<DnnlStep> reorder;
  std::size_t bytes = 0;  // of the chosen layout, when it differs
};

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

struct Layouts {
  memory::desc input, weight, bias, output;        // as the caller has them
  memory::desc any_input, any_weight, any_output;  // free for the primitive to choose
  memory::dims stride, dilation, pad_before, pad_after;

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
    input = {dims(tensors.input), type, Tag::abcd};
    output = {dims(tensors.output), type, Tag::abcd};
    weight = {weights, type, tag};
    any_input = {dims(tensors.input), type, Tag::any};
    any_output = {dims(tensors.output), type, Tag::any};
    any_weight = {weights, type, Tag::any};
    if (tensors.bias.defined()) bias = {dims(tensors.bias), type, Tag::a};
    stride = {window.stride_height, window.stride_width};
    dilation = {window.dilation_height - 1, window.dilation_width - 1};
    pad_before = {window.pad_top, window.pad_left};
    pad_after = {window.pad_bottom, window.pad_right};
  }
};

constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;

auto forward_of(const Layouts& l) {
  using Description = dnnl::convolution_forward::primitive_desc;
  const auto kind = dnnl::prop_kind::forward_training;
  return !l.bias.is_zero() ? Description(dnnl_engine(), kind, kAlgorithm, l.any_input, l.any_weight,
                                         l.bias, l.any_output, l.stride, l.dilation, l.pad_before,
                                         l.pad_after, dnnl_attributes(), true)
                           : Description(dnnl_engine(), kind, kAlgorithm, l.any_input, l.any_weight,
                                         l.any_output, l.stride, l.dilation, l.pad_before,
                                         l.pad_after, dnnl_attributes(), true);
}

Plan plan_forward(const Layouts& l) {
  const auto chosen = forward_of(l);
  if (!chosen) return {};
  Plan plan{true,
            make_operand(l.input, chosen.src_desc(), Flow::Read),
            make_operand(l.weight, chosen.weights_desc(), Flow::Read),
            make_operand(l.output, chosen.dst_desc(), Flow::Written),
            {}};
  std::vector<std::pair<int, memory::desc>> arguments = {{DNNL_ARG_SRC, chosen.src_desc()},
                                                         {DNNL_ARG_WEIGHTS, chosen.weights_desc()},
                                                         {DNNL_ARG_DST, chosen.dst_desc()}};
  if (!l.bias.is_zero()) arguments.emplace_back(DNNL_ARG_BIAS, l.bias);
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
  if (!chosen) return {};
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
  if (!chosen) return {};
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

Plan make_plan(ConvolutionPass pass, const Layouts& layouts) {
  switch (pass) {
    case ConvolutionPass::Forward: return plan_forward(layouts);
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

void finish(Operand& operand, const Tensor& tensor, void* computed) {
  if (operand.reorder) operand.reorder->run({computed, tensor.raw()});
}

void run_plan(Plan& plan, ConvolutionPass pass, const ConvolutionTensors& tensors) {
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
  if (tensors.bias.defined()) {
    plan.step.run({input, weight, output, tensors.bias.raw()});
  } else {
    plan.step.run({input, weight, output});
  }
  if (pass == ConvolutionPass::Forward) finish(plan.output, tensors.output, output);
  if (pass == ConvolutionPass::InputGradient) finish(plan.input, tensors.input, input);
  if (pass == ConvolutionPass::WeightGradient) finish(plan.weight, tensors.weight, weight);
}

}  // namespace

bool dnnl_convolution(ConvolutionPass pass, const ConvolutionTensors& tensors,
                      const ConvolutionWindow& window) {
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
              window.groups};
  key.add(tensors.input.shape());
  key.add(tensors.weight.shape());
  key.add(tensors.output.shape());
  Plan& plan = cache.get(key, [&] { return make_plan(pass, Layouts(tensors, window)); });
  if (!plan.usable) return false;
  run_plan(plan, pass, tensors);
  return true;
}

}  // namespace mycel::backend
