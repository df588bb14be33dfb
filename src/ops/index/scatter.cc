// SPDX-License-Identifier: Apache-2.0
// Slices along one axis written or combined by index: the in-place scatter family of parameters,
// scatter_add_axis, index_add and index_fill.
#include "ops/index/mindir_places.h"
#include "ops/index/rows.h"
#include "ops/reduce/mindir_reductions.h"
#include "ops/reduce/onnx_reductions.h"
#include "ops/shape/onnx_windows.h"

namespace mycel::ops {
namespace {

// Table axes: outer | axis | inner; updates: outer | shape of the indices | inner.
RowPlan axis_plan(const Shape& table, const Shape& indices, std::int64_t axis) {
  const auto at = static_cast<std::size_t>(axis);
  return {1, span_of(table, 0, at), table[at], span_of(table, at + 1, table.size()),
          element_count(indices)};
}

void check_updates(const InferContext& op, std::int64_t axis) {
  const Shape& table = op.input(0).shape;
  Shape rows(table.begin(), table.begin() + axis);
  for (const std::int64_t length : op.input(1).shape) rows.push_back(length);
  for (auto i = static_cast<std::size_t>(axis) + 1; i < table.size(); ++i) rows.push_back(table[i]);
  op.require(op.input(2).shape == rows, ErrorKind::Value, "the shape of the updates must be ", rows,
             ", but got ", op.input(2).shape, ".");
}

void infer_in_place(InferContext& op) {
  op.require(op.input(0).rank() > 0, ErrorKind::Value,
             "'input_x' must have at least one axis, but got a scalar.");
  check_updates(op, 0);
  op.cast_input(2, op.input(0).dtype);
  op.set_output(0, op.input(0).dtype, op.input(0).shape);
}

template <Combine kCombine>
void in_place_kernel(KernelContext& kernel) {
  write_dense(kernel.input(0), [&](const Tensor& table) {
    const RowPlan plan = axis_plan(table.shape(), kernel.input(1).shape(), 0);
    const Tensor positions = row_positions(kernel, kernel.input(1), plan.span);
    const Tensor updates = kernel.dense(2);
    scatter_rows(plan, kCombine, table.dtype(), updates.raw(), positions.data<std::int64_t>(),
                 table.raw());
  });
}

template <Combine kCombine>
Define scatter_in_place(std::string_view word, std::string_view primitive, std::string_view doc,
                        bool locking) {
  const std::string name = platform::join("scatter_", word);
  Define op(name);
  op.names({.primitive = platform::join("Scatter", primitive), .function = name})
      .doc(platform::join("Slices of `input_x` along the first axis ", doc, ", in place."))
      .input("input_x", "The parameter that changes.")
      .input("indices", "Positions on the first axis; negative ones count from the end.", kIndex)
      .input("updates", "Shape of the indices, then of one slice.")
      .attribute("use_locking", "Kept for compatibility; writes are always ordered.", locking)
      .in_place_output("output", "`input_x`.", 0)
      .infer(infer_in_place)
      .not_differentiable()
      .sample("rows", {positive({3, 2}), integers({2}, 0, 3), positive({2, 2})});
  add_kernel(name, "CPU", {"default", 0, in_place_kernel<kCombine>, nullptr});
  return op;
}

const Define scatter_operators[] = {
    scatter_in_place<Combine::Update>("update", "Update", "replaced", true),
    scatter_in_place<Combine::Add>("add", "Add", "added to", false),
    scatter_in_place<Combine::Sub>("sub", "Sub", "subtracted from", false),
    scatter_in_place<Combine::Mul>("mul", "Mul", "multiplied", false),
    scatter_in_place<Combine::Div>("div", "Div", "divided", false),
    scatter_in_place<Combine::Max>("max", "Max", "raised to the larger value", false),
    scatter_in_place<Combine::Min>("min", "Min", "lowered to the smaller value", false),
};

}  // namespace

MYCEL_OP(scatter_add_axis)
    .doc("A copy of `input` with slices of `updates` added along an axis, by index.")
    .input("input", "The tensor to start from.")
    .input("indices", "Positions on the axis; negative ones count from the end.", kIndex)
    .input("updates", "Shape of `input` with the axis replaced by the shape of the indices.")
    .attribute("axis", "The axis.", 0)
    .output("output", "Same shape and type as `input`.")
    .infer([](InferContext& op) {
      op.require(op.input(0).rank() > 0, ErrorKind::Value,
                 "'input' must have at least one axis, but got a scalar.");
      check_updates(op, op.normalize_axis("axis", op.input(0).rank()));
      op.cast_input(2, op.input(0).dtype);
      op.set_output(0, op.input(0).dtype, op.input(0).shape);
    })
    .gradient([](GradientContext& op) {
      const Value dy = op.output_gradient(0);
      if (op.wants(0)) op.set_input_gradient(0, dy);
      if (op.wants(2)) {
        op.set_input_gradient(
            2, op.call("gather", {dy, op.input(1)}, {{"axis", op.attribute("axis")}}));
      }
    })
    .keeps({"indices"})
    .sample("rows", {normal({3, 2}), integers({4}, -3, 3), normal({4, 2})})
    .sample("columns", {normal({2, 3}), integers({2, 2}, 0, 3), normal({2, 2, 2})}, {{"axis", -1}})
    .sample_dtypes(kNumber);

MYCEL_CPU_KERNEL(scatter_add_axis) {
  const Tensor& output = kernel.output(0);
  copy_elements(kernel.input(0), output);
  const RowPlan plan = axis_plan(output.shape(), kernel.input(1).shape(), kernel.integer("axis"));
  const Tensor positions = row_positions(kernel, kernel.input(1), plan.span);
  const Tensor updates = kernel.dense(2);
  scatter_rows(plan, Combine::Add, output.dtype(), updates.raw(), positions.data<std::int64_t>(),
               output.raw());
}

MYCEL_OP(index_add)
    .doc(
        "`x` with slices of `y` added along an axis, by index; the function also writes it into x.")
    .input("x", "The tensor to start from.")
    .input("indices", "Positions on the axis, one axis.", kIndex)
    .input("y", "The slices.")
    .attribute("axis", "The axis.", required(AttributeType::Int))
    .output("output", "Same shape and type as `x`.")
    .composite([](CompositeContext& op) {
      op.set_output(0, op.call("scatter_add_axis", {op.input(0), op.input(1), op.input(2)},
                               {{"axis", op.integer("axis")}}));
    })
    .sample("columns", {normal({2, 3}), integers({2}, 0, 3), normal({2, 2})}, {{"axis", 1}});

MYCEL_OP(index_fill_axis)
    .doc("A copy of `x` with whole slices along an axis set to one value.")
    .input("x", "The tensor to start from.")
    .input("index", "Positions on the axis, at most one axis.", kIndex)
    .input("value", "A number or a tensor without axes.")
    .attribute("axis", "The axis.", required(AttributeType::Int))
    .output("output", "Same shape and type as `x`.")
    .infer([](InferContext& op) {
      op.normalize_axis("axis", op.input(0).rank());
      op.require(op.input(1).rank() <= 1 && element_count(op.input(2).shape) == 1, ErrorKind::Value,
                 "'index' must have at most one axis and 'value' one element, but got shapes ",
                 op.input(1).shape, " and ", op.input(2).shape, ".");
      op.cast_input(2, op.input(0).dtype);
      op.set_output(0, op.input(0).dtype, op.input(0).shape);
    })
    .gradient([](GradientContext& op) {
      const Value dy = op.output_gradient(0);
      const NamedAttribute axis{"axis", op.attribute("axis")};
      if (op.wants(0)) {
        const Value zero =
            op.call("fill", {}, {{"shape", Shape{}}, {"value", 0}, {"dtype", op.input_dtype(0)}});
        op.set_input_gradient(0, op.call("index_fill_axis", {dy, op.input(1), zero}, {axis}));
      }
      if (op.wants(2)) {
        const Value zero =
            op.call("fill", {}, {{"shape", Shape{}}, {"value", 0}, {"dtype", op.input_dtype(0)}});
        const Value kept = op.call("index_fill_axis", {dy, op.input(1), zero}, {axis});
        const Value total = op.call("reduce_sum", {dy - kept});
        op.set_input_gradient(2, op.call("reshape", {total}, {{"shape", op.input_shape(2)}}));
      }
    })
    .keeps({"index"})
    .sample("columns", {normal({2, 4}), integers({2}, -4, 4), normal({})}, {{"axis", 1}})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(index_fill_axis) {
  const Tensor& output = kernel.output(0);
  copy_elements(kernel.input(0), output);
  if (output.rank() == 0) {
    if (row_positions(kernel, kernel.input(1), 1).size() == 0) return;
    copy_elements(Tensor::view(kernel.input(2), {}, {}, kernel.input(2).body().offset), output);
    return;
  }
  const auto axis = static_cast<std::size_t>(kernel.integer("axis"));
  const Tensor positions = row_positions(kernel, kernel.input(1), output.shape()[axis]);
  Shape slice = output.shape();
  slice[axis] = 1;
  const Tensor value =
      Tensor::view(kernel.input(2), slice, Strides(slice.size(), 0), kernel.input(2).body().offset);
  for (std::int64_t k = 0; k < positions.size(); ++k) {
    const std::int64_t offset =
        output.body().offset + positions.data<std::int64_t>()[k] * output.strides()[axis];
    copy_elements(value, Tensor::view(output, slice, output.strides(), offset));
  }
}

MYCEL_OP(index_fill)
    .names({.primitive = "IndexFill", .function = "index_fill", .method = "index_fill"})
    .doc("A copy of `x` with whole slices along an axis set to one value.")
    .input("x", "The tensor to start from.")
    .input("index", "Positions on the axis.", kIndex)
    .input("value", "A number or a tensor without axes.")
    .attribute("axis", "The axis.", required(AttributeType::Int), {.in_call = true})
    .order({"x", "axis", "index", "value"})
    .output("output", "Same shape and type as `x`.")
    .composite([](CompositeContext& op) {
      op.set_output(0, op.call("index_fill_axis", {op.input(0), op.input(1), op.input(2)},
                               {{"axis", op.integer("axis")}}));
    })
    .sample("rows", {normal({3, 2}), integers({2}, 0, 3), number(2)}, {{"axis", 0}});

// Indices of rows.
static mindir::Symbol by_rows(const mindir::Call& call, std::string_view primitive) {
  const auto table = call.input(0);
  const auto places = from_zero(call.input(1), call.shape()[0]);
  const auto tuples = places.reshape(joint({places.shape(), {1}}));
  return table.add(primitive, {tuples, call.typed(2)}, {.shape = call.shape()});
}

MYCEL_WRITES_MINDIR(scatter_add) { return by_rows(call, "TensorScatterAdd"); }
MYCEL_WRITES_MINDIR(scatter_div) { return by_rows(call, "TensorScatterDiv"); }
MYCEL_WRITES_MINDIR(scatter_max) { return by_rows(call, "TensorScatterMax"); }
MYCEL_WRITES_MINDIR(scatter_min) { return by_rows(call, "TensorScatterMin"); }
MYCEL_WRITES_MINDIR(scatter_mul) { return by_rows(call, "TensorScatterMul"); }
MYCEL_WRITES_MINDIR(scatter_sub) { return by_rows(call, "TensorScatterSub"); }
MYCEL_WRITES_MINDIR(scatter_update) { return by_rows(call, "TensorScatterUpdate"); }

MYCEL_WRITES_MINDIR(scatter_add_axis) {
  const auto x = call.input();
  const std::int64_t axis = call.axis("axis", call.rank());
  const auto places = from_zero(call.input(1), x.size(axis));
  const IntList order = joint({{axis}, counted(0, axis), counted(axis + 1, x.rank())});
  const auto table = x.transpose(order);
  const auto updates = call.typed(2);
  const std::int64_t end = axis + places.rank();
  const auto tuples = places.reshape(joint({places.shape(), {1}}));
  const auto turned = updates.transpose(
      joint({counted(axis, end), counted(0, axis), counted(end, updates.rank())}));
  return scattered(table, tuples, turned, true).transpose(undone(order));
}

// A mask of the chosen places by comparison with all.
MYCEL_WRITES_MINDIR(index_fill_axis) {
  const auto x = call.input();
  const std::int64_t axis = call.axis("axis", call.rank());
  const std::int64_t size = call.shape()[static_cast<std::size_t>(axis)];
  auto places = from_zero(call.input(1), size);
  places = places.reshape({element_count(places.shape()), 1});
  const auto hits = places.equals(places.table(mindir::Table::positions(size).shaped({1, size})));
  const Shape along = with_size(Shape(x.shape().size(), 1), axis, size);
  const auto chosen = reduced(hits, "ReduceAny", {0}).reshape(along);
  return chosen.where(call.typed(2), x);
}
MYCEL_WRITES_MINDIR_BY(index_fill, writes_mindir_index_fill_axis);

MYCEL_WRITES_ONNX(scatter_add_axis) {
  const std::int64_t axis = call.axis("axis", call.rank());
  const IntList order = joint({{axis}, counted(0, axis), counted(axis + 1, call.rank())});
  const auto places = call.input(1, DType::Int64).reshape({-1, 1});
  const auto updates = call.typed(2).reshape(with_size(call.shape(), axis, -1)).transpose(order);
  return call.input()
      .transpose(order)
      .add("ScatterND", {places, updates}, {{"reduction", "add"}})
      .transpose(undone(order));
}

// Positions that appear among the indices get the value.
MYCEL_WRITES_ONNX(index_fill_axis) {
  const std::int64_t axis = call.axis("axis", call.rank());
  const std::int64_t size = call.shape()[static_cast<std::size_t>(axis)];
  const auto places = from_zero(call.input(1, DType::Int64).reshape({-1, 1}), size);
  const auto numbers = places.table(onnx::Table::positions(size).shaped({1, size}));
  const auto hits = places.equals(numbers).to(DType::Int32);
  const auto chosen = reduced(hits, "ReduceSum", {0}, false) > 0;
  const Shape along = with_size(Shape(call.shape().size(), 1), axis, size);
  return chosen.reshape(along).where(call.typed(2).reshape({}), call.input());
}

}  // namespace mycel::ops
