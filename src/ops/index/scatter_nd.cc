// SPDX-License-Identifier: Apache-2.0
// Index tuples along the last axis of `indices`: gather_nd, scatter_nd and the tensor_scatter
// family.
#include "operator/onnx_call.h"
#include "ops/index/mindir_places.h"
#include "ops/index/only_last.h"
#include "ops/index/rows.h"
#include "ops/onnx_arguments.h"
#include "ops/shape/fill_value.h"

namespace mycel::ops {
namespace {

std::size_t tuple_length(const AttributeReader& op, const Shape& table, const Shape& indices) {
  op.require(!indices.empty(), ErrorKind::Value,
             "'indices' must have at least one axis, but got a scalar.");
  const std::int64_t depth = indices.back();
  op.require(depth >= 0 && depth <= static_cast<std::int64_t>(table.size()), ErrorKind::Value,
             "the last axis of 'indices' must not be longer than the number of axes of the input, ",
             table.size(), ", but got ", depth, ".");
  return static_cast<std::size_t>(depth);
}

// indices.shape[:-1] + table.shape[depth:]
Shape rows_shape(const Shape& table, const Shape& indices, std::size_t depth) {
  Shape shape(indices.begin(), indices.end() - 1);
  for (std::size_t i = depth; i < table.size(); ++i) shape.push_back(table[i]);
  return shape;
}

struct TuplePlan {
  RowPlan rows;
  Tensor positions;
};

TuplePlan tuple_plan(const AttributeReader& op, const Shape& table, const Tensor& indices) {
  const std::size_t depth = tuple_length(op, table, indices.shape());
  const IntList bounds(table.begin(), table.begin() + static_cast<std::ptrdiff_t>(depth));
  TuplePlan plan{{1, 1, element_count(bounds), span_of(table, depth, table.size()), 0},
                 tuple_positions(op, indices, bounds)};
  plan.rows.count = plan.positions.size();
  return plan;
}

void infer_tensor_scatter(InferContext& op) {
  const Shape& table = op.input(0).shape;
  const std::size_t depth = tuple_length(op, table, op.input(1).shape);
  const Shape rows = rows_shape(table, op.input(1).shape, depth);
  op.require(op.input(2).shape == rows, ErrorKind::Value, "the shape of 'updates' must be ", rows,
             ", but got ", op.input(2).shape, ".");
  op.cast_input(2, op.input(0).dtype);
  op.set_output(0, op.input(0).dtype, table);
}

void scatter_tuples(KernelContext& kernel, Combine combine, const Tensor& table) {
  const TuplePlan plan = tuple_plan(kernel, table.shape(), kernel.input(1));
  const Tensor updates = kernel.dense(2);
  scatter_rows(plan.rows, combine, table.dtype(), updates.raw(),
               plan.positions.data<std::int64_t>(), table.raw());
}

template <Combine kCombine>
void tensor_scatter_kernel(KernelContext& kernel) {
  copy_elements(kernel.input(0), kernel.output(0));
  scatter_tuples(kernel, kCombine, kernel.output(0));
}

template <Combine kCombine>
void scatter_nd_in_place_kernel(KernelContext& kernel) {
  write_dense(kernel.input(0),
              [&](const Tensor& table) { scatter_tuples(kernel, kCombine, table); });
}

Value zeros_of(GradientContext& op, const Shape& shape, DType dtype) {
  return op.call("fill", {}, {{"shape", shape}, {"value", 0}, {"dtype", dtype}});
}

void update_gradient(GradientContext& op) {
  const Value dy = op.output_gradient(0);
  if (op.wants(0)) {
    const Value zeros = zeros_of(op, op.input_shape(2), op.input_dtype(0));
    op.set_input_gradient(0, op.call("tensor_scatter_update", {dy, op.input(1), zeros}));
  }
  if (!op.wants(2)) return;
  const Value rows = op.call("gather_nd", {dy, op.input(1)});
  op.set_input_gradient(
      2, only_last(
             op, rows, op.input_shape(0),
             [&](const Value& table, const Value& numbers) {
               return op.call("tensor_scatter_update", {table, op.input(1), numbers});
             },
             [&](const Value& table) {
               return op.call("gather_nd", {table, op.input(1)});
             }));
}

template <bool kNegative>
void sum_gradient(GradientContext& op) {
  const Value dy = op.output_gradient(0);
  if (op.wants(0)) op.set_input_gradient(0, dy);
  if (!op.wants(2)) return;
  const Value rows = op.call("gather_nd", {dy, op.input(1)});
  op.set_input_gradient(2, kNegative ? -rows : rows);
}

// x * u1 * u2 at one place: the derivative by one factor is the result divided by it.
void product_gradient(GradientContext& op) {
  const Value dy = op.output_gradient(0);
  if (op.wants(0))
    op.set_input_gradient(0, op.call("tensor_scatter_mul", {dy, op.input(1), op.input(2)}));
  if (!op.wants(2)) return;
  const Value rows = op.call("gather_nd", {dy * op.output(0), op.input(1)});
  op.set_input_gradient(2, rows / op.input(2));
}

void quotient_gradient(GradientContext& op) {
  const Value dy = op.output_gradient(0);
  if (op.wants(0))
    op.set_input_gradient(0, op.call("tensor_scatter_div", {dy, op.input(1), op.input(2)}));
  if (!op.wants(2)) return;
  const Value rows = op.call("gather_nd", {dy * op.output(0), op.input(1)});
  op.set_input_gradient(2, -rows / op.input(2));
}

// The gradient goes to whatever the result equals, shared evenly among equals.
void extreme_gradient(GradientContext& op) {
  const Value dy = op.output_gradient(0);
  const DType dtype = op.input_dtype(0);
  const auto as_number = [&](const Value& mask) {
    return op.call("cast", {mask}, {{"dtype", dtype}});
  };
  const Value own = as_number(op.call("equal", {op.input(0), op.output(0)}));
  const Value result_rows = op.call("gather_nd", {op.output(0), op.input(1)});
  const Value theirs = as_number(op.call("equal", {op.input(2), result_rows}));
  const Value winners = op.call("tensor_scatter_add", {own, op.input(1), theirs});
  const Value share = dy / op.call("maximum", {winners, op.emitter().number(1)});
  if (op.wants(0)) op.set_input_gradient(0, share * own);
  if (op.wants(2)) op.set_input_gradient(2, op.call("gather_nd", {share, op.input(1)}) * theirs);
}

struct Member {
  std::string_view word;       // in operator names
  std::string_view primitive;  // in class names
  std::string_view doc;
};

std::string name_with(std::string_view prefix, std::string_view word) {
  return std::string(prefix) + std::string(word);
}

Define tensor_scatter(const Member& member, void (*gradient)(GradientContext&),
                      std::initializer_list<std::string_view> kept) {
  const std::string name = name_with("tensor_scatter_", member.word);
  Define op(name);
  op.names({.primitive = name_with("TensorScatter", member.primitive), .function = name})
      .doc(platform::join("A copy of `input_x` with slices at index tuples ", member.doc, "."))
      .input("input_x", "The tensor to start from.")
      .input("indices", "Tuples along the last axis; negative ones count from the end.", kIndex)
      .input(member.word == "update" ? "update" : "updates", "One slice per tuple.")
      .output("output", "Same shape and type as `input_x`.")
      .infer(infer_tensor_scatter)
      .gradient(gradient)
      .keeps(kept)
      .sample("elements", {positive({3, 4}), index_values({2, 2}, {0, 3, 2, -1}), positive({2})})
      .sample("rows", {positive({3, 4}), index_values({2, 1}, {2, -3}), positive({2, 4})})
      .sample("a place twice",
              {positive({3, 4}), index_values({3, 1}, {2, 0, -1}), positive({3, 4})});
  return op;
}

Define scatter_nd_in_place(const Member& member) {
  const std::string name = name_with("scatter_nd_", member.word);
  Define op(name);
  op.names({.primitive = name_with("ScatterNd", member.primitive), .function = name})
      .doc(platform::join("Slices of `input_x` at index tuples ", member.doc, ", in place."))
      .input("input_x", "The parameter that changes.")
      .input("indices", "Tuples along the last axis.", kIndex)
      .input("updates", "One slice per tuple.")
      .attribute("use_locking", "Kept for compatibility; writes are always ordered.", false)
      .in_place_output("output", "`input_x`.", 0)
      .infer(infer_tensor_scatter)
      .not_differentiable()
      .sample("rows", {positive({3, 4}), integers({2, 1}, 0, 3), positive({2, 4})});
  return op;
}

constexpr Member kUpdate{"update", "Update", "replaced"};
constexpr Member kAdd{"add", "Add", "added to"};
constexpr Member kSub{"sub", "Sub", "subtracted from"};
constexpr Member kMul{"mul", "Mul", "multiplied"};
constexpr Member kDiv{"div", "Div", "divided"};
constexpr Member kMax{"max", "Max", "raised to the larger value"};
constexpr Member kMin{"min", "Min", "lowered to the smaller value"};

const Define tensor_scatter_operators[] = {
    tensor_scatter(kUpdate, update_gradient, {"indices"}),
    tensor_scatter(kAdd, sum_gradient<false>, {"indices"}),
    tensor_scatter(kSub, sum_gradient<true>, {"indices"}),
    tensor_scatter(kMul, product_gradient, {"indices", "updates", "output"}),
    tensor_scatter(kDiv, quotient_gradient, {"indices", "updates", "output"}),
    tensor_scatter(kMax, extreme_gradient, {"input_x", "indices", "updates", "output"}),
    tensor_scatter(kMin, extreme_gradient, {"input_x", "indices", "updates", "output"}),
    scatter_nd_in_place(kUpdate),
    scatter_nd_in_place(kAdd),
    scatter_nd_in_place(kSub),
    scatter_nd_in_place(kMul),
    scatter_nd_in_place(kDiv),
    scatter_nd_in_place(kMax),
    scatter_nd_in_place(kMin),
};

template <Combine kCombine>
void add_kernels(const Member& member) {
  add_kernel(name_with("tensor_scatter_", member.word), "CPU",
             {"default", 0, tensor_scatter_kernel<kCombine>, nullptr});
  add_kernel(name_with("scatter_nd_", member.word), "CPU",
             {"default", 0, scatter_nd_in_place_kernel<kCombine>, nullptr});
}

const bool kernels_added = [] {
  add_kernels<Combine::Update>(kUpdate);
  add_kernels<Combine::Add>(kAdd);
  add_kernels<Combine::Sub>(kSub);
  add_kernels<Combine::Mul>(kMul);
  add_kernels<Combine::Div>(kDiv);
  add_kernels<Combine::Max>(kMax);
  add_kernels<Combine::Min>(kMin);
  return true;
}();

}  // namespace

MYCEL_OP(gather_nd)
    .names({.primitive = "GatherNd", .function = "gather_nd", .method = "gather_nd"})
    .doc("Slices at index tuples, which lie along the last axis of `indices`.")
    .numpy(
        "input_x[tuple(np.moveaxis(indices, -1, 0))] if indices.shape[-1] else "
        "np.broadcast_to(input_x, indices.shape[:-1] + input_x.shape)")
    .input("input_x", "The tensor to read from.")
    .input("indices", "Tuples along the last axis; negative ones count from the end.", kIndex)
    .output("output", "One slice per tuple.")
    .infer([](InferContext& op) {
      const std::size_t depth = tuple_length(op, op.input(0).shape, op.input(1).shape);
      op.set_output(0, op.input(0).dtype, rows_shape(op.input(0).shape, op.input(1).shape, depth));
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("scatter_nd", {op.input(1), op.output_gradient(0)},
                                       {{"shape", op.input_shape(0)}}));
    })
    .keeps({"indices"})
    .sample("elements", {normal({3, 4}), integers({2, 2}, 0, 3)})
    .sample("rows", {normal({3, 4}), integers({2, 2, 1}, -3, 3, DType::Int32)})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(gather_nd) {
  const Tensor table = kernel.dense(0);
  const TuplePlan plan = tuple_plan(kernel, table.shape(), kernel.input(1));
  gather_rows(plan.rows, table.dtype(), table.raw(), plan.positions.data<std::int64_t>(),
              kernel.output(0).raw());
}

