// SPDX-License-Identifier: Apache-2.0
// Advanced indexing: index tensors at given axes, stretched to one shape, by NumPy's rules.
#include "ops/index/mindir_places.h"
#include "ops/index/only_last.h"
#include "ops/index/rows.h"
#include "ops/shape/fill_value.h"
#include "ops/shape/onnx_windows.h"

namespace mycel::ops {
namespace {

// Where the axes of the index go: in place of the first indexed axis when the indexed axes are
// neighbours, in front otherwise (or when asked for).
struct AdvancedPlan {
  IntList order;  // input axes: before, indexed, after
  std::size_t before = 0;
  IntList bounds;  // lengths of the indexed axes
  Shape index;     // shape of all index tensors together
  Shape result;
};

AdvancedPlan advanced_plan(const AttributeReader& op, const Shape& input, const IntList& axes,
                           const Shape& index) {
  const auto rank = static_cast<std::int64_t>(input.size());
  AdvancedPlan plan;
  plan.index = index;
  bool neighbours = !op.flag("front");
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const bool rising = k == 0 || axes[k] > axes[k - 1];
    op.require(axes[k] >= 0 && axes[k] < rank && rising, ErrorKind::Index,
               "too many indices for tensor of dimension ", rank,
               ": 'axes' must be rising axes of the input, but got ", axes, ".");
    neighbours &= k == 0 || axes[k] == axes[k - 1] + 1;
    plan.bounds.push_back(input[static_cast<std::size_t>(axes[k])]);
  }
  op.require(!axes.empty(), ErrorKind::Value, "'axes' must name at least one axis.");
  plan.before = neighbours ? static_cast<std::size_t>(axes[0]) : 0;
  for (std::size_t i = 0; i < plan.before; ++i) plan.order.push_back(static_cast<std::int64_t>(i));
  for (const std::int64_t axis : axes) plan.order.push_back(axis);
  for (std::int64_t i = 0; i < rank; ++i) {
    if (std::find(plan.order.begin(), plan.order.end(), i) == plan.order.end())
      plan.order.push_back(i);
  }
  for (std::size_t i = 0; i < plan.before; ++i) plan.result.push_back(input[i]);
  for (const std::int64_t length : index) plan.result.push_back(length);
  for (std::size_t i = plan.before + axes.size(); i < input.size(); ++i) {
    plan.result.push_back(input[static_cast<std::size_t>(plan.order[i])]);
  }
  return plan;
}

template <class ShapeAt>
Shape joint_shape(const AttributeReader& op, std::size_t first, std::size_t count,
                  const ShapeAt& shape_at) {
  const IntList axes = op.ints("axes");
  op.require(count - first == axes.size(), ErrorKind::Value,
             "there must be one index tensor per axis in 'axes' ", axes, ", but got ",
             count - first, ".");
  Shape shape;
  for (std::size_t i = first; i < count; ++i)
    shape = broadcast_shapes(shape, shape_at(i), op.name());
  return shape;
}

AdvancedPlan plan_of(const InferContext& op, const Shape& table, std::size_t first) {
  const Shape index = joint_shape(op, first, op.input_count(),
                                  [&](std::size_t i) -> const Shape& { return op.input(i).shape; });
  return advanced_plan(op, table, op.ints("axes"), index);
}

AdvancedPlan plan_of(const KernelContext& op, const Shape& table, std::size_t first) {
  const Shape index = joint_shape(op, first, op.input_count(), [&](std::size_t i) -> const Shape& {
    return op.input(i).shape();
  });
  return advanced_plan(op, table, op.ints("axes"), index);
}

Tensor reordered(const Tensor& tensor, const IntList& order) {
  Shape shape;
  Strides strides;
  for (const std::int64_t axis : order) {
    shape.push_back(tensor.shape()[static_cast<std::size_t>(axis)]);
    strides.push_back(tensor.strides()[static_cast<std::size_t>(axis)]);
  }
  return Tensor::view(tensor, shape, strides, tensor.body().offset);
}

RowPlan rows_of(const AdvancedPlan& plan, const Shape& reordered_shape) {
  const std::size_t after = plan.before + plan.bounds.size();
  return {1, span_of(reordered_shape, 0, plan.before), element_count(plan.bounds),
          span_of(reordered_shape, after, reordered_shape.size()), element_count(plan.index)};
}

// Whether to walk over the positions in a table whose order of axes is not that of its memory,
// rather than to copy the table into that order: a cache of keys gets one row in every step.
bool has_few_positions(const AdvancedPlan& plan, const Tensor& table) {
  constexpr std::int64_t kElementsPerPosition = 1024;  // copied in the time that a position takes
  return !table.is_contiguous() &&
         element_count(plan.result) + kElementsPerPosition * element_count(plan.index) <=
             table.size();
}

// What is left of a tensor at one position of neighbouring axes, which are counted as one.
Tensor at_position(const Tensor& tensor, std::size_t first, std::span<const std::int64_t> lengths,
                   std::int64_t position) {
  Shape shape;
  Strides strides;
  for (std::size_t i = 0; i < tensor.shape().size(); ++i) {
    if (i >= first && i < first + lengths.size()) continue;
    shape.push_back(tensor.shape()[i]);
    strides.push_back(tensor.strides()[i]);
  }
  std::int64_t offset = tensor.body().offset;
  for (std::size_t i = lengths.size(); i-- > 0; position /= lengths[i])
    offset += position % lengths[i] * tensor.strides()[first + i];
  return Tensor::view(tensor, shape, strides, offset);
}

// Calls `visit` for every position, with what the table has there and what belongs to it in
// `rows`.
template <class Visit>
void walk_positions(const AdvancedPlan& plan, const Tensor& table, const Tensor& rows,
                    const Tensor& positions, const Visit& visit) {
  const auto* const places = positions.data<std::int64_t>();
  for (std::int64_t i = 0; i < positions.size(); ++i)
    visit(at_position(table, plan.before, plan.bounds, places[i]),
          at_position(rows, plan.before, plan.index, i));
}

void combine_into(const Tensor& target, const Tensor& values, Combine combine) {
  if (combine == Combine::Update) return copy_elements(values, target);
  constexpr std::int64_t kOnly = 0;
  const Tensor row = contiguous(values);
  write_dense(target, [&](const Tensor& dense) {
    scatter_rows({1, 1, 1, dense.size(), 1}, combine, dense.dtype(), row.raw(), &kOnly,
                 dense.raw());
  });
}

// Writes `value` (stretched to the index result) into `target`, which may be strided.
void put(const KernelContext& kernel, const Tensor& target, const Tensor& value, std::size_t first,
         Combine combine) {
  const AdvancedPlan plan = plan_of(kernel, target.shape(), first);
  const Tensor positions =
      joint_positions(kernel, kernel.inputs().subspan(first), plan.bounds, plan.index);
  const Strides strides = broadcast_strides(value.shape(), value.strides(), plan.result);
  const Tensor stretched = Tensor::view(value, plan.result, strides, value.body().offset);
  const Tensor whole = reordered(target, plan.order);
  if (has_few_positions(plan, whole)) {
    walk_positions(plan, whole, stretched, positions, [&](const Tensor& place, const Tensor& row) {
      combine_into(place, row, combine);
    });
    return;
  }
  const Tensor rows = contiguous(stretched);
  write_dense(whole, [&](const Tensor& table) {
    scatter_rows(rows_of(plan, table.shape()), combine, table.dtype(), rows.raw(),
                 positions.data<std::int64_t>(), table.raw());
  });
}

void infer_put(InferContext& op) {
  const AdvancedPlan plan = plan_of(op, op.input(0).shape, 2);
  op.require(broadcast_shapes(op.input(1).shape, plan.result, op.name()) == plan.result,
             ErrorKind::Value, "the shape of 'value' must broadcast to ", plan.result, ", but got ",
             op.input(1).shape, ".");
  op.cast_input(1, op.input(0).dtype);
  op.set_output(0, op.input(0).dtype, op.input(0).shape);
}

ValueList with_indices(const GradientContext& op, std::initializer_list<Value> leading,
                       std::size_t first) {
  ValueList inputs(leading);
  for (std::size_t i = first; i < op.input_count(); ++i) inputs.push_back(op.input(i));
  return inputs;
}

Value gather_indices(GradientContext& op, const Value& table, std::size_t first) {
  const NamedAttribute attributes[] = {{"axes", op.attribute("axes")},
                                       {"front", op.attribute("front")}};
  return op.emitter().call_all("index_gather", with_indices(op, {table}, first), attributes)[0];
}

}  // namespace

