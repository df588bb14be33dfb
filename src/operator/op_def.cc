// SPDX-License-Identifier: Apache-2.0
#include "operator/op_def.h"

#include <map>

#include "operator/contexts.h"
#include "operator/registry.h"

namespace mycel::op {

// Built on first use and kept: the flattened program and the derived gradient operators.
struct OpDef::Lazy {
  std::once_flag program_once;
  ScalarProgram program;
  std::mutex gradient_mutex;  // guards gradients
  std::map<int, std::unique_ptr<OpDef>> gradients;
};

OpDef::OpDef() : lazy_(std::make_unique<Lazy>()) {}
OpDef::~OpDef() {
  for (auto& of_backend : memos_) {
    for (auto& memo : of_backend) delete memo.load();
  }
}

const DefinitionMemo& OpDef::keep(int backend, DType dtype,
                                  std::unique_ptr<DefinitionMemo> memo) const {
  auto& place = memos_[static_cast<std::size_t>(backend)][static_cast<std::size_t>(dtype)];
  const DefinitionMemo* expected = nullptr;
  if (place.compare_exchange_strong(expected, memo.get(), std::memory_order_acq_rel))
    return *memo.release();
  return *expected;
}

int OpDef::find_attribute(std::string_view attribute_name) const {
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i].name == attribute_name) return static_cast<int>(i);
  }
  return -1;
}

int OpDef::find_input(std::string_view input_name) const {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].name == input_name) return static_cast<int>(i);
  }
  return -1;
}

const ScalarProgram& OpDef::program() const {
  std::call_once(lazy_->program_once, [&] { lazy_->program = flatten(scalar); });
  return lazy_->program;
}

namespace {

bool has_complex_derivative(ScalarOp op) {
  switch (op) {
    case ScalarOp::Abs:
    case ScalarOp::Sign:
    case ScalarOp::Floor:
    case ScalarOp::Ceil:
    case ScalarOp::Round:
    case ScalarOp::Trunc:
    case ScalarOp::Conj:
    case ScalarOp::Real:
    case ScalarOp::Imag:
    case ScalarOp::FloorDiv:
    case ScalarOp::TruncDiv:
    case ScalarOp::FloorMod:
    case ScalarOp::TruncMod:
    case ScalarOp::Maximum:
    case ScalarOp::Minimum:
    case ScalarOp::Atan2:
    case ScalarOp::Hypot:
    case ScalarOp::CopySign:
    case ScalarOp::Less:
    case ScalarOp::LessEqual:
    case ScalarOp::Greater:
    case ScalarOp::GreaterEqual:
    case ScalarOp::SignBit: return false;
    default: return true;
  }
}

bool has_complex_derivative(const Expr& expr) {
  const ExprNode& node = expr.node();
  for (const Expr& part : node.args) {
    if (!has_complex_derivative(part)) return false;
  }
  return has_complex_derivative(node.op);
}

// The rules of these are made for complex numbers, as long as nothing else is in the formula.
bool is_plain(const Expr& expr) {
  const ExprNode& node = expr.node();
  const bool known =
      node.op == ScalarOp::Abs || node.op == ScalarOp::Real || node.op == ScalarOp::Imag;
  return known && node.args[0].node().op == ScalarOp::Input;
}

// dy * conj(f'(x)): the convention under which gradients of real losses through complex values are
// those of steepest descent. Conj is dropped for real types.
std::unique_ptr<OpDef> derive(const OpDef& source, int input, const Expr& slope) {
  auto derived = std::make_unique<OpDef>();
  derived->name = platform::join(source.name, "_gradient", input);
  derived->internal = true;
  derived->derivative_of = &source;
  derived->inputs = source.inputs;
  derived->attributes = source.attributes;
  for (AttributeDef& attribute : derived->attributes) attribute.required = false;
  derived->inputs.push_back(InputDef{.name = "output_gradient", .doc = "", .dtypes = tensor::kAny});
  if (!is_plain(source.scalar) && !has_complex_derivative(source.scalar)) {
    for (InputDef& part : derived->inputs) part.dtypes = tensor::kReal | tensor::kBool;
  }
  derived->outputs.push_back(OutputDef{"output", "", -1, false});
  const Expr dy = Expr::input(static_cast<int>(source.inputs.size()));
  const bool constant = slope.node().op == ScalarOp::Constant;
  derived->scalar = dy * (constant ? slope : apply(ScalarOp::Conj, slope));
  derived->type_rule = TypeRule::PromoteFloat;
  derived->infer = infer_elementwise;
  derived->gradient_kind = GradientKind::Derived;
  derived->kernels = source.kernels;
  for (auto& candidates : derived->kernels) candidates.clear();
  return derived;
}

}  // namespace

const OpDef* OpDef::derived_gradient(int input) const {
  const std::lock_guard lock(lazy_->gradient_mutex);
  auto found = lazy_->gradients.find(input);
  if (found == lazy_->gradients.end()) {
    const bool differentiable = type_rule != TypeRule::Compare && !scalar.is_mask();
    const Expr slope = differentiable ? differentiate(scalar, input) : Expr();
    auto derived = slope.defined() ? derive(*this, input, slope) : nullptr;
    found = lazy_->gradients.emplace(input, std::move(derived)).first;
  }
  return found->second.get();
}

}  // namespace mycel::op
