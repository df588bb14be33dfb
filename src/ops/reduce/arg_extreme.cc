// SPDX-License-Identifier: Apache-2.0
// Where the largest or smallest element is. NaN counts as the extreme; the first of equals wins.
#include <algorithm>

#include "backend/cpu/reduce_engine.h"
#include "ops/onnx_arguments.h"
#include "ops/reduce/axis_lines.h"
#include "ops/reduce/mindir_reductions.h"
#include "ops/reduce/onnx_reductions.h"
#include "ops/reduce/reduction.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

template <class T, bool kLargest>
bool beats(T a, T b) {
  if (b != b) return false;
  return a != a || (kLargest ? a > b : a < b);
}

template <class Index, class T, bool kLargest>
void scan_line(const T* x, std::int64_t length, Index* index) {
  using Wide = Accumulator<T>;
  // Blocks keep the search for the position out of the loop that finds the value.
  constexpr std::int64_t kBlock = 256;
  Wide best = x[0];
  std::int64_t block = 0;
  for (std::int64_t i = 0; i < length; i += kBlock) {
    const std::int64_t end = std::min(length, i + kBlock);
    Wide here = x[i];
    for (std::int64_t k = i; k < end; ++k) {
      const Wide value = x[k];
      here = (kLargest ? here > value : here < value) || here != here ? here : value;
    }
    if (beats<Wide, kLargest>(here, best)) {
      best = here;
      block = i;
    }
  }
  std::int64_t at = block;
  while (best == best ? !(static_cast<Wide>(x[at]) == best)
                      : static_cast<Wide>(x[at]) == static_cast<Wide>(x[at]))
    ++at;
  *index = static_cast<Index>(at);
}

template <class Index, class T, bool kLargest>
void scan_columns(const T* x, std::int64_t length, std::int64_t inner, std::int64_t n,
                  Index* index) {
  using Wide = Accumulator<T>;
  constexpr std::int64_t kWidth = 512;
  Wide best[kWidth];
  Index where[kWidth];
  for (std::int64_t c = 0; c < n; c += kWidth) {
    const std::int64_t width = std::min(kWidth, n - c);
    for (std::int64_t i = 0; i < width; ++i) {
      best[i] = x[c + i];
      where[i] = 0;
    }
    for (std::int64_t r = 1; r < length; ++r) {
      const T* row = x + r * inner + c;
      for (std::int64_t i = 0; i < width; ++i) {
        const Wide value = row[i];
        const bool wins = beats<Wide, kLargest>(value, best[i]);
        best[i] = wins ? value : best[i];
        where[i] = wins ? static_cast<Index>(r) : where[i];
      }
    }
    for (std::int64_t i = 0; i < width; ++i) index[c + i] = where[i];
  }
}

template <class Index, class T, bool kLargest>
void find_positions(const Tensor& x, const AxisLines& lines, Index* index) {
  const T* data = x.data<T>();
  if (lines.inner == 1) {
    platform::parallel_for(lines.outer, lines.length, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t o = begin; o < end; ++o) {
        scan_line<Index, T, kLargest>(data + o * lines.length, lines.length, index + o);
      }
    });
    return;
  }
  platform::parallel_for(
      lines.outer, lines.length * lines.inner, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t o = begin; o < end; ++o) {
          scan_columns<Index, T, kLargest>(data + o * lines.length * lines.inner, lines.length,
                                           lines.inner, lines.inner, index + o * lines.inner);
        }
      });
}

template <bool kLargest>
void run_positions(const Tensor& dense, std::int64_t axis, const Tensor& index) {
  if (index.size() == 0) return;
  const AxisLines lines(dense.shape(), axis);
  with_real_type(dense.dtype(), [&]<class T>() {
    if (index.dtype() == DType::Int32) {
      find_positions<std::int32_t, T, kLargest>(dense, lines, index.data<std::int32_t>());
    } else {
      find_positions<std::int64_t, T, kLargest>(dense, lines, index.data<std::int64_t>());
    }
  });
}

Shape without_axis(InferContext& op, bool keep) {
  const TensorSpec& input = op.input(0);
  const std::int64_t axis = op.normalize_axis("axis", input.rank());
  const std::int64_t length = input.rank() == 0 ? 1 : input.shape[static_cast<std::size_t>(axis)];
  op.require(length > 0, ErrorKind::Value, "the axis must not be empty, but got the shape ",
             to_string(input.shape), ".");
  return reduced_shape(input.shape, input.rank() == 0 ? IntList{} : IntList{axis}, keep);
}

void infer_position(InferContext& op) {
  const DType dtype = op.dtype("output_type");
  op.require(dtype == DType::Int32 || dtype == DType::Int64, ErrorKind::Type,
             "'output_type' must be int32 or int64, but got ", dtype, ".");
  op.set_output(0, dtype, without_axis(op, op.flag("keep_dims")));
}

void infer_with_value(InferContext& op) {
  const Shape shape = without_axis(op, op.flag("keep_dims"));
  op.set_output(0, DType::Int64, shape);
  op.set_output(1, op.input(0).dtype, shape);
}