MYCEL_OP(index_gather)
    .doc("Advanced indexing: elements at the index tensors, one per axis in `axes`.")
    .numpy("input[tuple(dict(zip(axes, indices)).get(i, slice(None)) for i in range(input.ndim))]")
    .input("input", "The tensor to read from.")
    .variadic_input("indices", "Index tensors, stretched to one shape.", kIndex)
    .attribute("axes", "The axes they belong to, rising.", required(AttributeType::Ints))
    .attribute("front",
               "Put the axes of the index first even when the indexed axes are neighbours.", false)
    .output("output", "The indexed axes replaced by those of the index.")
    .infer([](InferContext& op) {
      op.set_output(0, op.input(0).dtype, plan_of(op, op.input(0).shape, 1).result);
    })
    .gradient([](GradientContext& op) {
      const NamedAttribute attributes[] = {{"shape", op.input_shape(0)},
                                           {"axes", op.attribute("axes")},
                                           {"front", op.attribute("front")}};
      op.set_input_gradient(
          0, op.emitter().call_all("index_scatter_add",
                                   with_indices(op, {op.output_gradient(0)}, 1), attributes)[0]);
    })
    .keeps({"indices"})
    .sample("leading", {normal({3, 4, 2}), integers({2, 1}, -3, 3), integers({3}, 0, 4)},
            {{"axes", IntList{0, 1}}})
    .sample("middle", {normal({2, 4, 3}), integers({5}, -4, 4)}, {{"axes", IntList{1}}})
    .sample("none", {normal({2, 4}), integers({0}, 0, 2)}, {{"axes", IntList{0}}})
    .sample("few of many, apart",
            {normal({3, 4, 50, 6}), integers({2, 1}, -3, 3), integers({1}, 0, 50)},
            {{"axes", IntList{0, 2}}, {"front", true}})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(index_gather) {
  const AdvancedPlan plan = plan_of(kernel, kernel.input(0).shape(), 1);
  const Tensor whole = reordered(kernel.input(0), plan.order);
  const Tensor positions =
      joint_positions(kernel, kernel.inputs().subspan(1), plan.bounds, plan.index);
  if (has_few_positions(plan, whole)) {
    walk_positions(plan, whole, kernel.output(0), positions,
                   [](const Tensor& place, const Tensor& row) { copy_elements(place, row); });
    return;
  }
  const Tensor table = contiguous(whole);
  gather_rows(rows_of(plan, table.shape()), table.dtype(), table.raw(),
              positions.data<std::int64_t>(), kernel.output(0).raw());
}

