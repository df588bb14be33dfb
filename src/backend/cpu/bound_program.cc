// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/bound_program.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

#include "platform/error/error.h"

namespace mycel::cpu {
namespace {

using op::ScalarOp;
using op::ScalarStep;
using platform::ErrorKind;
using tensor::DType;

bool is_rounding(ScalarOp o) {
  return o == ScalarOp::Floor || o == ScalarOp::Ceil || o == ScalarOp::Round ||
         o == ScalarOp::Trunc;
}

// Whether operand i of the operation is read as a truth value.
bool takes_mask(ScalarOp o, int i) {
  if (o == ScalarOp::Select) return i == 0;
  return o == ScalarOp::And || o == ScalarOp::Or || o == ScalarOp::Xor || o == ScalarOp::Not ||
         o == ScalarOp::FromMask;
}

bool is_comparison(ScalarOp o) { return ScalarOp::Equal <= o && o <= ScalarOp::GreaterEqual; }

int cost_of(ScalarOp o) {
  if (o == ScalarOp::Pow || o == ScalarOp::Lgamma || o == ScalarOp::Digamma ||
      o == ScalarOp::Erfinv || o == ScalarOp::TruncMod) {
    return 32;
  }
  if (ScalarOp::Exp <= o && o <= ScalarOp::Sigmoid) return 8;
  if (o == ScalarOp::Atan2 || o == ScalarOp::Hypot) return 16;
  if (o == ScalarOp::Sqrt || o == ScalarOp::Rsqrt ||
      (ScalarOp::Div <= o && o <= ScalarOp::FloorMod))
    return 2;
  return 1;
}

// Builds the steps, one value per slot, without buffers.
class Binder {
 public:
  Binder(const op::ScalarProgram& source, DType type, std::string_view name)
      : source_(source), type_(type), name_(name), number_(number_of(type)) {
    out_.stored = dtype_of(number_);
    out_.element_bytes = bytes_of(number_);
    out_.block = kBlockBytes / out_.element_bytes;
  }

  BoundProgram run() {
    if (!bind_fused()) {
      for (const ScalarStep& step : source_.steps) slots_.push_back(add(step));
      out_.result = slots_.back();
    }
    fuse_comparisons();
    drop_unused();
    assign_buffers();
    out_.result_dtype = masks_[out_.result] ? DType::Bool : out_.stored;
    out_.is_one_step = out_.steps.size() == 1 && masks_.size() <= 8 && out_.attributes.empty();
    if (out_.is_one_step && tensor::is_half(type_)) choose_half_variants();
    for (const BoundStep& step : out_.steps) out_.cost += costs_[step.result];
    out_.cost = std::max(1, out_.cost / 3);
    return std::move(out_);
  }

 private:
  bool real() const { return !tensor::is_complex(type_); }

  // The operator as one loop of its own, when there is one.
  bool bind_fused() {
    if (number_ != Number::F32 && number_ != Number::F64) return false;
    for (const FusedLoop& loop : loop_table().fused) {
      if (loop.name == nullptr) return false;
      if (loop.name != name_ || loop.arity != source_.input_count) continue;
      BoundStep step;
      step.variants = loop.variants[number_ == Number::F64 ? 1 : 0];
      step.arity = static_cast<std::uint8_t>(loop.arity);
      for (int i = 0; i < loop.arity; ++i) {
        step.args[i] = new_slot(false, 0);
        out_.inputs.push_back({step.args[i], i, false, 0});
      }
      step.result = new_slot(false, cost_of(ScalarOp::Erf));
      out_.steps.push_back(step);
      out_.result = step.result;
      return true;
    }
    return false;
  }

  void choose_half_variants() {
    const Slot result = out_.steps[0].result;
    if (result >= ops_.size() || ops_[result] < ScalarOp::Add || ops_[result] > ScalarOp::Div)
      return;
    if (!out_.constants.empty()) return;
    const int which = static_cast<int>(ops_[result]) - static_cast<int>(ScalarOp::Add);
    out_.half_variants = loop_table().half_steps[type_ == DType::BFloat16 ? 1 : 0][which];
    out_.half_dtype = type_;
  }

