// SPDX-License-Identifier: Apache-2.0
#include "operator/stored_call.h"
#include "operator/writes_both.h"
#include "ops/index/rows.h"
#include "ops/shape/fill_value.h"
#include "ops/shape/onnx_windows.h"

namespace mycel::ops {
namespace {

// table axes: batch_dims | outer | axis | inner; indices: batch_dims | count.
RowPlan gather_plan(const Shape& table, const Shape& indices, std::int64_t axis,
                    std::int64_t batch_dims) {
  const auto at = static_cast<std::size_t>(axis);
  const auto batch = static_cast<std::size_t>(batch_dims);
  return {span_of(table, 0, batch), span_of(table, batch, at), table.empty() ? 1 : table[at],
          table.empty() ? 1 : span_of(table, at + 1, table.size()),
          span_of(indices, batch, indices.size())};
}

Shape gathered_shape(const Shape& table, const Shape& indices, std::int64_t axis,
                     std::int64_t batch_dims) {
  Shape shape(table.begin(), table.begin() + axis);
  for (auto i = static_cast<std::size_t>(batch_dims); i < indices.size(); ++i)
    shape.push_back(indices[i]);
  for (auto i = static_cast<std::size_t>(axis) + 1; i < table.size(); ++i)
    shape.push_back(table[i]);
  return shape;
}

void normalize_gather(InferContext& op, const Shape& table, const Shape& indices) {
  const auto rank = static_cast<std::int64_t>(table.size());
  op.require(rank > 0, ErrorKind::Value,
             "the tensor to read from must have at least one axis, but got a scalar.");
  const std::int64_t axis = op.normalize_axis("axis", rank);
  const auto index_rank = static_cast<std::int64_t>(indices.size());
  const std::int64_t given = op.integer("batch_dims");
  const std::int64_t batch = given < 0 ? given + index_rank : given;
  op.require(batch >= 0 && batch <= index_rank && batch <= axis, ErrorKind::Value,
             "'batch_dims' must be at most the number of axes of the indices, ", index_rank,
             ", and 'axis', ", axis, ", but got ", given, ".");
  for (std::int64_t i = 0; i < batch; ++i) {
    const auto k = static_cast<std::size_t>(i);
    op.require(table[k] == indices[k], ErrorKind::Value, "the first ", batch,
               " axes of both inputs must agree, but got ", table, " and ", indices, ".");
  }
  op.set_attribute("batch_dims", batch);
}

}  // namespace

MYCEL_OP(gather)
    .names({.primitive = "Gather", .function = "gather", .method = "gather"})
    .primitive_aliases({"GatherV2", "SparseGatherV2"})
    .doc(
        "Slices of `input_params` along an axis, chosen by index. Negative indices count from the "
        "end.")
    .input("input_params", "The tensor to read from.")
    .input("input_indices", "Positions on the axis.", kIndex)
    .attribute("axis", "The axis the indices replace.", required(AttributeType::Int),
               {.in_call = true})
    .attribute("batch_dims", "Leading axes that both inputs share.", 0)
    .output("output", "Shape of `input_params` with `axis` replaced by the shape of the indices.")
    .infer([](InferContext& op) {
      normalize_gather(op, op.input(0).shape, op.input(1).shape);
      op.set_output(0, op.input(0).dtype,
                    gathered_shape(op.input(0).shape, op.input(1).shape, op.integer("axis"),
                                   op.integer("batch_dims")));
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("gather_gradient", {op.output_gradient(0), op.input(1)},
                                       {{"shape", op.input_shape(0)},
                                        {"axis", op.attribute("axis")},
                                        {"batch_dims", op.attribute("batch_dims")}}));
    })
    .keeps({"input_indices"})
    .sample("rows", {normal({5, 3}), integers({2, 2}, -5, 5)}, {{"axis", 0}})
    .sample("columns", {normal({2, 5}), integers({3}, 0, 5, DType::Int32)}, {{"axis", -1}})
    .sample("scalar index", {normal({4, 2}), integers({}, 0, 4)}, {{"axis", 0}})
    .sample("no index", {normal({4, 2}), integers({0}, 0, 4)}, {{"axis", 0}})
    .sample("batches", {normal({2, 5, 3}), integers({2, 4}, 0, 5)},
            {{"axis", 1}, {"batch_dims", 1}})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(gather) {
  const Tensor table = kernel.dense(0);
  const RowPlan plan = gather_plan(table.shape(), kernel.input(1).shape(), kernel.integer("axis"),
                                   kernel.integer("batch_dims"));
  const Tensor positions = row_positions(kernel, kernel.input(1), plan.span);
  gather_rows(plan, table.dtype(), table.raw(), positions.data<std::int64_t>(),
              kernel.output(0).raw());
}

