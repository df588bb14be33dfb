// SPDX-License-Identifier: Apache-2.0
#include "operator/single_call.h"

#include <array>

#include "backend/cpu/bound_program.h"
#include "backend/cpu/scalar_executor.h"
#include "operator/registry.h"

namespace mycel::cpu {
namespace {

using tensor::DType;
using tensor::Tensor;

constexpr std::size_t kMostSlots = 64;
constexpr std::size_t kMostOperands = 8;
constexpr std::size_t kValueBytes = 16;

// The steps of a formula with one element in every slot.
class CpuSingleCall final : public op::SingleCall {
 public:
  CpuSingleCall(const BoundProgram& program, std::span<const op::AttributeValue> attributes,
                std::span<const Tensor> inputs, const Tensor& output)
      : program_(program) {
    for (const BoundConstant& constant : program.constants)
      fixed_.push_back({constant.slot, constant.value});
    attributes_.resize(program.attributes.size() * kValueBytes);
    store_attributes(program, attributes, attributes_.data());
    for (std::size_t i = 0; i < program.attributes.size(); ++i)
      fixed_.push_back({program.attributes[i].slot, attributes_.data() + kValueBytes * i});
    for (const BoundInput& input : program.inputs) {
      const DType held = inputs[static_cast<std::size_t>(input.input)].dtype();
      loads_.push_back({input.slot, input.input, input_conversion(program, input, held)});
    }
    if (output.dtype() != program.result_dtype)
      store_ = conversion(program.result_dtype, output.dtype());
  }

  void run(std::span<const void* const> inputs, void* output) const override {
    alignas(64) std::array<char, kMostSlots * kValueBytes> memory;
    std::array<const char*, kMostSlots> values;
    const auto place = [&](Slot slot) { return memory.data() + slot * kValueBytes; };
    for (const Fixed& fixed : fixed_) values[fixed.slot] = fixed.value;
    for (const Load& load : loads_) {
      const void* const data = inputs[static_cast<std::size_t>(load.input)];
      values[load.slot] = static_cast<const char*>(data);
      if (load.convert == nullptr) continue;
      load.convert(data, 1, place(load.slot), 1, 1);
      values[load.slot] = place(load.slot);
    }
    for (const BoundStep& step : program_.steps) {
      const bool is_last = store_ == nullptr && step.result == program_.result;
      char* const result = is_last ? static_cast<char*>(output) : place(step.result);
      const auto argument = [&](int i) { return i < step.arity ? values[step.args[i]] : nullptr; };
      step.variants[0](argument(0), argument(1), argument(2), argument(3), result, 1);
      values[step.result] = result;
    }
    if (store_ != nullptr) store_(values[program_.result], 1, output, 1, 1);
  }

 private:
  struct Fixed {
    Slot slot;
    const char* value;
  };
  struct Load {
    Slot slot;
    int input;
    ConvertFunction convert;  // null: memory already is what the steps read
  };
  const BoundProgram& program_;
  std::vector<Fixed> fixed_;
  std::vector<char> attributes_;
  std::vector<Load> loads_;
  ConvertFunction store_ = nullptr;
};

std::unique_ptr<op::SingleCall> make(const op::OpDef& definition,
                                     std::span<const op::AttributeValue> attributes,
                                     std::span<const Tensor> inputs, const Tensor& output) {
  const DType type = op::elementwise_compute_type(definition, inputs);
  const BoundProgram& program = bound_program(definition, type);
  std::size_t slots = program.result;
  for (const BoundStep& step : program.steps) slots = std::max<std::size_t>(slots, step.result);
  for (const BoundInput& input : program.inputs) slots = std::max<std::size_t>(slots, input.slot);
  const bool fits = slots < kMostSlots && program.inputs.size() <= kMostOperands &&
                    !program.steps.empty() && program.steps.back().result == program.result;
  return fits ? std::make_unique<CpuSingleCall>(program, attributes, inputs, output) : nullptr;
}

const bool registered = (op::set_single_call_maker(make), true);

}  // namespace
}  // namespace mycel::cpu