  Slot new_slot(bool is_mask, int cost) {
    platform::require(masks_.size() < kMaxSlots, ErrorKind::Internal, "scalar program too long");
    masks_.push_back(is_mask);
    costs_.push_back(cost);
    return static_cast<Slot>(masks_.size() - 1);
  }

  Slot add(const ScalarStep& step) {
    if (step.op == ScalarOp::Input) {
      const Slot slot = new_slot(step.is_mask, 0);
      out_.inputs.push_back({slot, step.index, step.is_mask, 0});
      return slot;
    }
    if (step.op == ScalarOp::Attribute) {
      const Slot slot = new_slot(false, 0);
      out_.attributes.push_back({slot, step.index});
      return slot;
    }
    if (step.op == ScalarOp::Constant) return add_constant(step.number);
    return add_operation(step);
  }

  Slot add_constant(double number) {
    BoundConstant constant{new_slot(false, 0), {}};
    conversion(DType::Float64, out_.stored)(&number, 1, constant.value, 1, 1);
    out_.constants.push_back(constant);
    return constant.slot;
  }

  Slot add_operation(const ScalarStep& step) {
    ScalarOp o = step.op;
    const Slot first = slots_[step.args[0]];
    if (real() && (o == ScalarOp::Conj || o == ScalarOp::Real)) return first;
    if (is_rounding(o) && (tensor::is_integral(type_) || type_ == DType::Bool)) return first;
    if (o == ScalarOp::BitNot && type_ == DType::Bool) o = ScalarOp::Not;
    Slot args[3] = {0, 0, 0};
    for (int i = 0; i < op::arity_of(o); ++i) args[i] = as(slots_[step.args[i]], takes_mask(o, i));
    return emit(o, args);
  }

  // The value as a mask or as a number, whichever is asked for.
  Slot as(Slot slot, bool mask) {
    if (masks_[slot] == mask) return slot;
    const Slot args[3] = {slot, 0, 0};
    return emit(mask ? ScalarOp::ToMask : ScalarOp::FromMask, args);
  }

  Slot emit(ScalarOp o, const Slot (&args)[3]) {
    BoundStep step;
    step.variants = loop_table().steps[static_cast<int>(number_)][static_cast<int>(o)];
    platform::require(step.variants[0] != nullptr, ErrorKind::Type, "For '", name_,
                      "', the operation ", op::name_of(o), " is not defined for the type ", type_,
                      ".");
    std::copy(args, args + 3, step.args);
    step.arity = static_cast<std::uint8_t>(op::arity_of(o));
    step.first_choice = o == ScalarOp::Select ? 1 : 0;
    step.mask_operand = o == ScalarOp::Select;
    step.result = new_slot(op::gives_mask(o), cost_of(o));
    ops_.resize(masks_.size(), ScalarOp::Input);
    ops_[step.result] = o;
    out_.steps.push_back(step);
    return step.result;
  }

  bool is_fixed(Slot slot) const {
    return std::ranges::any_of(out_.constants, [&](const auto& c) { return c.slot == slot; }) ||
           std::ranges::any_of(out_.attributes, [&](const auto& a) { return a.slot == slot; });
  }

  // select(x > 0, a, b) is one loop: the mask would otherwise travel through memory.
  void fuse_comparisons() {
    if (number_ != Number::F32 && number_ != Number::F64) return;
    ops_.resize(masks_.size(), ScalarOp::Input);
    for (BoundStep& select : out_.steps) {
      if (ops_[select.result] != ScalarOp::Select) continue;
      const Slot mask = select.args[0];
      if (!is_comparison(ops_[mask])) continue;
      const auto compare =
          std::ranges::find_if(out_.steps, [&](const BoundStep& s) { return s.result == mask; });
      if (!is_fixed(compare->args[1])) continue;
      const int which = static_cast<int>(ops_[mask]) - static_cast<int>(ScalarOp::Equal);
      select.variants = loop_table().compare_select[number_ == Number::F64 ? 1 : 0][which];
      const Slot args[4] = {compare->args[0], compare->args[1], select.args[1], select.args[2]};
      std::copy(args, args + 4, select.args);
      select.arity = 4;
      select.first_choice = 2;
      select.mask_operand = false;
    }
  }

