// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "operator/define.h"
#include "operator/onnx_call.h"
#include "operator/stored_call.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

enum class Part : std::uint8_t { Lower, Upper };

void infer_triangle(InferContext& op) {
  op.require(op.input(0).rank() >= 2, ErrorKind::Value,
             "the dimension of 'input' must be at least 2, but got ", op.input(0).rank(), ".");
  op.set_output(0, op.input(0));
}

// Row by row: the kept columns are one range.
void keep_part(KernelContext& kernel, Part part) {
  const Tensor x = kernel.dense(0);
  const Tensor& y = kernel.output(0);
  const std::int64_t columns = x.shape().back();
  const std::int64_t rows = x.shape()[x.shape().size() - 2];
  if (x.size() == 0) return;
  const std::int64_t limit = rows + columns;  // farther diagonals change nothing
  const std::int64_t diagonal = std::clamp(kernel.integer("diagonal"), -limit, limit);
  const auto bytes = static_cast<std::int64_t>(size_of(x.dtype()));
  const char* from = x.data<char>();
  char* to = y.data<char>();
  platform::parallel_for(x.size() / columns, columns, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end; ++line) {
      const std::int64_t row = line % rows;
      const std::int64_t border = row + diagonal + (part == Part::Lower ? 1 : 0);
      const std::int64_t cut = std::clamp<std::int64_t>(border, 0, columns);
      const std::int64_t first = part == Part::Lower ? 0 : cut;
      const std::int64_t last = part == Part::Lower ? cut : columns;
      char* target = to + line * columns * bytes;
      std::memset(target, 0, static_cast<std::size_t>(columns * bytes));
      std::memcpy(target + first * bytes, from + (line * columns + first) * bytes,
                  static_cast<std::size_t>((last - first) * bytes));
    }
  });
}

}  // namespace

MYCEL_OP(tril)
    .names({.primitive = "Tril", .function = "tril", .method = "tril"})
    .doc("Zeros above a diagonal of every matrix.")
    .numpy("np.tril(input, diagonal)")
    .input("input", "A stack of matrices.")
    .attribute("diagonal", "0: the main one; positive: above it.", 0)
    .output("output", "Same shape.")
    .infer(infer_triangle)
    .gradient([](GradientContext& op) {
      op.set_input_gradient(
          0, op.call("tril", {op.output_gradient(0)}, {{"diagonal", op.attribute("diagonal")}}));
    })
    .sample("square", {normal({4, 4})})
    .sample("stack, above", {normal({2, 3, 5})}, {{"diagonal", 1}})
    .sample("below", {normal({5, 3})}, {{"diagonal", -2}})
    .sample_dtypes(kAny);
MYCEL_CPU_KERNEL(tril) { keep_part(kernel, Part::Lower); }

MYCEL_OP(triu)
    .names({.primitive = "Triu", .function = "triu", .method = "triu"})
    .doc("Zeros below a diagonal of every matrix.")
    .numpy("np.triu(input, diagonal)")
    .input("input", "A stack of matrices.")
    .attribute("diagonal", "0: the main one; positive: above it.", 0)
    .output("output", "Same shape.")
    .infer(infer_triangle)
    .gradient([](GradientContext& op) {
      op.set_input_gradient(
          0, op.call("triu", {op.output_gradient(0)}, {{"diagonal", op.attribute("diagonal")}}));
    })
    .sample("square", {normal({4, 4})})
    .sample("stack, above", {normal({2, 3, 5})}, {{"diagonal", 1}})
    .sample("below", {normal({5, 3})}, {{"diagonal", -2}})
    .sample_dtypes(kAny);
MYCEL_CPU_KERNEL(triu) { keep_part(kernel, Part::Upper); }

MYCEL_ONNX(Trilu, "input k.numbers") {
  return call.call(call.flag("upper", true) ? "triu" : "tril", {call.tensor("input")},
                   {{"diagonal", call.integer("k", 0)}});
}

static onnx::Symbol triangle(const onnx::Call& call, bool is_upper) {
  const auto diagonal = call.number(call.attribute("diagonal"), DType::Int64);
  return call.input().add("Trilu", {diagonal}, {{"upper", is_upper}});
}

MYCEL_WRITES_ONNX(triu) { return triangle(call, true); }
MYCEL_WRITES_ONNX(tril) { return triangle(call, false); }

}  // namespace mycel::ops
