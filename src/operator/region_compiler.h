// SPDX-License-Identifier: Apache-2.0
// Parts of a program that a device computes in one go: how they are described to it, and what it
// offers. A backend registers a compiler as it registers kernels; nobody above asks which it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/backend.h"
#include "operator/reduction.h"
#include "operator/scalar_expr.h"
#include "operator/value.h"
#include "platform/error/error.h"
#include "tensor/tensor.h"

namespace mycel::op {

// A tensor as steps read it. For each axis of the space the axis of the tensor that runs along it,
// or -1: the tensor is stretched along it.
struct RegionLoad {
  std::size_t argument = 0;
  tensor::IntList axes;
  bool operator==(const RegionLoad&) const = default;
};

// One value, for every place of the space or, when it is reduced, for every place of the axes that
// are kept. What is reduced is stretched along the others by whoever reads it.
struct RegionStep {
  enum class Kind : std::uint8_t {
    Formula,    // of its operands at the same place
    Reduction,  // of its one operand, over the reduced axes
  };
  Kind kind = Kind::Formula;
  std::vector<std::size_t> operands;  // values: the loads, then the steps before this one
  ScalarProgram formula;              // input i is operand i; there are no attributes
  ReduceKind reduction = ReduceKind::Sum;
  // Operands are converted to `computed` when they are read, or compared with 0 where the formula
  // reads a mask; what comes out is rounded once, to `result`. Of a reduction `computed` is the
  // type of accumulators. It is never a 16-bit float.
  tensor::DType computed = tensor::DType::Float32;
  tensor::DType result = tensor::DType::Float32;
  bool is_reduced = false;
};

// A result is dense, in the order of its axes; its type has the shape that the program knows it by,
// which may have axes of length 1 where the space has none.
struct RegionResult {
  std::size_t value = 0;  // a step's
  TensorSpec type;
};

// All values lie in one space, so that one walk over it computes them.
struct RegionProgram {
  tensor::Shape space;           // without axes of length 1
  std::vector<bool> is_reduced;  // the axes that reductions fold; none: there are no reductions
  std::vector<TensorSpec> arguments;  // tensors, or Python's numbers, as they are given to a run
  std::vector<RegionLoad> loads;
  std::vector<RegionStep> steps;
  std::vector<RegionResult> results;

  bool has_reductions() const;
  // Of a value in the space, where the axes along which it is stretched or reduced have length 1.
  tensor::Shape shape_of(const RegionStep& step) const;
};

// The same for the same computation, whatever program it comes from: a key for what was compiled.
std::string to_text(const RegionProgram& program);

// The elements of an argument as the steps see them: a view with the axes of the space.
tensor::Tensor seen_in_space(const RegionProgram& program, const RegionLoad& load,
                             const tensor::Tensor& argument);

// May a result be written where an argument lies, if both have the same place and size of elements?
// Only where each element is read for that element of the result alone.
bool may_overwrite(const RegionProgram& program, std::size_t argument, std::size_t result);

// What a device compiles at most.
struct RegionLimits {
  std::size_t arguments = 0;
  std::size_t results = 0;
  std::size_t steps = 0;
  tensor::DTypeSet dtypes;  // of arguments, results and whatever is computed
  ReduceSet reductions;
};

// Why a program is beyond the limits; empty: it is not.
std::string excess(const RegionProgram& program, const RegionLimits& limits);

enum class RegionState : std::uint8_t { Compiling, Ready, Failed };

class CompiledRegion {
 public:
  CompiledRegion() = default;
  CompiledRegion(const CompiledRegion&) = delete;
  CompiledRegion& operator=(const CompiledRegion&) = delete;
  virtual ~CompiledRegion() = default;

  // From Compiling it changes once, to what it stays. Any thread may ask.
  virtual RegionState state() const = 0;
  // Puts the work on the stream. Only of what is Ready; several threads may run it at a time.
  // Arguments have any strides, numbers among them are on the host and are read before this
  // returns. Results are there, dense, and share memory with an argument only where
  // `may_overwrite` allows it. Memory in between is the device's matter: what it takes from the
  // pool for the time of the call is safe in the stream's order, and in a recording.
  virtual void run(std::span<const tensor::Tensor> arguments,
                   std::span<const tensor::Tensor> results, device::Stream& stream) const = 0;
};

class RegionCompiler {
 public:
  virtual ~RegionCompiler() = default;
  virtual RegionLimits limits() const = 0;
  // Does not keep anybody waiting: what takes time is still Compiling when this returns. An error
  // is the reason why it declines.
  virtual platform::Result<std::shared_ptr<const CompiledRegion>> compile(
      RegionProgram program, device::Device device) = 0;
};

// While a backend starts; the compiler lives as long as the process.
void set_region_compiler(std::string_view backend, RegionCompiler* compiler);
RegionCompiler* region_compiler(device::Device device);  // null: the device has none

}  // namespace mycel::op
