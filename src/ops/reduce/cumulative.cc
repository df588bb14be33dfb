// SPDX-License-Identifier: Apache-2.0
// Running sums, products, maxima and minima.
#include <algorithm>
#include <utility>

#include "operator/define.h"
#include "operator/onnx_call.h"
#include "operator/stored_call.h"
#include "ops/reduce/axis_lines.h"
#include "ops/reduce/neighbours.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

struct Sum {
  template <class T>
  static T start() {
    return T(0);
  }
  template <class T>
  static T run(T a, T b) {
    if constexpr (std::is_same_v<T, bool>)
      return a || b;
    else
      return static_cast<T>(a + b);
  }
};
struct Product {
  template <class T>
  static T start() {
    return T(1);
  }
  template <class T>
  static T run(T a, T b) {
    if constexpr (std::is_same_v<T, bool>)
      return a && b;
    else
      return static_cast<T>(a * b);
  }
};

// Signed overflow wraps: the arithmetic happens in the unsigned type of the same size.
template <class T>
struct Running {
  using type = Accumulator<T>;
};
template <>
struct Running<std::int32_t> {
  using type = std::uint32_t;
};
template <>
struct Running<std::int64_t> {
  using type = std::uint64_t;
};

// Neighbouring lines side by side: each step of one line waits for the one before it, and the steps
// of the others fill that time.
template <int kLines, class Operation, class T>
void scan_lines(const T* x, T* y, std::int64_t length, std::int64_t first, std::int64_t step,
                bool exclusive) {
  using Wide = typename Running<T>::type;
  Wide total[kLines];
  for (Wide& one : total) one = Operation::template start<Wide>();
  for (std::int64_t r = 0, place = first; r < length; ++r, place += step) {
    for (int line = 0; line < kLines; ++line) {
      const std::int64_t at = line * length + place;
      const Wide next = Operation::template run<Wide>(total[line], static_cast<Wide>(x[at]));
      y[at] = static_cast<T>(exclusive ? total[line] : next);
      total[line] = next;
    }
  }
}

template <class Operation, class T>
void scan_rows(const T* x, T* y, const AxisLines& lines, bool exclusive, bool reverse) {
  constexpr int kTogether = 4;
  const std::int64_t length = lines.length;
  const std::int64_t first = reverse ? length - 1 : 0;
  const std::int64_t step = reverse ? -1 : 1;
  platform::parallel_for(lines.outer, length, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t o = begin;
    for (; o + kTogether <= end; o += kTogether) {
      scan_lines<kTogether, Operation>(x + o * length, y + o * length, length, first, step,
                                       exclusive);
    }
    for (; o < end; ++o) {
      scan_lines<1, Operation>(x + o * length, y + o * length, length, first, step, exclusive);
    }
  });
}

template <class Operation, class T>
void scan(const T* x, T* y, const AxisLines& lines, bool exclusive, bool reverse) {
  using Wide = typename Running<T>::type;
  const std::int64_t step = reverse ? -lines.inner : lines.inner;
  const std::int64_t first = reverse ? (lines.length - 1) * lines.inner : 0;
  platform::parallel_for(
      lines.outer, lines.length * lines.inner, [&](std::int64_t begin, std::int64_t end) {
        constexpr std::int64_t kWidth = 256;
        Wide total[kWidth];
        for (std::int64_t o = begin; o < end; ++o) {
          for (std::int64_t c = 0; c < lines.inner; c += kWidth) {
            const std::int64_t width = std::min(kWidth, lines.inner - c);
            std::fill(total, total + width, Operation::template start<Wide>());
            const std::int64_t base = o * lines.length * lines.inner + first + c;
            for (std::int64_t r = 0; r < lines.length; ++r) {
              const T* from = x + base + r * step;
              T* to = y + base + r * step;
              for (std::int64_t i = 0; i < width; ++i) {
                const Wide next =
                    Operation::template run<Wide>(total[i], static_cast<Wide>(from[i]));
                to[i] = static_cast<T>(exclusive ? total[i] : next);
                total[i] = next;
              }
            }
          }
        }
      });
}

template <class Operation>
void run_scan(KernelContext& kernel) {
  const Tensor dense = kernel.dense(0);
  const Tensor& output = kernel.output(0);
  if (output.size() == 0) return;
  const AxisLines lines(dense.shape(), kernel.integer("axis"));
  const bool exclusive = kernel.flag("exclusive");
  const bool reverse = kernel.flag("reverse");
  with_any_type(dense.dtype(), [&]<class T>() {
    const auto run = lines.inner == 1 ? scan_rows<Operation, T> : scan<Operation, T>;
    run(dense.data<T>(), output.data<T>(), lines, exclusive, reverse);
  });
}

void infer_scan(InferContext& op) {
  op.normalize_axis("axis", op.input(0).rank());
  op.set_output(0, op.input(0).dtype, op.input(0).shape);
}