MYCEL_OP(gather_gradient)
    .doc("Zeros with the slices of `updates` added along an axis: the gradient of gather.")
    .input("updates", "Shape of a gather's result.")
    .input("indices", "Positions on the axis.", kIndex)
    .attribute("shape", "Shape of the result.", required(AttributeType::Ints))
    .attribute("axis", "The axis the indices replaced.", 0)
    .attribute("batch_dims", "Leading axes that both inputs share.", 0)
    .output("output", "Sums of slices.")
    .infer([](InferContext& op) {
      const Shape shape = op.ints("shape");
      normalize_gather(op, shape, op.input(1).shape);
      const Shape rows =
          gathered_shape(shape, op.input(1).shape, op.integer("axis"), op.integer("batch_dims"));
      op.require(rows == op.input(0).shape, ErrorKind::Value, "the shape of 'updates' must be ",
                 rows, ", but got ", op.input(0).shape, ".");
      op.set_output(0, op.input(0).dtype, shape);
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(
          0, op.call("gather", {op.output_gradient(0), op.input(1)},
                     {{"axis", op.attribute("axis")}, {"batch_dims", op.attribute("batch_dims")}}));
    })
    .keeps({"indices"})
    .sample("rows", {normal({4, 3}), integers({4}, 0, 3)}, {{"shape", IntList{3, 3}}})
    .sample("columns", {normal({2, 4}), integers({4}, -3, 3)},
            {{"shape", IntList{2, 3}}, {"axis", 1}})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(gather_gradient) {
  const Tensor updates = kernel.dense(0);
  const Tensor& output = kernel.output(0);
  const RowPlan plan = gather_plan(output.shape(), kernel.input(1).shape(), kernel.integer("axis"),
                                   kernel.integer("batch_dims"));
  const Tensor positions = row_positions(kernel, kernel.input(1), plan.span);
  fill_tensor(output, 0);
  scatter_rows(plan, Combine::Add, output.dtype(), updates.raw(), positions.data<std::int64_t>(),
               output.raw());
}

MYCEL_OP(index_select)
    .names({.function = "index_select", .method = "index_select"})
    .doc("Slices along an axis, chosen by a vector of indices.")
    .numpy("np.take(input, index, axis)")
    .input("input", "The tensor to read from.")
    .input("index", "Positions on the axis; at most one axis.", kIndex)
    .attribute("axis", "The axis.", required(AttributeType::Int))
    .order({"input", "axis", "index"})
    .output("output", "As long along `axis` as there are indices.")
    .composite([](CompositeContext& op) {
      op.require(op.input(1).rank() <= 1, ErrorKind::Value,
                 "'index' must have one axis, but got shape ", op.input(1).shape(), ".");
      const Value index = op.call("reshape", {op.input(1)}, {{"shape", IntList{-1}}});
      op.set_output(0, op.call("gather", {op.input(0), index}, {{"axis", op.integer("axis")}}));
    })
    .sample("columns", {normal({2, 5}), integers({3}, 0, 5)}, {{"axis", 1}})
    .sample_dtypes(kAny);

