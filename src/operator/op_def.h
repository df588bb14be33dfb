// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "operator/attribute.h"
#include "operator/scalar_expr.h"
#include "operator/traits.h"
#include "operator/value.h"
#include "tensor/tensor.h"

namespace mycel::op {

class InferContext;
class GradientContext;
class CompositeContext;
class KernelContext;
class ViewContext;

using tensor::DTypeSet;

struct InputDef {
  std::string name;
  std::string doc;
  DTypeSet dtypes = tensor::kAny;
  bool optional = false;  // may be None
  bool variadic = false;  // a list of tensors; only the last input can be one
  bool is_mask = false;   // elementwise: read as a truth value, outside of type promotion
};

struct AttributeDef {
  std::string name;
  std::string doc;
  AttributeType type = AttributeType::Int;
  AttributeValue initial;
  bool required = false;
  bool none_allowed = false;
  bool in_call = false;              // the primitive takes it in the call, not in the constructor
  std::vector<std::string> choices;  // of a text
  std::optional<std::int64_t> none_element;  // of a list of ints: what None among them stands for
};

struct OutputDef {
  std::string name;
  std::string doc;
  int alias_of = -1;      // this output *is* that input, written in place
  bool variadic = false;  // a tuple of as many tensors as the attributes say (split)
};

// One way to compute an operator on one device. Candidates are tried in order; the first that does
// not decline runs.
struct KernelCandidate {
  std::string name;
  int priority = 0;  // higher first
  void (*run)(KernelContext& kernel) = nullptr;
  const char* (*decline)(const KernelContext& kernel) = nullptr;  // reason, or null to accept
};

// How the element type of an elementwise operator follows from its inputs.
enum class TypeRule : std::uint8_t {
  Promote,       // all inputs to their common type, result the same
  PromoteFloat,  // integers and bool become float32 first
  Compare,       // computed in the common type, result bool
  First,         // the first input's type; others are converted to it
};

// An input of a sample, described so that any device and dtype can make it.
struct SampleInput {
  enum class Kind : std::uint8_t {
    Normal,
    Uniform,
    Positive,
    Integers,
    Constant,
    Values,
    Mask,
    Absent,
    Number
  };
  Kind kind = Kind::Normal;
  tensor::Shape shape;
  double low = 0;  // Uniform, Integers: bounds; Constant, Number: the value
  double high = 1;
  std::vector<double> values;
  std::optional<DType> dtype;  // fixed; otherwise the dtype under test
};

struct Sample {
  std::string name;
  std::vector<SampleInput> inputs;
  std::vector<std::pair<std::string, AttributeValue>> attributes;
};

enum class GradientKind : std::uint8_t { Undecided, Rule, Derived, None };

// A parameter of the Python function: an input or an attribute, in the order users know.
struct ParameterRef {
  bool is_input = true;
  int index = 0;
};

// What a backend has worked out about a definition for one element type; it dies with the
// definition.
class DefinitionMemo {
 public:
  DefinitionMemo() = default;
  DefinitionMemo(const DefinitionMemo&) = delete;
  DefinitionMemo& operator=(const DefinitionMemo&) = delete;
  virtual ~DefinitionMemo() = default;
};

struct OpDef {
  std::string name;       // our own, snake_case, unique
  std::string primitive;  // class in mindspore.ops; empty: none
  std::string function;   // function in mindspore.ops; empty: none
  std::string method;     // method of Tensor; empty: none
  std::vector<std::string> function_aliases, primitive_aliases, method_aliases;
  std::string doc;
  std::string numpy;  // reference: an expression over the inputs' names, `np` and the attributes
  std::vector<InputDef> inputs;
  std::vector<AttributeDef> attributes;
  std::vector<OutputDef> outputs;
  std::vector<ParameterRef> parameters;  // of the Python function
  std::vector<Sample> samples;
  DTypeSet sample_dtypes;  // dtypes the samples are run with; default: float32 and float64

  void (*infer)(InferContext& op) = nullptr;
  void (*gradient)(GradientContext& op) = nullptr;
  void (*composite)(CompositeContext& op) = nullptr;
  bool (*view)(ViewContext& op) = nullptr;
  GradientKind gradient_kind = GradientKind::Undecided;
  std::uint32_t kept_inputs = 0;  // bit per input whose value the gradient rule reads
  std::uint32_t kept_outputs = 0;

  Expr scalar;  // defined: elementwise
  TypeRule type_rule = TypeRule::Promote;
  std::optional<DType> result_type;  // elementwise: fixed result type
  bool real_result = false;  // elementwise: a complex input gives its real type (abs, real, imag)

  bool is_random = false;        // receives a key of the generator
  bool has_effects = false;      // writes its inputs, prints, ...
  bool dynamic_outputs = false;  // the kernel decides the output shapes
  bool internal = false;         // made by us (a derived gradient): not shown to Python

  Traits traits;
  const OpDef* derivative_of = nullptr;  // of a derived gradient: the operator it was derived from

  std::array<std::vector<KernelCandidate>, device::kMaxBackends> kernels;

  bool is_elementwise() const { return scalar.defined(); }
  // What users call it: the function, else the class, else the method; our own name when they
  // cannot call it at all.
  const std::string& shown_name() const {
    if (!function.empty()) return function;
    if (!primitive.empty()) return primitive;
    return method.empty() ? name : method;
  }
  int find_attribute(std::string_view attribute_name) const;  // -1: not there
  int find_input(std::string_view input_name) const;
  const ScalarProgram& program() const;  // of `scalar`, flattened once

  const DefinitionMemo* memo(int backend, DType dtype) const {
    return memos_[static_cast<std::size_t>(backend)][static_cast<std::size_t>(dtype)].load(
        std::memory_order_acquire);
  }
  // Keeps the first one offered; returns the one that is kept.
  const DefinitionMemo& keep(int backend, DType dtype, std::unique_ptr<DefinitionMemo> memo) const;

  // The derived gradient of an elementwise operator with respect to input i: an operator of
  // (inputs..., output gradient), or null when it is zero everywhere.
  const OpDef* derived_gradient(int input) const;

  OpDef();
  ~OpDef();
  OpDef(const OpDef&) = delete;
  OpDef& operator=(const OpDef&) = delete;

 private:
  struct Lazy;
  std::unique_ptr<Lazy> lazy_;
  static constexpr std::size_t kDTypes = 32;
  mutable std::array<std::array<std::atomic<const DefinitionMemo*>, kDTypes>, device::kMaxBackends>
      memos_{};
};

}  // namespace mycel::op