MYCEL_OP(index_scatter_add)
    .doc("Zeros with values added at the index tensors: the gradient of index_gather.")
    .input("updates", "Shape of an index_gather's result.")
    .variadic_input("indices", "Index tensors, stretched to one shape.", kIndex)
    .attribute("shape", "Shape of the result.", required(AttributeType::Ints))
    .attribute("axes", "The axes they belong to, rising.", required(AttributeType::Ints))
    .attribute("front", "The axes of the index come first.", false)
    .output("output", "Sums of elements.")
    .infer([](InferContext& op) {
      const AdvancedPlan plan = plan_of(op, op.ints("shape"), 1);
      op.require(op.input(0).shape == plan.result, ErrorKind::Value,
                 "the shape of 'updates' must be ", plan.result, ", but got ", op.input(0).shape,
                 ".");
      op.set_output(0, op.input(0).dtype, op.ints("shape"));
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, gather_indices(op, op.output_gradient(0), 1));
    })
    .keeps({"indices"})
    .sample("rows", {normal({4, 2}), integers({4}, 0, 3)},
            {{"shape", IntList{3, 2}}, {"axes", IntList{0}}})
    .sample_dtypes(kNumber);

MYCEL_CPU_KERNEL(index_scatter_add) {
  fill_tensor(kernel.output(0), 0);
  put(kernel, kernel.output(0), kernel.input(0), 1, Combine::Add);
}

