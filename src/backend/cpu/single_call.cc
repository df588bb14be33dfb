// SPDX-License-Identifier: Apache-2.0
#include "operator/single_call.h"

#include <algorithm>
#include <unordered_map>

#include "backend/cpu/bound_program.h"
#include "backend/cpu/scalar_executor.h"
#include "operator/registry.h"

namespace mycel::cpu {
namespace {

using op::SingleCalls;
using tensor::DType;

constexpr std::size_t kMostRooms = 64;

// The steps of a formula with one element in every slot.
class Adder {
 public:
  Adder(const BoundProgram& program, const op::SingleCall& call, SingleCalls& calls)
      : program_(program), call_(call), calls_(calls) {}

  void add() {
    for (const BoundConstant& constant : program_.constants)
      slots_[constant.slot] = calls_.constant(constant.value);
    add_attributes();
    for (const BoundInput& input : program_.inputs) load(input);
    const SingleCalls::Place output = calls_.operand(call_.first + call_.inputs.size());
    const bool is_converted = call_.output.dtype() != program_.result_dtype;
    for (const BoundStep& step : program_.steps) {
      const bool is_last = step.result == program_.result && !is_converted;
      compute(step, is_last ? output : new_room());
    }
    if (is_converted)
      convert(slots_.at(program_.result), conversion(program_.result_dtype, call_.output.dtype()),
              output);
  }

 private:
  SingleCalls::Place new_room() { return calls_.room(rooms_++); }

  void add_attributes() {
    std::vector<char> values(program_.attributes.size() * SingleCalls::kBytes);
    store_attributes(program_, call_.attributes, values.data());
    for (std::size_t i = 0; i < program_.attributes.size(); ++i)
      slots_[program_.attributes[i].slot] =
          calls_.constant(std::span(values).subspan(SingleCalls::kBytes * i, SingleCalls::kBytes));
  }

  void load(const BoundInput& input) {
    const auto index = static_cast<std::size_t>(input.input);
    const SingleCalls::Place given = calls_.operand(call_.first + index);
    slots_[input.slot] = given;
    const ConvertFunction function = input_conversion(program_, input, call_.inputs[index].dtype());
    if (function == nullptr) return;  // memory already is what the steps read
    slots_[input.slot] = new_room();
    convert(given, function, slots_[input.slot]);
  }

  void convert(SingleCalls::Place from, ConvertFunction function, SingleCalls::Place to) {
    SingleCalls::Step step;
    step.convert = function;
    step.operands.fill(from);
    step.result = to;
    calls_.add_step(step);
  }

  void compute(const BoundStep& bound, SingleCalls::Place result) {
    SingleCalls::Step step;
    step.compute = bound.variants[0];
    step.operands.fill(slots_.at(bound.args[0]));
    for (std::size_t i = 0; i < bound.arity; ++i) step.operands[i] = slots_.at(bound.args[i]);
    step.result = slots_[bound.result] = result;
    calls_.add_step(step);
  }

  const BoundProgram& program_;
  const op::SingleCall& call_;
  SingleCalls& calls_;
  std::unordered_map<Slot, SingleCalls::Place> slots_;
  std::size_t rooms_ = 0;
};

bool add(const op::SingleCall& call, SingleCalls& calls) {
  const DType type = op::elementwise_compute_type(call.definition, call.inputs);
  const BoundProgram& program = bound_program(call.definition, type);
  const bool fits = !program.steps.empty() && program.steps.back().result == program.result &&
                    program.steps.size() + program.inputs.size() <= kMostRooms;
  if (fits) Adder(program, call, calls).add();
  return fits;
}

const bool registered = (op::set_single_call_maker(add), true);

}  // namespace
}  // namespace mycel::cpu
