// SPDX-License-Identifier: Apache-2.0
#include "operator/define.h"
#include "operator/mindir_call.h"
#include "operator/onnx_call.h"
#include "operator/stored_call.h"

namespace mycel::ops {

MYCEL_OP(identity)
    .doc("The input itself under another handle. A view.")
    .numpy("input_x")
    .input("input_x", "Any tensor.")
    .output("output", "A view of `input_x`.")
    .infer([](InferContext& op) { op.set_output(0, op.input(0).dtype, op.input(0).shape); })
    .view([](ViewContext& op) {
      op.set_view(0, {op.input().shape(), op.input().strides(), op.input().body().offset});
      return true;
    })
    .gradient([](GradientContext& op) { op.set_input_gradient(0, op.output_gradient(0)); })
    .traits({.is_same_if_types_agree = true})
    .sample("matrix", {normal({2, 3})})
    .sample("scalar", {normal({})})
    .sample_dtypes(kAny);

MYCEL_OP(copy)
    .names({.primitive = "Identity", .function = "deepcopy", .method = "copy"})
    .doc("A dense copy that shares nothing with the input.")
    .numpy("np.array(input_x)")
    .input("input_x", "Any tensor.")
    .output("output", "Same shape and type.")
    .infer([](InferContext& op) { op.set_output(0, op.input(0).dtype, op.input(0).shape); })
    .gradient([](GradientContext& op) { op.set_input_gradient(0, op.output_gradient(0)); })
    .traits({.copies = true})
    .sample("matrix", {normal({2, 3})})
    .sample("nothing", {normal({0})})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(copy) { copy_elements(kernel.input(0), kernel.output(0)); }

static const onnx::Twins onnx_identity{{"Identity", "identity"}};

MYCEL_WRITES_MINDIR(identity) { return call.typed(); }
MYCEL_WRITES_MINDIR(copy) { return call.typed(); }

MYCEL_WRITES_ONNX(copy) { return call.same("Identity"); }

}  // namespace mycel::ops