// Equal values move the index on, as does NaN, which stays once it has come.
template <bool kLargest>
void run_extreme_scan(KernelContext& kernel) {
  const Tensor dense = kernel.dense(0);
  const Tensor& values = kernel.output(0);
  const Tensor& indices = kernel.output(1);
  if (values.size() == 0) return;
  const AxisLines lines(dense.shape(), kernel.integer("axis"));
  const bool narrow = indices.dtype() == DType::Int32;
  with_real_type(dense.dtype(), [&]<class T>() {
    using Wide = Accumulator<T>;
    const T* x = dense.data<T>();
    T* y = values.data<T>();
    platform::parallel_for(
        lines.outer * lines.inner, lines.length, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t line = begin; line < end; ++line) {
            std::int64_t at = line / lines.inner * lines.length * lines.inner + line % lines.inner;
            Wide best = x[at];
            std::int64_t where = 0;
            for (std::int64_t i = 0; i < lines.length; ++i, at += lines.inner) {
              const Wide value = x[at];
              const bool moves = value != value || (kLargest ? value >= best : value <= best);
              if (moves) {
                best = value;
                where = i;
              }
              y[at] = static_cast<T>(best);
              if (narrow) {
                indices.data<std::int32_t>()[at] = static_cast<std::int32_t>(where);
              } else {
                indices.data<std::int64_t>()[at] = where;
              }
            }
          }
        });
  });
}

void infer_extreme_scan(InferContext& op, DType index) {
  op.normalize_axis("axis", op.input(0).rank());
  op.set_output(0, op.input(0).dtype, op.input(0).shape);
  op.set_output(1, index, op.input(0).shape);
}

void extreme_scan_gradient(GradientContext& op) {
  const Shape& shape = op.input_shape(0);
  if (shape.empty()) {
    op.set_input_gradient(0, op.output_gradient(0));
    return;
  }
  const std::int64_t axis = op.integer("axis");
  op.set_input_gradient(
      0, op.call("scatter_along", {op.output(1), op.output_gradient(0)},
                 {{"axis", axis}, {"length", shape[static_cast<std::size_t>(axis)]}}));
}

// The slope of all later products by x[k] is the product before k times
//   s[k] = dy[k] + x[k + 1] s[k + 1],
// which divides by nothing and so is right for zeros as well. An exclusive product at k + 1 is the
// inclusive one at k.
void cumprod_gradient(GradientContext& op) {
  const std::int64_t axis = op.integer("axis");
  const bool reverse = op.flag("reverse");
  const std::int64_t next = reverse ? -1 : 1;
  const Value x = conjugated(op, op.input(0));
  Value dy = op.output_gradient(0);
  if (op.flag("exclusive")) dy = neighbours(op, dy, axis, next);
  const Value later = op.call("linear_recurrence", {dy, neighbours(op, x, axis, next)},
                              {{"axis", axis}, {"reverse", !reverse}});
  const Value before =
      op.call("cumprod", {x}, {{"axis", axis}, {"exclusive", true}, {"reverse", reverse}});
  op.set_input_gradient(0, before * later);
}

Value cast_if_asked(CompositeContext& op) {
  if (op.is_none("dtype")) return op.input(0);
  return op.call("cast", {op.input(0)}, {{"dtype", op.attribute("dtype")}});
}

}  // namespace

MYCEL_OP(cumsum)
    .names({.primitive = "CumSum"})
    .doc("Running sum along one axis.")
    .input("input", "Any tensor of numbers.", kNumber)
    .attribute("axis", "Axis to add along.", required(AttributeType::Int), {.in_call = true})
    .attribute("exclusive", "Whether an element is left out of its own sum.", false)
    .attribute("reverse", "Whether to start from the end.", false)
    .output("output", "Same shape and type.")
    .infer(infer_scan)
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("cumsum", {op.output_gradient(0)},
                                       {{"axis", op.attribute("axis")},
                                        {"exclusive", op.attribute("exclusive")},
                                        {"reverse", !op.flag("reverse")}}));
    })
    .numpy(
        "(lambda x: (lambda c: np.flip(c, axis) if reverse else c)(np.cumsum(x, axis, "
        "dtype=x.dtype).reshape(x.shape) - "
        "(x if exclusive else 0)))(np.flip(input, axis) if reverse else input)")
    .sample("last axis", {normal({3, 5})}, {{"axis", 1}})
    .sample("first axis", {normal({5, 3})}, {{"axis", 0}, {"exclusive", true}})
    .sample("backward", {normal({2, 5, 3})}, {{"axis", -2}, {"reverse", true}})
    .sample_dtypes(kFloating | kIntegral);

MYCEL_CPU_KERNEL(cumsum) { run_scan<Sum>(kernel); }