MYCEL_OP(scatter_nd)
    .names({.primitive = "ScatterNd", .function = "scatter_nd"})
    .doc("Zeros with slices added at index tuples.")
    .input("indices", "Tuples along the last axis.", kIndex)
    .input("updates", "One slice per tuple.")
    .attribute("shape", "Shape of the result.", required(AttributeType::Ints), {.in_call = true})
    .output("output", "Sums of slices.")
    .infer([](InferContext& op) {
      const Shape shape = op.ints("shape");
      for (const std::int64_t length : shape) {
        op.require(length >= 0, ErrorKind::Value,
                   "'shape' must not have negative entries, but got ", shape, ".");
      }
      const std::size_t depth = tuple_length(op, shape, op.input(0).shape);
      const Shape rows = rows_shape(shape, op.input(0).shape, depth);
      op.require(rows == op.input(1).shape, ErrorKind::Value, "the shape of 'updates' must be ",
                 rows, ", but got ", op.input(1).shape, ".");
      op.set_output(0, op.input(1).dtype, shape);
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(1, op.call("gather_nd", {op.output_gradient(0), op.input(0)}));
    })
    .keeps({"indices"})
    .sample("elements", {integers({4, 1}, 0, 3), normal({4})}, {{"shape", IntList{3}}})
    .sample("rows", {integers({2, 1}, 0, 3), normal({2, 4})}, {{"shape", IntList{3, 4}}})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(scatter_nd) {
  const Tensor& output = kernel.output(0);
  fill_tensor(output, 0);
  const TuplePlan plan = tuple_plan(kernel, output.shape(), kernel.input(0));
  const Tensor updates = kernel.dense(1);
  scatter_rows(plan.rows, Combine::Add, output.dtype(), updates.raw(),
               plan.positions.data<std::int64_t>(), output.raw());
}

