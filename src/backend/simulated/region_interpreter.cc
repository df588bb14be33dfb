// SPDX-License-Identifier: Apache-2.0
#include "backend/simulated/region_interpreter.h"

#include <map>

#include "operator/contexts.h"
#include "operator/registry.h"

namespace mycel::backend {
namespace {

using op::Expr;
using op::OpDef;
using op::RegionStep;
using op::ScalarOp;
using tensor::IntList;
using tensor::Tensor;

// What the formula reads comes behind an operand that only says in which type it is computed.
constexpr int kOperands = 1;

Expr expression_of(const op::ScalarProgram& formula) {
  std::vector<Expr> made;
  for (const op::ScalarStep& step : formula.steps) {
    if (step.op == ScalarOp::Input) {
      made.push_back(Expr::input(kOperands + step.index, step.is_mask));
    } else if (step.op == ScalarOp::Constant) {
      made.emplace_back(step.number);
    } else {
      std::vector<Expr> args;
      for (int i = 0; i < op::arity_of(step.op); ++i) args.push_back(made[step.args[i]]);
      made.push_back(Expr::make(step.op, std::move(args)));
    }
  }
  return made.back();
}

std::unique_ptr<OpDef> definition_of(const RegionStep& step) {
  if (step.kind != RegionStep::Kind::Formula) return nullptr;
  auto definition = std::make_unique<OpDef>();
  definition->name = "region_step";
  definition->internal = true;
  definition->inputs.resize(kOperands + step.operands.size());
  for (const op::ScalarStep& part : step.formula.steps) {
    if (part.op == ScalarOp::Input && part.is_mask)
      definition->inputs[static_cast<std::size_t>(kOperands + part.index)].is_mask = true;
  }
  definition->outputs.resize(1);
  definition->scalar = expression_of(step.formula);
  definition->type_rule = op::TypeRule::First;
  definition->infer = op::infer_elementwise;
  return definition;
}

// An operator of the host that reduces in this way.
const OpDef& reduction_named(op::ReduceKind kind) {
  static const auto by_kind = [] {
    std::map<op::ReduceKind, const OpDef*> table;
    for (const OpDef* definition : op::all()) {
      const bool is_one = !definition->traits.reduces.axes.empty() &&
                          !definition->kernels[device::kHostBackend].empty();
      if (is_one) table.try_emplace(definition->traits.reduces.kind, definition);
    }
    return table;
  }();
  return *by_kind.at(kind);
}

void run_reduction(const op::RegionProgram& program, const RegionStep& step, const Tensor& value,
                   Tensor& result) {
  const OpDef& definition = reduction_named(step.reduction);
  op::AttributeList attributes;
  for (const op::AttributeDef& attribute : definition.attributes)
    attributes.push_back(attribute.initial);
  IntList axes;
  for (std::size_t axis = 0; axis < program.space.size(); ++axis) {
    if (program.is_reduced[axis]) axes.push_back(static_cast<std::int64_t>(axis));
  }
  const int place = definition.find_attribute(definition.traits.reduces.axes);
  attributes[static_cast<std::size_t>(place)] = std::move(axes);
  op::KernelContext kernel(definition, attributes, std::span(&value, 1), std::span(&result, 1));
  op::run_kernel(kernel, device::Device{});
}

// Over the whole space, where it is a step's value that only some of its readers stretch.
Tensor stretched(const Tensor& value, const tensor::Shape& shape) {
  tensor::Strides strides = value.strides();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (value.shape()[axis] != shape[axis]) strides[axis] = 0;
  }
  return Tensor::view(value, shape, strides, value.body().offset);
}

}  // namespace

RegionInterpreter::RegionInterpreter(op::RegionProgram program) : program_(std::move(program)) {
  for (const RegionStep& step : program_.steps) formulas_.push_back(definition_of(step));
}

void RegionInterpreter::run_step(std::size_t place, const std::vector<Tensor>& values,
                                 Tensor& result) const {
  const RegionStep& step = program_.steps[place];
  if (step.kind == RegionStep::Kind::Reduction) {
    run_reduction(program_, step, stretched(values[step.operands[0]], program_.space), result);
    return;
  }
  std::vector<Tensor> operands{Tensor::empty({}, step.computed)};
  for (const std::size_t operand : step.operands) operands.push_back(values[operand]);
  op::KernelContext kernel(*formulas_[place], {}, operands, std::span(&result, 1));
  op::run_kernel(kernel, device::Device{});
}

void RegionInterpreter::run(std::span<const Tensor> arguments,
                            std::span<const Tensor> results) const {
  std::vector<Tensor> values;
  for (const op::RegionLoad& load : program_.loads)
    values.push_back(op::seen_in_space(program_, load, arguments[load.argument]));
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    const RegionStep& step = program_.steps[i];
    Tensor result = Tensor::empty(program_.shape_of(step), step.result);
    run_step(i, values, result);
    values.push_back(std::move(result));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Tensor& value = values[program_.results[i].value];
    tensor::copy_elements(
        value, Tensor::view(results[i], value.shape(), value.strides(), results[i].body().offset));
  }
}

}  // namespace mycel::backend
