// SPDX-License-Identifier: Apache-2.0
#include "operator/region_compiler.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace mycel::op {

using platform::ErrorKind;
using platform::join;
using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

bool RegionProgram::has_reductions() const {
  return std::ranges::find(is_reduced, true) != is_reduced.end();
}

Shape RegionProgram::shape_of(const RegionStep& step) const {
  Shape shape = space;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (step.is_reduced && is_reduced[axis]) shape[axis] = 1;
  }
  return shape;
}

namespace {

// Enough of them to tell any two numbers apart.
std::string digits_of(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

std::string text_of(const ScalarProgram& formula) {
  std::string text;
  for (const ScalarStep& step : formula.steps) {
    text += join(text.empty() ? "" : ", ", name_of(step.op));
    if (step.op == ScalarOp::Input) text += join(" ", step.index, step.is_mask ? " mask" : "");
    if (step.op == ScalarOp::Constant) text += join(" ", digits_of(step.number));
    for (int i = 0; i < arity_of(step.op); ++i) text += join(" %", int{step.args[i]});
  }
  return text;
}

std::string text_of(const RegionStep& step) {
  std::string text;
  for (const std::size_t operand : step.operands) text += join(text.empty() ? "" : ", ", operand);
  const bool folds = step.kind == RegionStep::Kind::Reduction;
  return join(folds ? name_of(step.reduction) : "formula", "(", text, ")", folds ? "" : " {",
              folds ? "" : text_of(step.formula), folds ? "" : "}", " in ", step.computed, " : ",
              step.result, step.is_reduced ? " reduced" : "");
}

std::string text_of(const TensorSpec& type) {
  return join(type.dtype, type.shape, type.is_number ? " number" : "");
}

}  // namespace

std::string to_text(const RegionProgram& program) {
  std::string text = join("space ", program.space, " reduced (");
  for (std::size_t axis = 0; axis < program.is_reduced.size(); ++axis) {
    if (program.is_reduced[axis]) text += join(" ", axis);
  }
  text += " )\n";
  for (const TensorSpec& argument : program.arguments)
    text += join("argument ", text_of(argument), "\n");
  std::size_t value = 0;
  for (const RegionLoad& load : program.loads)
    text += join(value++, " = load ", load.argument, " along ", load.axes, "\n");
  for (const RegionStep& step : program.steps) text += join(value++, " = ", text_of(step), "\n");
  for (const RegionResult& result : program.results)
    text += join("result ", result.value, " : ", text_of(result.type), "\n");
  return text;
}

Tensor seen_in_space(const RegionProgram& program, const RegionLoad& load, const Tensor& argument) {
  Shape shape;
  tensor::Strides strides;
  for (std::size_t axis = 0; axis < program.space.size(); ++axis) {
    const std::int64_t own = load.axes[axis];
    shape.push_back(own < 0 ? 1 : program.space[axis]);
    strides.push_back(own < 0 ? 0 : argument.strides()[static_cast<std::size_t>(own)]);
  }
  Tensor view = Tensor::view(argument, shape, strides, argument.body().offset);
  view.body().is_number = argument.body().is_number;
  return view;
}

bool may_overwrite(const RegionProgram& program, std::size_t argument, std::size_t result) {
  if (program.has_reductions() || program.arguments[argument].is_number) return false;
  if (!(program.arguments[argument].shape == program.results[result].type.shape)) return false;
  return std::ranges::all_of(program.loads, [&](const RegionLoad& load) {
    return load.argument != argument || std::ranges::find(load.axes, -1) == load.axes.end();
  });
}

std::string excess(const RegionProgram& program, const RegionLimits& limits) {
  if (program.arguments.size() > limits.arguments)
    return join(program.arguments.size(), " arguments");
  if (program.results.size() > limits.results) return join(program.results.size(), " results");
  if (program.steps.size() > limits.steps) return join(program.steps.size(), " steps");
  for (const TensorSpec& argument : program.arguments) {
    if (!argument.is_number && !limits.dtypes.contains(argument.dtype))
      return join("an argument of type ", argument.dtype);
  }
  for (const RegionStep& step : program.steps) {
    for (const DType dtype : {step.computed, step.result}) {
      if (!limits.dtypes.contains(dtype)) return join("a step in ", dtype);
    }
    if (step.kind == RegionStep::Kind::Reduction && !limits.reductions.contains(step.reduction))
      return join("a reduction of kind ", name_of(step.reduction));
  }
  return {};
}

namespace {

std::array<RegionCompiler*, device::kMaxBackends>& compilers() {
  static std::array<RegionCompiler*, device::kMaxBackends> instance{};
  return instance;
}

}  // namespace

void set_region_compiler(std::string_view backend, RegionCompiler* compiler) {
  compilers()[device::reserve_backend(backend)] = compiler;
}

RegionCompiler* region_compiler(device::Device device) { return compilers()[device.backend]; }

}  // namespace mycel::op