MYCEL_OP(take)
    .names({.method = "take"})
    .doc("Elements or slices by index; indices out of range are clipped or wrap around.")
    .numpy("np.take(input, indices, axis, mode=mode)")
    .input("input", "The tensor to read from.")
    .input("indices", "Positions.", kIndex)
    .attribute("axis", "The axis; None reads the flattened tensor.", optional(AttributeType::Int))
    .attribute("mode", "clip, wrap or raise.", "clip", {.choices = {"clip", "wrap", "raise"}})
    .output("output", "Shape of the input with the axis replaced by the shape of the indices.")
    .composite([](CompositeContext& op) {
      const bool flat = op.is_none("axis") || op.input(0).rank() == 0;
      const std::int64_t axis =
          op.is_none("axis")
              ? 0
              : normalize_axis(op.integer("axis"), op.input(0).rank(), op.name(), "axis");
      const Value x =
          flat ? op.call("reshape", {op.input(0)}, {{"shape", IntList{-1}}}) : op.input(0);
      const std::int64_t size = x.shape()[static_cast<std::size_t>(axis)];
      Value indices = op.input(1);
      if (op.text("mode") != "raise") {
        indices = op.call("fold_indices", {indices},
                          {{"size", size}, {"wrap", op.text("mode") == "wrap"}});
      }
      op.set_output(0, op.call("gather", {x, indices}, {{"axis", axis}}));
    })
    .sample("clip", {normal({2, 3}), integers({4}, -2, 9)})
    .sample("wrap", {normal({2, 3}), integers({2, 2}, -7, 9)}, {{"axis", 1}, {"mode", "wrap"}})
    .sample_dtypes(kAny);

MYCEL_OP(fold_indices)
    .doc("Brings indices into [0, size): by clipping, or by going around.")
    .numpy("np.mod(indices, size) if wrap else np.clip(indices, 0, size - 1)")
    .input("indices", "Any whole numbers.", kIndex)
    .attribute("size", "Length of the axis.", required(AttributeType::Int))
    .attribute("wrap", "Go around instead of clipping.", false)
    .output("output", "int64.")
    .infer([](InferContext& op) {
      op.require(op.integer("size") > 0, ErrorKind::Index,
                 "an axis of length 0 has no positions to read.");
      op.set_output(0, DType::Int64, op.input(0).shape);
    })
    .not_differentiable()
    .sample("clip", {integers({6}, -9, 9)}, {{"size", 4}})
    .sample("wrap", {integers({6}, -9, 9)}, {{"size", 4}, {"wrap", true}});

MYCEL_CPU_KERNEL(fold_indices) {
  const Tensor indices = kernel.dense(0);
  const std::int64_t size = kernel.integer("size");
  const bool wrap = kernel.flag("wrap");
  auto* const folded = kernel.output(0).data<std::int64_t>();
  with_integer_type(indices.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < indices.size(); ++i) {
      const auto index = static_cast<std::int64_t>(indices.data<T>()[i]);
      folded[i] = wrap ? (index % size + size) % size
                       : std::min(std::max<std::int64_t>(index, 0), size - 1);
    }
  });
}

MYCEL_OP(embedding_lookup)
    .names({.primitive = "EmbeddingLookup"})
    .doc("Rows of a table; indices are shifted by `offset` and give zeros when out of range.")
    .input("input_params", "The table.")
    .input("input_indices", "Rows.", kIndex)
    .attribute("offset", "Number of the table's first row.", 0, {.in_call = true})
    .output("output", "One row per index.")
    .infer([](InferContext& op) {
      op.require(op.input(0).rank() > 0, ErrorKind::Value,
                 "'input_params' must have at least one axis.");
      op.set_output(0, op.input(0).dtype,
                    gathered_shape(op.input(0).shape, op.input(1).shape, 0, 0));
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(
          0, op.call("embedding_lookup_gradient", {op.output_gradient(0), op.input(1)},
                     {{"shape", op.input_shape(0)}, {"offset", op.attribute("offset")}}));
    })
    .keeps({"input_indices"})
    .sample("shifted", {normal({4, 3}), integers({2, 3}, 0, 8)}, {{"offset", 2}});