// The places of an axis, as indices for all elements of a shape.
static Value own_places(const StoredCall& call, const Shape& shape, std::size_t axis) {
  IntList line(shape.size(), 1);
  line[axis] = -1;
  const Value places = call.call("arange", {}, {{"end", shape[axis]}, {"dtype", DType::Int64}});
  return call.call("broadcast_to", {call.reshape(places, line)}, {{"shape", shape}});
}

// Axes that both share are indexed by their own places.
MYCEL_ONNX(GatherND, "data indices") {
  const Value x = call.tensor("data"), places = call.tensor("indices");
  const std::int64_t shared = call.integer("batch_dims", 0);
  if (shared == 0) return call.call("gather_nd", {x, places});
  Shape shape = places.shape();
  call.require(shared > 0 && shared < std::min(x.rank(), places.rank()), ErrorKind::Value,
               "'batch_dims' ", shared, " do not fit the shapes ", x.shape(), " and ", shape, ".");
  shape.pop_back();
  ValueList columns;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(shared); ++axis)
    columns.push_back(call.call(
        "expand_dims", {call.cast(own_places(call, shape, axis), places.dtype())}, {{"axis", -1}}));
  columns.push_back(places);
  return call.call("gather_nd", {x, call.call("concat", columns, {{"axis", -1}})});
}