MYCEL_OP(index_put)
    .doc("A copy of `input` with `value` written, or added, at the index tensors.")
    .input("input", "The tensor to start from.")
    .input("value", "Stretched to the shape of the index result.")
    .variadic_input("indices", "Index tensors, stretched to one shape.", kIndex)
    .attribute("axes", "The axes they belong to, rising.", required(AttributeType::Ints))
    .attribute("front", "The axes of the index come first in `value`.", false)
    .attribute("accumulate", "Add instead of replacing.", false)
    .output("output", "Same shape and type as `input`.")
    .infer(infer_put)
    .gradient([](GradientContext& op) {
      const Value dy = op.output_gradient(0);
      if (op.wants(0) && op.flag("accumulate")) op.set_input_gradient(0, dy);
      if (op.wants(0) && !op.flag("accumulate")) {
        const Value zero =
            op.call("fill", {}, {{"shape", Shape{}}, {"value", 0}, {"dtype", op.input_dtype(0)}});
        const NamedAttribute attributes[] = {{"axes", op.attribute("axes")},
                                             {"front", op.attribute("front")}};
        op.set_input_gradient(
            0, op.emitter().call_all("index_put", with_indices(op, {dy, zero}, 2), attributes)[0]);
      }
      if (!op.wants(1)) return;
      const NamedAttribute places[] = {{"axes", op.attribute("axes")},
                                       {"front", op.attribute("front")}};
      const auto put = [&](const Value& table, const Value& numbers) {
        return op.emitter().call_all("index_put", with_indices(op, {table, numbers}, 2), places)[0];
      };
      const auto take = [&](const Value& table) { return gather_indices(op, table, 2); };
      const Value rows =
          op.flag("accumulate") ? take(dy) : only_last(op, take(dy), op.input_shape(0), put, take);
      op.set_input_gradient(1, sum_to(rows, op.input_specs[1]));
    })
    .keeps({"indices"})
    .sample("rows", {normal({3, 4}), normal({2, 4}), index_values({2}, {2, 0})},
            {{"axes", IntList{0}}})
    .sample("a place twice", {normal({3, 4}), normal({3, 4}), index_values({3}, {2, 0, 2})},
            {{"axes", IntList{0}}})
    .sample("add", {normal({3, 4}), normal({}), integers({4}, 0, 3), integers({4}, 0, 4)},
            {{"axes", IntList{0, 1}}, {"accumulate", true}})
    .sample("few of many, apart",
            {normal({3, 4, 50, 6}), normal({2, 4, 6}), integers({2}, -3, 3), integers({1}, 0, 50)},
            {{"axes", IntList{0, 2}}, {"front", true}})
    .sample("a few added, some twice",
            {normal({3, 4, 50, 6}), normal({4, 6}), index_values({2}, {1, 1}),
             index_values({1}, {7})},
            {{"axes", IntList{0, 2}}, {"front", true}, {"accumulate", true}})
    .sample_dtypes(kNumber);

MYCEL_CPU_KERNEL(index_put) {
  copy_elements(kernel.input(0), kernel.output(0));
  put(kernel, kernel.output(0), kernel.input(1), 2,
      kernel.flag("accumulate") ? Combine::Add : Combine::Update);
}