namespace {

// Rows of the table after the shift, -1 outside of it.
Tensor shifted_positions(const KernelContext& kernel, std::int64_t rows) {
  const Tensor indices = kernel.dense(1);
  Tensor positions = Tensor::empty(indices.shape(), DType::Int64);
  const std::int64_t offset = kernel.integer("offset");
  with_integer_type(indices.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < indices.size(); ++i) {
      const std::int64_t row = static_cast<std::int64_t>(indices.data<T>()[i]) - offset;
      positions.data<std::int64_t>()[i] = row >= 0 && row < rows ? row : -1;
    }
  });
  return positions;
}

}  // namespace

MYCEL_CPU_KERNEL(embedding_lookup) {
  const Tensor table = kernel.dense(0);
  const RowPlan plan = gather_plan(table.shape(), kernel.input(1).shape(), 0, 0);
  const Tensor positions = shifted_positions(kernel, plan.span);
  gather_rows(plan, table.dtype(), table.raw(), positions.data<std::int64_t>(),
              kernel.output(0).raw());
}

MYCEL_OP(embedding_lookup_gradient)
    .doc("Zeros with rows added: the gradient of embedding_lookup.")
    .input("updates", "Rows.")
    .input("indices", "Where they belong.", kIndex)
    .attribute("shape", "Shape of the table.", required(AttributeType::Ints))
    .attribute("offset", "Number of the table's first row.", 0)
    .output("output", "Sums of rows.")
    .infer([](InferContext& op) {
      const Shape shape = op.ints("shape");
      op.require(!shape.empty(), ErrorKind::Value, "'shape' must have at least one axis.");
      const Shape rows = gathered_shape(shape, op.input(1).shape, 0, 0);
      op.require(rows == op.input(0).shape, ErrorKind::Value, "the shape of 'updates' must be ",
                 rows, ", but got ", op.input(0).shape, ".");
      op.set_output(0, op.input(0).dtype, shape);
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("embedding_lookup", {op.output_gradient(0), op.input(1)},
                                       {{"offset", op.attribute("offset")}}));
    })
    .keeps({"indices"})
    .sample("rows", {normal({4, 3}), integers({4}, 0, 3)}, {{"shape", IntList{3, 3}}});

MYCEL_CPU_KERNEL(embedding_lookup_gradient) {
  const Tensor updates = kernel.dense(0);
  const Tensor& output = kernel.output(0);
  const RowPlan plan = gather_plan(output.shape(), kernel.input(1).shape(), 0, 0);
  const Tensor positions = shifted_positions(kernel, plan.span);
  fill_tensor(output, 0);
  scatter_rows(plan, Combine::Add, output.dtype(), updates.raw(), positions.data<std::int64_t>(),
               output.raw());
}

MYCEL_ONNX(Gather, "data indices") {
  return call.call("gather", {call.tensor("data"), call.tensor("indices")},
                   {{"axis", call.integer("axis", 0)}});
}

MYCEL_WRITES(fold_indices) {
  const auto x = call.typed();
  const std::int64_t size = call.integer("size");
  return call.flag("wrap") ? x.modulo(size) : x.maximum(0).minimum(size - 1);
}

MYCEL_WRITES_ONNX(gather) {
  const auto table = call.input(0);
  const auto places = call.input(1);
  const std::int64_t axis = call.axis("axis", call.rank_of(0));
  const std::int64_t batch = call.axis("batch_dims", call.rank_of(1));
  if (batch == 0) return table.take(places, axis);
  if (axis != batch) call.refuse("'batch_dims' is not the axis");
  const auto tuples = places.to(DType::Int64).unsqueeze({call.rank_of(1)});
  return table.add("GatherND", {tuples}, {{"batch_dims", batch}});
}

// Rows out of the table are zeros.
MYCEL_WRITES_ONNX(embedding_lookup) {
  auto places = call.input(1);
  if (call.integer("offset") != 0) places = places - call.integer("offset");
  const auto is_inside = (places >= 0).add("And", {places < call.shape_of(0)[0]});
  const auto rows = call.input(0).take(is_inside.where(places, 0), 0);
  return is_inside.unsqueeze(counted(call.rank_of(1), call.rank())).where(rows, 0);
}

}  // namespace mycel::ops
