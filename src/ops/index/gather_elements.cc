// SPDX-License-Identifier: Apache-2.0
#include "operator/onnx_call.h"
#include "operator/stored_call.h"
#include "ops/index/mindir_places.h"
#include "ops/index/only_last.h"
#include "ops/index/rows.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

// An element at (outer, k, inner) of the index belongs to table line (outer, *, inner). The index
// may be shorter than the table on the other axes, so lines are found through offsets.
struct LinePlan {
  std::vector<std::int64_t> outer;  // table offset of each outer position of the index
  std::vector<std::int64_t> inner;
  std::int64_t step = 1;   // between neighbours of the axis in the table
  std::int64_t bound = 1;  // length of the axis in the table
  std::int64_t count = 1;  // length of the axis in the index
};

std::vector<std::int64_t> offsets_of(const Shape& shape, const Strides& strides, std::size_t first,
                                     std::size_t last) {
  std::vector<std::int64_t> offsets{0};
  for (std::size_t axis = first; axis < last; ++axis) {
    std::vector<std::int64_t> next;
    next.reserve(offsets.size() * static_cast<std::size_t>(shape[axis]));
    for (const std::int64_t base : offsets) {
      for (std::int64_t i = 0; i < shape[axis]; ++i) next.push_back(base + i * strides[axis]);
    }
    offsets = std::move(next);
  }
  return offsets;
}

LinePlan line_plan(const Shape& table, const Shape& index, std::int64_t axis) {
  if (table.empty()) return {{0}, {0}, 1, 1, element_count(index)};
  const Strides strides = contiguous_strides(table);
  const auto at = static_cast<std::size_t>(axis);
  return {offsets_of(index, strides, 0, at), offsets_of(index, strides, at + 1, table.size()),
          strides[at], table[at], index[at]};
}

template <class Visit>
void visit_outer(const LinePlan& plan, std::int64_t o, const std::int64_t* positions,
                 const Visit& visit) {
  const std::int64_t base = plan.outer[static_cast<std::size_t>(o)];
  const auto inner = static_cast<std::int64_t>(plan.inner.size());
  std::int64_t element = o * plan.count * inner;
  if (inner == 1) {
    for (std::int64_t k = 0; k < plan.count; ++k, ++element)
      visit(element, base + positions[element] * plan.step);
    return;
  }
  for (std::int64_t k = 0; k < plan.count; ++k) {
    for (std::int64_t j = 0; j < inner; ++j, ++element) {
      visit(element,
            base + plan.inner[static_cast<std::size_t>(j)] + positions[element] * plan.step);
    }
  }
}

// Calls visit(element of the index, element of the table) for every element of the index. Outer
// positions are shared among threads; no two of them meet in the table.
template <class Visit>
void for_each_pair(const LinePlan& plan, const std::int64_t* positions, const Visit& visit) {
  const auto work = plan.count * static_cast<std::int64_t>(plan.inner.size());
  platform::parallel_for(static_cast<std::int64_t>(plan.outer.size()), work,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (std::int64_t o = begin; o < end; ++o)
                             visit_outer(plan, o, positions, visit);
                         });
}

void check_index_shape(const InferContext& op, const Shape& table, const Shape& index,
                       std::int64_t axis) {
  op.require(table.size() == index.size() || (table.empty() && index.size() <= 1), ErrorKind::Value,
             "the index must have as many axes as the input, but got shapes ", index, " and ",
             table, ".");
  for (std::size_t i = 0; i < table.size(); ++i) {
    op.require(static_cast<std::int64_t>(i) == axis || index[i] <= table[i], ErrorKind::Value,
               "the index must not be longer than the input on axis ", i, ", but got shapes ",
               index, " and ", table, ".");
  }
}

}  // namespace