// The gradient of the value goes to the one position.
void value_gradient(GradientContext& op) {
  const Shape& shape = op.input_shape(0);
  if (shape.empty()) {
    op.set_input_gradient(0, op.output_gradient(1));
    return;
  }
  const IntList axes{op.integer("axis")};
  const Value index = with_kept_axes(op, op.output(0), axes);
  const Value gradient = with_kept_axes(op, op.output_gradient(1), axes);
  op.set_input_gradient(
      0, op.call("scatter_along", {index, gradient},
                 {{"axis", axes[0]}, {"length", shape[static_cast<std::size_t>(axes[0])]}}));
}

template <bool kLargest>
void run_with_value(KernelContext& kernel) {
  const Tensor dense = kernel.dense(0);
  const std::int64_t axis = kernel.integer("axis");
  const IntList axes = dense.rank() == 0 ? IntList{} : IntList{axis};
  run_positions<kLargest>(dense, axis, kernel.output(0));
  cpu::reduce(kLargest ? cpu::ReduceKind::Max : cpu::ReduceKind::Min, dense, axes,
              kernel.output(1));
}

// None means: of all elements, as if there were one axis.
void call_flattened(CompositeContext& op, std::string_view operation, std::string_view axis,
                    std::string_view keep, DType dtype) {
  if (!op.is_none(axis)) {
    op.set_output(0, op.call(operation, {op.input(0)},
                             {{"axis", op.attribute(axis)},
                              {"keep_dims", op.attribute(keep)},
                              {"output_type", dtype}}));
    return;
  }
  const Value flat = op.call("reshape", {op.input(0)}, {{"shape", Shape{-1}}});
  op.set_output(0, op.call(operation, {flat}, {{"axis", 0}, {"output_type", dtype}}));
}

}  // namespace

MYCEL_OP(argmax)
    .names({.primitive = "Argmax"})
    .doc("Position of the largest element along one axis.")
    .input("input_x", "Any real tensor.", kReal | kBool)
    .attribute("axis", "Axis to search.", -1)
    .attribute("output_type", "int32 or int64.", DType::Int32)
    .attribute("keep_dims", "Whether the axis stays, with length 1.", false)
    .output("output", "Positions.")
    .infer(infer_position)
    .not_differentiable()
    .numpy("np.argmax(input_x, axis=axis, keepdims=keep_dims)")
    .sample("last axis", {normal({3, 50})})
    .sample("first axis", {normal({5, 3})}, {{"axis", 0}})
    .sample("equals", {values({2, 4}, {1, 3, 3, 2, 5, 5, 5, 5})})
    .sample_dtypes(kReal);

MYCEL_CPU_KERNEL(argmax) {
  run_positions<true>(kernel.dense(0), kernel.integer("axis"), kernel.output(0));
}

MYCEL_OP(argmin)
    .names({.primitive = "Argmin"})
    .doc("Position of the smallest element along one axis.")
    .input("x", "Any real tensor.", kReal | kBool)
    .attribute("axis", "Axis to search.", -1)
    .attribute("output_type", "int32 or int64.", DType::Int32)
    .attribute("keep_dims", "Whether the axis stays, with length 1.", false)
    .output("output", "Positions.")
    .infer(infer_position)
    .not_differentiable()
    .numpy("np.argmin(x, axis=axis, keepdims=keep_dims)")
    .sample("last axis", {normal({3, 50})})
    .sample("first axis", {normal({5, 3})}, {{"axis", 0}})
    .sample_dtypes(kReal);

MYCEL_CPU_KERNEL(argmin) {
  run_positions<false>(kernel.dense(0), kernel.integer("axis"), kernel.output(0));
}

MYCEL_OP(argmax_over)
    .names({.function = "argmax"})
    .doc("Position of the largest element along one axis, or of all elements.")
    .input("input", "Any real tensor.", kReal | kBool)
    .attribute("dim", "Axis to search; None: the flattened tensor.", optional(AttributeType::Int))
    .attribute("keepdim", "Whether the axis stays, with length 1.", false)
    .output("output", "Positions, int64.")
    .composite([](CompositeContext& op) {
      call_flattened(op, "argmax", "dim", "keepdim", DType::Int64);
    })
    .sample("all elements", {normal({3, 4})})
    .sample("axis", {normal({3, 4})}, {{"dim", 1}, {"keepdim", true}});

MYCEL_OP(argmin_over)
    .names({.function = "argmin", .method = "argmin"})
    .doc("Position of the smallest element along one axis, or of all elements.")
    .input("input", "Any real tensor.", kReal | kBool)
    .attribute("axis", "Axis to search; None: the flattened tensor.", optional(AttributeType::Int))
    .attribute("keepdims", "Whether the axis stays, with length 1.", false)
    .output("output", "Positions, int32.")
    .composite([](CompositeContext& op) {
      call_flattened(op, "argmin", "axis", "keepdims", DType::Int32);
    })
    .sample("all elements", {normal({3, 4})})
    .sample("axis", {normal({3, 4})}, {{"axis", 1}, {"keepdims", true}});