MYCEL_OP(index_put_assign)
    .doc("Writes, or adds, `value` at the index tensors of `input`, in place.")
    .input("input", "The tensor that changes.")
    .input("value", "Stretched to the shape of the index result.")
    .variadic_input("indices", "Index tensors, stretched to one shape.", kIndex)
    .attribute("axes", "The axes they belong to, rising.", required(AttributeType::Ints))
    .attribute("front", "The axes of the index come first in `value`.", false)
    .attribute("accumulate", "Add instead of replacing.", false)
    .in_place_output("output", "`input`.", 0)
    .infer(infer_put)
    .not_differentiable()
    .sample("rows", {normal({3, 4}), normal({2, 4}), index_values({2}, {2, 0})},
            {{"axes", IntList{0}}})
    .sample_dtypes(kNumber);

MYCEL_CPU_KERNEL(index_put_assign) {
  put(kernel, kernel.input(0), kernel.input(1), 2,
      kernel.flag("accumulate") ? Combine::Add : Combine::Update);
}

// That of all index tensors, stretched to each other.
static Shape joint_index_shape(const OperatorUse& call, std::size_t first) {
  Shape joint_shape;
  for (std::size_t i = 0; i < call.ints("axes").size(); ++i)
    joint_shape = broadcast_shapes(joint_shape, call.shape_of(first + i), call.name());
  return joint_shape;
}

// Index tensors as tuples along a last axis.
static mindir::Symbol index_tuples(const mindir::Call& call, std::size_t first,
                                   const Shape& shape) {
  const IntList axes = call.ints("axes");
  const Shape joint_shape = joint_index_shape(call, first);
  std::vector<mindir::Symbol> parts;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t size = shape[static_cast<std::size_t>(axes[i])];
    parts.push_back(from_zero(call.input(first + i, DType::Int32), size).broadcast(joint_shape));
  }
  const auto width = static_cast<std::int64_t>(parts.size());
  if (width == 1) return parts[0].reshape(joint({joint_shape, {1}}));
  return joined("Stack", parts, joint({joint_shape, {width}}), parts[0].rank());
}

// The order in which the indexed axes come first.
static IntList axes_in_front(const IntList& axes, std::int64_t rank) {
  const IntList all = others_first(rank, axes);
  const auto others = rank - static_cast<std::int64_t>(axes.size());
  return joint({axes, cut(all, 0, others)});
}

// Before which kept axis the axes of the index stand in the result.
static std::int64_t place_of_result(const OperatorUse& call) {
  const IntList axes = call.ints("axes");
  const bool are_neighbours =
      axes == counted(axes[0], axes[0] + static_cast<std::int64_t>(axes.size()));
  return call.flag("front") || !are_neighbours ? 0 : axes[0];
}

MYCEL_WRITES_MINDIR(index_gather) {
  const Shape shape = call.shape_of();
  const IntList axes = call.ints("axes");
  const std::int64_t place = place_of_result(call);
  if (axes.size() == 1 && place == axes[0]) {
    const auto x = call.input();
    return x.take(from_zero(call.input(1), x.size(place)), place);
  }
  const auto tuples = index_tuples(call, 1, shape);
  const std::int64_t width = tuples.rank() - 1;
  const auto count = static_cast<std::int64_t>(axes.size());
  const auto table = call.input().transpose(axes_in_front(axes, call.rank_of()));
  const auto found = table.add(
      "GatherNd", {tuples},
      {.shape = joint({cut(tuples.shape(), 0, width), cut(table.shape(), count, table.rank())})});
  return found.transpose(joint(
      {counted(width, width + place), counted(0, width), counted(width + place, found.rank())}));
}

