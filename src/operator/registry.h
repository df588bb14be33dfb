// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "operator/contexts.h"
#include "operator/op_def.h"

namespace mycel::op {

// The only list of operators. Filled while libraries load, then frozen: the first look-up resolves
// kernels and checks every definition (a gradient decision, names used once, ...).
const OpDef& find(std::string_view name);  // Internal error when unknown
const OpDef* find_or_null(std::string_view name);
std::vector<const OpDef*> all();  // by name, without internal ones
void check_definitions();         // throws with everything that is wrong

// Registration; see define.h.
OpDef& add_definition(std::string_view name);
void add_kernel(std::string_view op, std::string_view backend, KernelCandidate candidate);

// Runs any elementwise operator on one backend from its scalar expression.
using ScalarExecutor = void (*)(KernelContext& kernel);
void set_scalar_executor(std::string_view backend, ScalarExecutor executor);

// Picks the kernel for these arguments, by their types, shapes and strides alone. A device without
// one has the host's run instead, with copies both ways (`run_through_host`), or a TypeError names
// operator, device and dtype.
using Kernel = void (*)(KernelContext& kernel);
Kernel find_kernel(const KernelContext& kernel, device::Device device);
inline void run_kernel(KernelContext& kernel, device::Device device) {
  find_kernel(kernel, device)(kernel);
}

// Inference for elementwise operators, from the type rule and broadcasting.
// The common dtype of tensors; Python numbers among them widen a kind, never a dtype.
DType promoted_type(std::span<const TensorSpec> inputs);
// What a Python number is among the inputs of an operator that knows tensors only: our default
// type, beside doubles a double; a whole number is a float where nothing else is taken, a truth
// value a whole number.
DType settled_number_type(const InputDef& input, DType number, bool beside_double);
DType elementwise_compute_type(const OpDef& definition, std::span<const TensorSpec> inputs);
DType elementwise_compute_type(const OpDef& definition, std::span<const Tensor> inputs);
DType elementwise_result_type(const OpDef& definition, DType computed);
void infer_elementwise(InferContext& op);

}  // namespace mycel::op