MYCEL_OP(argmax_with_value)
    .names({.primitive = "ArgMaxWithValue"})
    .doc("Position and value of the largest element along one axis.")
    .input("input", "Any real tensor.", kReal | kBool)
    .attribute("axis", "Axis to search.", 0)
    .attribute("keep_dims", "Whether the axis stays, with length 1.", false)
    .output("index", "Positions, int64.")
    .output("values", "Values.")
    .infer(infer_with_value)
    .gradient(value_gradient)
    .keeps({"index"})
    .numpy(
        "(np.argmax(input, axis=axis, keepdims=keep_dims), np.max(input, axis=axis, "
        "keepdims=keep_dims))")
    .sample("first axis", {normal({5, 3})})
    .sample("last axis", {normal({3, 50})}, {{"axis", 1}, {"keep_dims", true}})
    .sample_dtypes(kReal);

MYCEL_CPU_KERNEL(argmax_with_value) { run_with_value<true>(kernel); }

MYCEL_OP(argmin_with_value)
    .names({.primitive = "ArgMinWithValue"})
    .doc("Position and value of the smallest element along one axis.")
    .input("input", "Any real tensor.", kReal | kBool)
    .attribute("axis", "Axis to search.", 0)
    .attribute("keep_dims", "Whether the axis stays, with length 1.", false)
    .output("index", "Positions, int64.")
    .output("values", "Values.")
    .infer(infer_with_value)
    .gradient(value_gradient)
    .keeps({"index"})
    .numpy(
        "(np.argmin(input, axis=axis, keepdims=keep_dims), np.min(input, axis=axis, "
        "keepdims=keep_dims))")
    .sample("first axis", {normal({5, 3})})
    .sample("last axis", {normal({3, 50})}, {{"axis", 1}, {"keep_dims", true}})
    .sample_dtypes(kReal);

MYCEL_CPU_KERNEL(argmin_with_value) { run_with_value<false>(kernel); }

// The first position of an extreme, or the last.
static Value position_of(const StoredCall& call, std::string_view op) {
  const Value x = call.tensor("data");
  const std::int64_t axis =
      onnx_axis(call, call.integer("axis", 0), std::max<std::int64_t>(x.rank(), 1));
  const bool is_last = call.flag("select_last_index", false);
  const Value walked = is_last ? call.call("flip", {x}, {{"dims", IntList{axis}}}) : x;
  const Value found = call.call(
      op, {walked},
      {{"axis", axis}, {"output_type", DType::Int64}, {"keep_dims", call.flag("keepdims", true)}});
  if (!is_last) return found;
  return call.emitter().integer(x.shape()[static_cast<std::size_t>(axis)] - 1) - found;
}

MYCEL_ONNX(ArgMax, "data") { return position_of(call, "argmax"); }
MYCEL_ONNX(ArgMin, "data") { return position_of(call, "argmin"); }

static std::vector<mindir::Symbol> place_and_value(const mindir::Call& call,
                                                   std::string_view primitive) {
  const std::int64_t rank = call.rank_of();
  if (rank == 0) return {call.number(0), call.input()};
  return found_extreme(searched(call), primitive, call.axis("axis", rank), call.flag("keep_dims"));
}

MYCEL_WRITES_MINDIR(argmax_with_value) { return place_and_value(call, "ArgMaxWithValue"); }
MYCEL_WRITES_MINDIR(argmin_with_value) { return place_and_value(call, "ArgMinWithValue"); }
MYCEL_WRITES_MINDIR(argmax) { return place_and_value(call, "ArgMaxWithValue")[0]; }
MYCEL_WRITES_MINDIR(argmin) { return place_and_value(call, "ArgMinWithValue")[0]; }

// Where an extreme is, and itself.
static std::vector<onnx::Symbol> found_extreme(const onnx::Call& call, std::string_view kind,
                                               std::string_view reduction) {
  if (call.rank_of() == 0) return {call.number(0), call.input()};
  const auto x = searched(call);
  const std::int64_t axis = call.axis("axis", call.rank_of());
  const bool keeps_axis = call.flag("keep_dims");
  const auto place = x.add(kind, {}, {{"axis", axis}, {"keepdims", keeps_axis}});
  return {place, reduced(x, reduction, {axis}, keeps_axis)};
}

MYCEL_WRITES_ONNX(argmax_with_value) { return found_extreme(call, "ArgMax", "ReduceMax"); }
MYCEL_WRITES_ONNX(argmin_with_value) { return found_extreme(call, "ArgMin", "ReduceMin"); }
MYCEL_WRITES_ONNX(argmax) { return found_extreme(call, "ArgMax", "ReduceMax")[0]; }
MYCEL_WRITES_ONNX(argmin) { return found_extreme(call, "ArgMin", "ReduceMin")[0]; }

}  // namespace mycel::ops