  std::vector<int> last_uses() const {
    std::vector<int> last(masks_.size(), -1);
    for (int i = 0; i < static_cast<int>(out_.steps.size()); ++i) {
      for (int a = 0; a < out_.steps[i].arity; ++a) last[out_.steps[i].args[a]] = i;
    }
    last[out_.result] = static_cast<int>(out_.steps.size());
    return last;
  }

  void drop_unused() {
    for (std::size_t i = out_.steps.size(); i-- > 0;) {
      if (last_uses()[out_.steps[i].result] < 0)
        out_.steps.erase(out_.steps.begin() + static_cast<std::ptrdiff_t>(i));
    }
    const std::vector<int> last = last_uses();
    std::erase_if(out_.inputs, [&](const BoundInput& input) { return last[input.slot] < 0; });
  }

  // A buffer is free again after the last reader. A result may take the buffer of an operand of the
  // same width, because loops allow that; never of another width.
  void assign_buffers() {
    for (BoundInput& input : out_.inputs) input.buffer = out_.buffer_count++;
    out_.spare_buffer = out_.buffer_count++;
    const std::vector<int> last = last_uses();
    std::array<std::vector<int>, 2> idle;  // numbers, masks
    std::vector<int> holder(masks_.size(), kOutputBuffer);
    for (int i = 0; i < static_cast<int>(out_.steps.size()); ++i) {
      BoundStep& step = out_.steps[i];
      const bool is_mask = masks_[step.result];
      release(step, i, last, holder, idle, is_mask);
      auto& pool = idle[is_mask ? 1 : 0];
      if (pool.empty()) pool.push_back(out_.buffer_count++);
      step.buffer = pool.back();
      pool.pop_back();
      holder[step.result] = step.buffer;
      release(step, i, last, holder, idle, !is_mask);
    }
  }

  void release(const BoundStep& step, int position, const std::vector<int>& last,
               std::vector<int>& holder, std::array<std::vector<int>, 2>& idle, bool masks) const {
    for (int a = 0; a < step.arity; ++a) {
      const Slot slot = step.args[a];
      if (last[slot] != position || masks_[slot] != masks || holder[slot] == kOutputBuffer)
        continue;
      idle[masks ? 1 : 0].push_back(holder[slot]);
      holder[slot] = kOutputBuffer;
    }
  }

  const op::ScalarProgram& source_;
  DType type_;
  std::string_view name_;
  Number number_;
  BoundProgram out_;
  std::vector<Slot> slots_;    // of each source step
  std::vector<bool> masks_;    // by slot
  std::vector<int> costs_;     // by slot
  std::vector<ScalarOp> ops_;  // by slot
};

struct Memo : op::DefinitionMemo {
  explicit Memo(std::unique_ptr<const BoundProgram> bound) : program(std::move(bound)) {}
  std::unique_ptr<const BoundProgram> program;
};

}  // namespace

std::unique_ptr<const BoundProgram> bind(const op::ScalarProgram& program, DType compute_type,
                                         std::string_view op_name) {
  return std::make_unique<const BoundProgram>(Binder(program, compute_type, op_name).run());
}

const BoundProgram& bound_program(const op::OpDef& definition, DType compute_type) {
  const op::DefinitionMemo* memo = definition.memo(device::kHostBackend, compute_type);
  if (memo == nullptr) [[unlikely]] {
    memo = &definition.keep(
        device::kHostBackend, compute_type,
        std::make_unique<Memo>(bind(definition.program(), compute_type, definition.name)));
  }
  return *static_cast<const Memo*>(memo)->program;
}

}  // namespace mycel::cpu
