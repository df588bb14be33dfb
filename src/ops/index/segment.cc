// SPDX-License-Identifier: Apache-2.0
// Reductions over groups of slices that ids name.
#include "ops/index/rows.h"
#include "ops/reduce/outermost.h"
#include "ops/shape/fill_value.h"
#include "ops/shape/onnx_windows.h"

namespace mycel::ops {
namespace {

// ids cover the leading axes of x; what is left is one slice.
Shape slice_shape(const InferContext& op) {
  const Shape& x = op.input(0).shape;
  const Shape& ids = op.input(1).shape;
  const bool fits = ids.size() <= x.size() && std::equal(ids.begin(), ids.end(), x.begin());
  op.require(fits, ErrorKind::Value,
             "the shape of 'segment_ids' must begin the shape of the input, but got ", ids, " and ",
             x, ".");
  return Shape(x.begin() + static_cast<std::ptrdiff_t>(ids.size()), x.end());
}

void infer_segments(InferContext& op) {
  Shape shape = slice_shape(op);
  const std::int64_t segments = op.integer("num_segments");
  op.require(segments >= 0, ErrorKind::Value, "'num_segments' must not be negative, but got ",
             segments, ".");
  shape.insert(0, segments);
  op.set_output(0, op.input(0).dtype, shape);
}

// A negative id drops its slice; one that is too large is an error.
Tensor segment_positions(const KernelContext& kernel, std::int64_t segments) {
  const Tensor ids = kernel.dense(1);
  Tensor positions = Tensor::empty(ids.shape(), DType::Int64);
  with_integer_type(ids.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < ids.size(); ++i) {
      const auto id = static_cast<std::int64_t>(ids.data<T>()[i]);
      kernel.require(id < segments, ErrorKind::Index, "the segment id ", id,
                     " must be less than 'num_segments' ", segments, ".");
      positions.data<std::int64_t>()[i] = id < 0 ? -1 : id;
    }
  });
  return positions;
}

// An empty segment of a maximum holds the lowest number, one of a minimum the largest.
void start_segments(const Tensor& output, Combine combine) {
  if (combine == Combine::Add) return fill_tensor(output, 0);
  if (combine == Combine::Mul) return fill_tensor(output, 1);
  with_real_type(output.dtype(), [&]<class T>() {
    std::fill_n(output.data<T>(), output.size(), outermost<T>(combine == Combine::Min));
  });
}

template <Combine kCombine>
void segment_kernel(KernelContext& kernel) {
  const Tensor& output = kernel.output(0);
  const Tensor x = kernel.dense(0);
  const Shape& shape = output.shape();
  const RowPlan plan{1, 1, shape[0], span_of(shape, 1, shape.size()), kernel.input(1).size()};
  const Tensor positions = segment_positions(kernel, shape[0]);
  start_segments(output, kCombine);
  scatter_rows(plan, kCombine, output.dtype(), x.raw(), positions.data<std::int64_t>(),
               output.raw());
}

// Rows of a per-segment tensor for every slice; zeros where the id is negative.
Value spread_segments(GradientContext& op, const Value& segments) {
  return op.call("embedding_lookup", {segments, op.input(1)});
}

void extreme_gradient(GradientContext& op) {
  const DType dtype = op.input_dtype(0);
  const Value winner =
      op.call("cast", {op.call("equal", {op.input(0), spread_segments(op, op.output(0))})},
              {{"dtype", dtype}});
  const NamedAttribute segments{"num_segments", op.attribute("num_segments")};
  const Value count = op.call("unsorted_segment_sum", {winner, op.input(1)}, {segments});
  const Value share = op.output_gradient(0) / op.call("maximum", {count, op.emitter().number(1)});
  op.set_input_gradient(0, winner * spread_segments(op, share));
}

template <Combine kCombine>
Define segment_operator(std::string_view word, std::string_view primitive, std::string_view doc,
                        std::string_view input, void (*gradient)(GradientContext&),
                        std::initializer_list<std::string_view> kept) {
  const std::string name = platform::join("unsorted_segment_", word);
  Define op(name);
  op.names({.primitive = platform::join("UnsortedSegment", primitive), .function = name})
      .doc(platform::join(
          doc, " of all slices with the same id; slices with a negative id are left out."))
      .input(input, "The slices.")
      .input("segment_ids", "Group of each slice: the leading axes of the input.", kIndex)
      .attribute("num_segments", "Number of groups.", required(AttributeType::Int),
                 {.in_call = true})
      .output("output", "One slice per group.")
      .infer(infer_segments)
      .gradient(gradient)
      .keeps(kept)
      .sample("rows", {positive({4, 2}), index_values({4}, {2, 0, 2, -1})}, {{"num_segments", 3}})
      .sample("elements", {positive({2, 2}), index_values({2, 2}, {0, 1, 1, 1})},
              {{"num_segments", 2}});
  add_kernel(name, "CPU", {"default", 0, segment_kernel<kCombine>, nullptr});
  return op;
}

void sum_gradient(GradientContext& op) {
  op.set_input_gradient(0, spread_segments(op, op.output_gradient(0)));
}

void product_gradient(GradientContext& op) {
  op.set_input_gradient(0, spread_segments(op, op.output_gradient(0) * op.output(0)) / op.input(0));
}

const Define segment_operators[] = {
    segment_operator<Combine::Add>("sum", "Sum", "Sum", "input_x", sum_gradient, {"segment_ids"}),
    segment_operator<Combine::Mul>("prod", "Prod", "Product", "x", product_gradient,
                                   {"x", "segment_ids", "output"}),
    segment_operator<Combine::Max>("max", "Max", "Maximum", "x", extreme_gradient,
                                   {"x", "segment_ids", "output"}),
    segment_operator<Combine::Min>("min", "Min", "Minimum", "x", extreme_gradient,
                                   {"x", "segment_ids", "output"}),
};

}  // namespace
// Rows outside all segments fall into one more, which is cut off.
MYCEL_WRITES_ONNX(unsorted_segment_sum) {
  const std::int64_t count = call.integer("num_segments");
  const auto ids = call.input(1, DType::Int64);
  const auto is_inside = (ids >= 0).add("And", {ids < count});
  const auto tuples = is_inside.where(ids, count).unsqueeze({call.rank_of(1)});
  const auto zeros = call.number(0).expand(with_size(call.shape(), 0, count + 1));
  const auto sums = zeros.add("ScatterND", {tuples, call.typed(0)}, {{"reduction", "add"}});
  return sums.add("Slice", {IntList{0}, IntList{count}, IntList{0}});
}

}  // namespace mycel::ops