static Value scattered(const StoredCall& call, const Value& places) {
  const std::string reduction = call.text("reduction", "none");
  const bool is_known = reduction == "none" || reduction == "add" || reduction == "mul" ||
                        reduction == "max" || reduction == "min";
  if (!is_known) call.refuse("the reduction '", reduction, "'");
  return call.call("tensor_scatter_" + (reduction == "none" ? "update" : reduction),
                   {call.tensor("data"), places, call.tensor("updates")});
}

MYCEL_ONNX(ScatterND, "data indices updates") { return scattered(call, call.tensor("indices")); }

static Value scatter_elements(const StoredCall& call) {
  const Value x = call.tensor("data"), places = call.tensor("indices");
  const std::int64_t along = onnx_axis(call, call.integer("axis", 0), x.rank());
  const std::string reduction = call.text("reduction", "none");
  if (reduction == "none" || reduction == "add")
    return call.call("tensor_scatter_elements", {x, places, call.tensor("updates")},
                     {{"axis", along}, {"reduction", reduction}});
  const Shape shape = places.shape();
  call.require(places.rank() == x.rank(), ErrorKind::Value, "the indices must have ", x.rank(),
               " axes, but have ", places.rank(), ".");
  ValueList columns;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (static_cast<std::int64_t>(axis) != along) {
      columns.push_back(own_places(call, shape, axis));
      continue;
    }
    const Value is_from_end = call.call("less", {places, call.emitter().integer(0)});
    const Value counted = places + call.emitter().integer(x.shape()[axis]);
    columns.push_back(call.cast(call.call("where", {is_from_end, counted, places}), DType::Int64));
  }
  return scattered(call, call.call("stack", columns, {{"axis", -1}}));
}