MYCEL_OP(gather_elements)
    .names({.primitive = "GatherD", .function = "gather_elements", .method = "gather_elements"})
    .primitive_aliases({"GatherDV2"})
    .doc("Element by element: takes input[..., index, ...] along one axis.")
    .numpy("np.take_along_axis(input, index, dim)")
    .input("input", "The tensor to read from.")
    .input("index", "Positions on the axis; negative ones count from the end.", kIndex)
    .attribute("dim", "The axis.", required(AttributeType::Int), {.in_call = true})
    .order({"input", "dim", "index"})
    .output("output", "Shape of `index`.")
    .infer([](InferContext& op) {
      const std::int64_t axis = op.normalize_axis("dim", op.input(0).rank());
      check_index_shape(op, op.input(0).shape, op.input(1).shape, axis);
      op.set_output(0, op.input(0).dtype, op.input(1).shape);
    })
    .gradient([](GradientContext& op) {
      const Value zeros = op.call(
          "fill", {}, {{"shape", op.input_shape(0)}, {"value", 0}, {"dtype", op.input_dtype(0)}});
      op.set_input_gradient(
          0, op.call("tensor_scatter_elements", {zeros, op.input(1), op.output_gradient(0)},
                     {{"axis", op.attribute("dim")}, {"reduction", "add"}}));
    })
    .keeps({"index"})
    .sample("rows", {normal({3, 4}), integers({2, 4}, -3, 3)}, {{"dim", 0}})
    .sample("columns", {normal({3, 4}), integers({3, 6}, 0, 4, DType::Int32)}, {{"dim", -1}})
    .sample("nothing", {normal({3, 4}), integers({3, 0}, 0, 4)}, {{"dim", 1}})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(gather_elements) {
  const Tensor table = kernel.dense(0);
  const LinePlan plan = line_plan(table.shape(), kernel.input(1).shape(), kernel.integer("dim"));
  const Tensor positions = row_positions(kernel, kernel.input(1), plan.bound);
  with_bits_type(table.dtype(), [&]<class T>() {
    const T* const from = table.data<T>();
    T* const to = kernel.output(0).data<T>();
    for_each_pair(plan, positions.data<std::int64_t>(),
                  [=](std::int64_t element, std::int64_t place) { to[element] = from[place]; });
  });
}

MYCEL_OP(gather_d)
    .names({.function = "gather_d"})
    .doc("Element by element: takes x[..., index, ...] along one axis.")
    .numpy("np.take_along_axis(x, index, dim)")
    .input("x", "The tensor to read from.")
    .input("index", "Positions on the axis.", kIndex)
    .attribute("dim", "The axis.", required(AttributeType::Int))
    .order({"x", "dim", "index"})
    .output("output", "Shape of `index`.")
    .composite([](CompositeContext& op) {
      op.set_output(
          0, op.call("gather_elements", {op.input(0), op.input(1)}, {{"dim", op.integer("dim")}}));
    })
    .sample("rows", {normal({3, 4}), integers({2, 4}, -3, 3)}, {{"dim", 0}});

MYCEL_OP(tensor_scatter_elements)
    .names({.primitive = "TensorScatterElements", .function = "tensor_scatter_elements"})
    .doc("A copy of `input_x` with elements replaced, or added to, at positions along one axis.")
    .input("input_x", "The tensor to start from.")
    .input("indices", "Positions on the axis; negative ones count from the end.", kIndex)
    .input("updates", "Same shape as `indices`, converted to the type of `input_x`.")
    .attribute("axis", "The axis.", 0)
    .attribute("reduction", "none replaces, add sums.", "none", {.choices = {"none", "add"}})
    .output("output", "Same shape as `input_x`.")
    .infer([](InferContext& op) {
      const std::int64_t axis = op.normalize_axis("axis", op.input(0).rank());
      check_index_shape(op, op.input(0).shape, op.input(1).shape, axis);
      op.require(op.input(1).shape == op.input(2).shape, ErrorKind::Value,
                 "'indices' and 'updates' must have one shape, but got ", op.input(1).shape,
                 " and ", op.input(2).shape, ".");
      op.cast_input(2, op.input(0).dtype);
      op.set_output(0, op.input(0).dtype, op.input(0).shape);
    })
    .gradient([](GradientContext& op) {
      const Value dy = op.output_gradient(0);
      const AttributeValue& axis = op.attribute("axis");
      if (op.wants(0) && op.text("reduction") == "add") op.set_input_gradient(0, dy);
      if (op.wants(0) && op.text("reduction") == "none") {
        const Value zeros = op.call(
            "fill", {}, {{"shape", op.input_shape(2)}, {"value", 0}, {"dtype", op.input_dtype(0)}});
        op.set_input_gradient(
            0, op.call("tensor_scatter_elements", {dy, op.input(1), zeros}, {{"axis", axis}}));
      }
      if (!op.wants(2)) return;
      const auto take = [&](const Value& table) {
        return op.call("gather_elements", {table, op.input(1)}, {{"dim", axis}});
      };
      const auto put = [&](const Value& table, const Value& numbers) {
        return op.call("tensor_scatter_elements", {table, op.input(1), numbers}, {{"axis", axis}});
      };
      const bool adds = op.text("reduction") == "add";
      op.set_input_gradient(
          2, adds ? take(dy) : only_last(op, take(dy), op.input_shape(0), put, take));
    })
    .keeps({"indices"})
    .sample("add", {normal({3, 4}), integers({2, 4}, -3, 3), normal({2, 4})},
            {{"axis", 0}, {"reduction", "add"}})
    .sample("replace", {normal({2, 3}), index_values({2, 1}, {2, 0}), normal({2, 1})},
            {{"axis", 1}})
    .sample("a place twice",
            {normal({2, 3}), index_values({2, 3}, {2, 0, 2, -1, 1, 2}), normal({2, 3})},
            {{"axis", 1}})
    .sample_dtypes(kFloating | kComplex | DTypeSet{DType::Int32, DType::Int64});