MYCEL_OP(cumprod)
    .names({.primitive = "CumProd"})
    .doc("Running product along one axis.")
    .input("x", "Any tensor of numbers.", kNumber)
    .attribute("axis", "Axis to multiply along.", required(AttributeType::Int), {.in_call = true})
    .attribute("exclusive", "Whether an element is left out of its own product.", false)
    .attribute("reverse", "Whether to start from the end.", false)
    .output("output", "Same shape and type.")
    .infer(infer_scan)
    .gradient(cumprod_gradient)
    .keeps({"x"})
    .sample("last axis", {positive({3, 5})}, {{"axis", 1}})
    .sample("exclusive", {positive({5, 3})}, {{"axis", 0}, {"exclusive", true}})
    .sample("backward", {positive({2, 5, 3})}, {{"axis", -2}, {"reverse", true}})
    .sample("zeros", {values({2, 4}, {3, 0, 2, 5, 0, 4, 0, 2})}, {{"axis", 1}})
    .sample("zeros, exclusive, backward", {values({2, 4}, {3, 0, 2, 5, 0, 4, 0, 2})},
            {{"axis", 1}, {"exclusive", true}, {"reverse", true}})
    .sample_dtypes(kFloating | kComplex);

MYCEL_CPU_KERNEL(cumprod) { run_scan<Product>(kernel); }

MYCEL_OP(cumsum_typed)
    .names({.function = "cumsum"})
    .doc("Running sum along one axis.")
    .input("x", "Any tensor of numbers; of bool, if `dtype` is given.", kAny)
    .attribute("axis", "Axis to add along.", required(AttributeType::Int))
    .attribute("dtype", "Type to convert to first, and of the result.",
               optional(AttributeType::DType))
    .output("output", "Same shape.")
    .composite([](CompositeContext& op) {
      op.set_output(0, op.call("cumsum", {cast_if_asked(op)}, {{"axis", op.attribute("axis")}}));
    })
    .sample("last axis", {normal({3, 5})}, {{"axis", 1}});

MYCEL_OP(cumprod_typed)
    .names({.function = "cumprod", .method = "cumprod"})
    .doc("Running product along one axis.")
    .input("input", "Any tensor of numbers; of bool, if `dtype` is given.", kAny)
    .attribute("dim", "Axis to multiply along.", required(AttributeType::Int))
    .attribute("dtype", "Type to convert to first, and of the result.",
               optional(AttributeType::DType))
    .output("output", "Same shape.")
    .composite([](CompositeContext& op) {
      op.set_output(0, op.call("cumprod", {cast_if_asked(op)}, {{"axis", op.attribute("dim")}}));
    })
    .sample("last axis", {positive({3, 5})}, {{"dim", 1}});

MYCEL_OP(cummax)
    .names({.primitive = "Cummax", .function = "cummax", .method = "cummax"})
    .doc("Running maximum along one axis and where it was found, the latest of equals.")
    .input("input", "Any real tensor.", kReal)
    .attribute("axis", "Axis to search along.", required(AttributeType::Int))
    .output("values", "Running maxima.")
    .output("indices", "Their positions, int64.")
    .infer([](InferContext& op) { infer_extreme_scan(op, DType::Int64); })
    .gradient(extreme_scan_gradient)
    .keeps({"indices"})
    .sample("last axis", {normal({3, 5})}, {{"axis", 1}})
    .sample("first axis", {normal({5, 3})}, {{"axis", 0}})
    .sample_dtypes(kReal);

MYCEL_CPU_KERNEL(cummax) { run_extreme_scan<true>(kernel); }

MYCEL_OP(cummin)
    .names({.primitive = "Cummin", .function = "cummin", .method = "cummin"})
    .doc("Running minimum along one axis and where it was found, the latest of equals.")
    .input("input", "Any real tensor.", kReal)
    .attribute("axis", "Axis to search along.", required(AttributeType::Int))
    .output("values", "Running minima.")
    .output("indices", "Their positions, int32.")
    .infer([](InferContext& op) { infer_extreme_scan(op, DType::Int32); })
    .gradient(extreme_scan_gradient)
    .keeps({"indices"})
    .sample("last axis", {normal({3, 5})}, {{"axis", 1}})
    .sample("first axis", {normal({5, 3})}, {{"axis", 0}})
    .sample_dtypes(kReal);

MYCEL_CPU_KERNEL(cummin) { run_extreme_scan<false>(kernel); }

MYCEL_ONNX(CumSum, "x axis.numbers") {
  const Value x = call.tensor("x");
  return call.cast(call.call("cumsum", {x},
                             {{"axis", call.integer("axis")},
                              {"exclusive", call.flag("exclusive", false)},
                              {"reverse", call.flag("reverse", false)}}),
                   x.dtype());
}

MYCEL_WRITES_ONNX(cumsum) {
  const auto x = call.typed();
  const bool is_exclusive = call.flag("exclusive");
  if (call.rank_of() == 0) return is_exclusive ? x.number(0) * x : x;
  const auto axis = call.number(call.attribute("axis"), DType::Int64);
  return x.add("CumSum", {axis}, {{"exclusive", is_exclusive}, {"reverse", call.flag("reverse")}});
}

}  // namespace mycel::ops