static mindir::Symbol put_into(const mindir::Call& call, const mindir::Symbol& table,
                               mindir::Symbol value, std::size_t first, bool adds) {
  const IntList axes = call.ints("axes");
  auto tuples = index_tuples(call, first, call.shape());
  const std::int64_t width = tuples.rank() - 1;
  const std::int64_t place = place_of_result(call);
  const IntList order = axes_in_front(axes, call.rank());
  const auto fronted = table.transpose(order);
  const Shape kept = cut(fronted.shape(), static_cast<std::int64_t>(axes.size()), call.rank());
  const auto kept_rank = static_cast<std::int64_t>(kept.size());
  value = value.broadcast(
      joint({cut(kept, 0, place), cut(tuples.shape(), 0, width), cut(kept, place, kept_rank)}));
  value = value.transpose(joint({counted(place, place + width), counted(0, place),
                                 counted(place + width, width + kept_rank)}));
  if (width == 0) {  // the primitive takes lists of tuples only
    tuples = tuples.reshape(joint({{1}, tuples.shape()}));
    value = value.reshape(joint({{1}, value.shape()}));
  }
  return scattered(fronted, tuples, value, adds).transpose(undone(order));
}

MYCEL_WRITES_MINDIR(index_put) {
  const auto table = call.input();
  return put_into(call, table, call.typed(1), 2, call.flag("accumulate"));
}
MYCEL_WRITES_MINDIR_BY(index_put_assign, writes_mindir_index_put);

MYCEL_WRITES_MINDIR(index_scatter_add) {
  const auto zeros = call.number(0).broadcast(call.shape());
  return put_into(call, zeros, call.typed(0), 1, true);
}

static onnx::Symbol index_tuples(const onnx::Call& call, std::size_t first) {
  const Shape shape = joint_index_shape(call, first);
  const auto width = static_cast<std::int64_t>(shape.size());
  std::vector<onnx::Symbol> parts;
  for (std::size_t i = 0; i < call.ints("axes").size(); ++i) {
    const auto part = call.input(first + i, DType::Int64);
    const bool is_whole = call.shape_of(first + i) == shape;
    parts.push_back((is_whole ? part : part.expand(shape)).unsqueeze({width}));
  }
  return parts.size() > 1 ? onnx::joined(parts, width) : parts[0];
}

static onnx::Symbol turned(const onnx::Symbol& x, const IntList& order) {
  return order == counted(0, static_cast<std::int64_t>(order.size())) ? x : x.transpose(order);
}

MYCEL_WRITES_ONNX(index_gather) {
  const IntList axes = call.ints("axes");
  const std::int64_t place = place_of_result(call);
  if (axes.size() == 1 && place == axes[0]) return call.input().take(call.input(1), place);
  const auto tuples = index_tuples(call, 1);
  const auto width = static_cast<std::int64_t>(joint_index_shape(call, 1).size());
  const auto table = turned(call.input(), axes_in_front(axes, call.rank_of()));
  return turned(table.add("GatherND", {tuples}),
                joint({counted(width, width + place), counted(0, width),
                       counted(width + place, call.rank())}));
}

MYCEL_WRITES_ONNX(index_put) {
  call.refuse_parameter(0);
  const IntList axes = call.ints("axes");
  const IntList order = axes_in_front(axes, call.rank());
  Shape kept;
  for (const std::int64_t axis : cut(order, static_cast<std::int64_t>(axes.size()), call.rank()))
    kept.push_back(call.shape()[static_cast<std::size_t>(axis)]);
  const Shape of_index = joint_index_shape(call, 2);
  const auto width = static_cast<std::int64_t>(of_index.size());
  const auto kept_rank = static_cast<std::int64_t>(kept.size());
  const std::int64_t place = place_of_result(call);
  const auto tuples = index_tuples(call, 2);
  const auto table = turned(call.input(), order);
  const auto values =
      call.typed(1).expand(joint({cut(kept, 0, place), of_index, cut(kept, place, kept_rank)}));
  const auto updates = turned(values, joint({counted(place, place + width), counted(0, place),
                                             counted(place + width, width + kept_rank)}));
  const char* reduction = call.flag("accumulate") ? "add" : "none";
  return turned(table.add("ScatterND", {tuples, updates}, {{"reduction", reduction}}),
                undone(order));
}
MYCEL_WRITES_ONNX_BY(index_put_assign, writes_onnx_index_put);

}  // namespace mycel::ops
