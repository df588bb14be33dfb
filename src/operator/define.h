// SPDX-License-Identifier: Apache-2.0
// Everything a file that defines operators needs.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <type_traits>

#include "operator/contexts.h"
#include "operator/registry.h"

namespace mycel::op {

// NOLINTBEGIN(readability-redundant-string-init): with defaults, callers may name some and not
// others
struct Names {
  std::string_view primitive = "";
  std::string_view function = "";
  std::string_view method = "";
};
// NOLINTEND(readability-redundant-string-init)

struct AttributeOptions {
  bool in_call = false;                                  // primitive: argument of the call
  std::initializer_list<std::string_view> choices = {};  // of a text
  std::optional<std::int64_t> none_element = {};         // of a list of ints: what None stands for
};

// Marks an attribute without default: required(AttributeType::Int).
struct Required {
  AttributeType type;
  bool none_allowed = false;
};
inline Required required(AttributeType type) { return {type}; }
// Marks an attribute that may be None and is by default: optional(AttributeType::Int).
struct Optional {
  AttributeType type;
};
inline Optional optional(AttributeType type) { return {type}; }
// An attribute that has a default and also takes None.
struct Nullable {
  AttributeType type;
  AttributeValue initial;
};

// Builds one definition; see docs and CONTRIBUTING.md for a worked example.
class Define {
 public:
  explicit Define(std::string_view name) : def_(add_definition(name)) { def_.name = name; }

  Define& names(const Names& names);
  Define& function_aliases(std::initializer_list<std::string_view> names);
  Define& primitive_aliases(std::initializer_list<std::string_view> names);
  Define& method_aliases(std::initializer_list<std::string_view> names);
  Define& doc(std::string_view text);
  // NumPy formula the conformance tests compare with: inputs and attributes by name.
  Define& numpy(std::string_view expression);

  Define& input(std::string_view name, std::string_view doc, DTypeSet dtypes = tensor::kAny);
  Define& optional_input(std::string_view name, std::string_view doc,
                         DTypeSet dtypes = tensor::kAny);
  Define& variadic_input(std::string_view name, std::string_view doc,
                         DTypeSet dtypes = tensor::kAny);
  Define& mask_input(std::string_view name, std::string_view doc);
  Define& attribute(std::string_view name, std::string_view doc, AttributeValue initial,
                    AttributeOptions options = {});
  Define& attribute(std::string_view name, std::string_view doc, Required required,
                    AttributeOptions options = {});
  Define& attribute(std::string_view name, std::string_view doc, Optional optional,
                    AttributeOptions options = {});
  Define& attribute(std::string_view name, std::string_view doc, Nullable nullable,
                    AttributeOptions options = {});
  Define& output(std::string_view name, std::string_view doc);
  // As many outputs as inference sets; Python gets a tuple.
  Define& variadic_output(std::string_view name, std::string_view doc);
  // The output is input `input`, written in place.
  Define& in_place_output(std::string_view name, std::string_view doc, int input);
  // Order of the Python function's parameters when it is not inputs, then attributes.
  Define& order(std::initializer_list<std::string_view> parameters);

  Define& infer(void (*function)(InferContext&));
  Define& gradient(void (*function)(GradientContext&));
  // Names of inputs and outputs whose values the gradient rule reads.
  Define& keeps(std::initializer_list<std::string_view> names);
  Define& not_differentiable();
  Define& composite(void (*function)(CompositeContext&));
  Define& view(bool (*function)(ViewContext&));
  Define& random();
  Define& effects();
  Define& dynamic_outputs();
  Define& internal();
  Define& traits(const Traits& traits);  // for the passes

  // Elementwise: the formula on scalars. The gradient is derived from it unless a rule is given.
  template <class Formula>
  Define& scalar(Formula formula) {
    return scalar(TypeRule::Promote, formula);
  }
  template <class Formula>
  Define& scalar(TypeRule rule, Formula formula) {
    if constexpr (std::is_invocable_v<Formula, Expr>) return set_scalar(rule, formula(in(0)));
    if constexpr (std::is_invocable_v<Formula, Expr, Expr>)
      return set_scalar(rule, formula(in(0), in(1)));
    if constexpr (std::is_invocable_v<Formula, Expr, Expr, Expr>)
      return set_scalar(rule, formula(in(0), in(1), in(2)));
    if constexpr (std::is_invocable_v<Formula, Define&>) return set_scalar(rule, formula(*this));
  }
  // For formulas over attributes: `[](Define& op) { return op.in(0) * op.attr("alpha"); }`
  Expr in(int index) const;
  Expr attr(std::string_view name) const;
  Define& result(DType dtype);
  Define& real_result();

  Define& sample(std::string_view name, std::vector<SampleInput> inputs,
                 std::vector<std::pair<std::string, AttributeValue>> attributes = {});
  Define& sample_dtypes(DTypeSet dtypes);

 private:
  Define& set_scalar(TypeRule rule, Expr formula);
  AttributeDef& add_attribute(std::string_view name, std::string_view doc, AttributeType type,
                              AttributeOptions options);
  OpDef& def_;
};

// Sample inputs.
SampleInput normal(Shape shape);
SampleInput uniform(Shape shape, double low, double high);
SampleInput positive(Shape shape);  // in [0.1, 2]
SampleInput integers(Shape shape, std::int64_t low, std::int64_t high, DType dtype = DType::Int64);
SampleInput constant(Shape shape, double value);
SampleInput values(Shape shape, std::vector<double> values);
SampleInput mask(Shape shape);
SampleInput absent();
SampleInput number(double value);

struct KernelRegistration {
  KernelRegistration(std::string_view op, std::string_view backend, KernelCandidate candidate) {
    add_kernel(op, backend, std::move(candidate));
  }
};

}  // namespace mycel::op

namespace mycel::ops {
using namespace op;      // NOLINT: files that define operators speak that language throughout
using namespace tensor;  // NOLINT
using platform::ErrorKind;
}  // namespace mycel::ops

#define MYCEL_OP(op_name) \
  static const ::mycel::op::Define define_##op_name = ::mycel::op::Define(#op_name)

// The kernel of an operator on the CPU: MYCEL_CPU_KERNEL(relu) { ... uses `kernel` ... }
#define MYCEL_CPU_KERNEL(op_name)                                             \
  static void cpu_kernel_##op_name(::mycel::op::KernelContext& kernel);       \
  static const ::mycel::op::KernelRegistration register_cpu_kernel_##op_name( \
      #op_name, "CPU", {"default", 0, cpu_kernel_##op_name, nullptr});        \
  static void cpu_kernel_##op_name([[maybe_unused]] ::mycel::op::KernelContext& kernel)

// A further candidate, tried before the default; `decline_function` says why not, or null.
#define MYCEL_CPU_CANDIDATE(op_name, variant, priority, decline_function)                         \
  static void cpu_kernel_##op_name##_##variant(::mycel::op::KernelContext& kernel);               \
  static const ::mycel::op::KernelRegistration register_cpu_kernel_##op_name##_##variant(         \
      #op_name, "CPU", {#variant, priority, cpu_kernel_##op_name##_##variant, decline_function}); \
  static void cpu_kernel_##op_name##_##variant([[maybe_unused]] ::mycel::op::KernelContext& kernel)