MYCEL_ONNX(ScatterElements, "data indices updates") { return scatter_elements(call); }
MYCEL_ONNX(Scatter, "data indices updates") { return scatter_elements(call); }

// Tuples of indices, counted from the beginning.
static mindir::Symbol by_tuples(const mindir::Call& call, std::string_view primitive) {
  const auto table = call.input(0);
  const auto places = call.input(1);
  const auto width = places.shape().back();
  const auto sizes =
      places.table(mindir::Table::of(width, [&](std::int64_t axis) { return table.size(axis); }));
  std::vector<mindir::Operand> others{from_zero(places, sizes)};
  if (call.has(2)) others.emplace_back(call.typed(2));
  return table.add(primitive, others, {.shape = call.shape()});
}

MYCEL_WRITES_MINDIR(gather_nd) { return by_tuples(call, "GatherNd"); }

#define MYCEL_WRITES_SCATTER(word, primitive)          \
  MYCEL_WRITES_MINDIR(tensor_scatter_##word) {         \
    return by_tuples(call, "TensorScatter" primitive); \
  }                                                    \
  MYCEL_WRITES_MINDIR_BY(scatter_nd_##word, writes_mindir_tensor_scatter_##word)
MYCEL_WRITES_SCATTER(add, "Add");
MYCEL_WRITES_SCATTER(div, "Div");
MYCEL_WRITES_SCATTER(max, "Max");
MYCEL_WRITES_SCATTER(min, "Min");
MYCEL_WRITES_SCATTER(mul, "Mul");
MYCEL_WRITES_SCATTER(sub, "Sub");
MYCEL_WRITES_SCATTER(update, "Update");
#undef MYCEL_WRITES_SCATTER

static onnx::Symbol scattered(const onnx::Call& call, const char* reduction, bool is_negated) {
  call.refuse_parameter(0);
  const auto places = call.input(1, DType::Int64);
  const auto updates = is_negated ? -call.typed(2) : call.typed(2);
  return call.input().add("ScatterND", {places, updates}, {{"reduction", reduction}});
}

MYCEL_WRITES_ONNX(gather_nd) { return call.input().add("GatherND", {call.input(1, DType::Int64)}); }
MYCEL_WRITES_ONNX(tensor_scatter_update) { return scattered(call, "none", false); }
MYCEL_WRITES_ONNX_BY(scatter_nd_update, writes_onnx_tensor_scatter_update);
MYCEL_WRITES_ONNX(tensor_scatter_add) { return scattered(call, "add", false); }
MYCEL_WRITES_ONNX(tensor_scatter_sub) { return scattered(call, "add", true); }
MYCEL_WRITES_ONNX(tensor_scatter_mul) { return scattered(call, "mul", false); }

MYCEL_WRITES_ONNX(scatter_nd) {
  const auto zeros = call.number(0).expand(call.shape());
  const auto places = call.input(0, DType::Int64);
  return zeros.add("ScatterND", {places, call.input(1)}, {{"reduction", "add"}});
}

}  // namespace mycel::ops