MYCEL_CPU_KERNEL(tensor_scatter_elements) {
  const Tensor& output = kernel.output(0);
  copy_elements(kernel.input(0), output);
  const Tensor updates = kernel.dense(2);
  const LinePlan plan = line_plan(output.shape(), kernel.input(1).shape(), kernel.integer("axis"));
  const Tensor positions = row_positions(kernel, kernel.input(1), plan.bound);
  const auto* const at = positions.data<std::int64_t>();
  if (kernel.text("reduction") == "none") {
    with_bits_type(output.dtype(), [&]<class T>() {
      const T* const from = updates.data<T>();
      T* const to = output.data<T>();
      for_each_pair(plan, at,
                    [=](std::int64_t element, std::int64_t place) { to[place] = from[element]; });
    });
    return;
  }
  with_any_type(output.dtype(), [&]<class T>() {
    const T* const from = updates.data<T>();
    T* const to = output.data<T>();
    for_each_pair(plan, at, [=](std::int64_t element, std::int64_t place) {
      if constexpr (std::is_same_v<T, bool>)
        to[place] = to[place] || from[element];
      else
        to[place] = static_cast<T>(to[place] + from[element]);
    });
  });
}

MYCEL_OP(scatter)
    .names({.function = "scatter", .method = "scatter"})
    .doc("A copy of `input` with elements replaced at positions along one axis.")
    .input("input", "The tensor to start from.")
    .input("index", "Positions on the axis.", kIndex)
    .input("src", "Same shape as `index`.")
    .attribute("axis", "The axis.", required(AttributeType::Int))
    .order({"input", "axis", "index", "src"})
    .output("output", "Same shape as `input`.")
    .composite([](CompositeContext& op) {
      op.set_output(0, op.call("tensor_scatter_elements", {op.input(0), op.input(1), op.input(2)},
                               {{"axis", op.integer("axis")}}));
    })
    .sample("columns", {normal({2, 3}), index_values({2, 1}, {2, 0}), normal({2, 1})},
            {{"axis", 1}});

MYCEL_ONNX(GatherElements, "data indices") {
  return call.call("gather_elements", {call.tensor("data"), call.tensor("indices")},
                   {{"dim", call.integer("axis", 0)}});
}

MYCEL_WRITES_MINDIR(gather_elements) {
  if (call.rank() == 0) return call.input();
  return call.input().add("GatherD", {mindir::Plain(call.axis("dim", call.rank())), call.input(1)},
                          {.shape = call.shape(), .dtype = call.dtype()});
}

MYCEL_WRITES_MINDIR(tensor_scatter_elements) {
  const auto updates = call.typed(2);
  const auto table = call.input();
  return written_along(table, call.input(1), updates, call.axis("axis", call.rank()),
                       call.text("reduction") == "add");
}

MYCEL_WRITES_ONNX(gather_elements) {
  if (call.rank() == 0) return call.input();
  return call.input().add("GatherElements", {call.input(1)},
                          {{"axis", call.axis("dim", call.rank())}});
}

MYCEL_WRITES_ONNX(tensor_scatter_elements) {
  if (call.rank() == 0) call.refuse("it has no axes");
  const auto places = call.input(1);
  return call.input().add(
      "ScatterElements", {places, call.typed(2)},
      {{"axis", call.axis("axis", call.rank())}, {"reduction", call.attribute("reduction")}});
}

}  // namespace mycel::ops
