// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/onnx_arguments.h"
#include "ops/shape/mindir_windows.h"
#include "ops/shape/onnx_windows.h"
#include "ops/shape/window.h"

namespace mycel::ops {
namespace {

std::size_t axis_of(const CompositeContext& op, std::string_view argument) {
  op.require(op.input(0).rank() > 0, ErrorKind::Value,
             "the input must have at least one axis, but got a scalar.");
  return static_cast<std::size_t>(
      normalize_axis(op.integer(argument), op.input(0).rank(), op.name(), argument));
}

void split_into(CompositeContext& op, std::size_t axis, const IntList& sizes) {
  op.outputs() = op.call_all("split_sizes", {op.input(0)},
                             {{"sizes", sizes}, {"axis", static_cast<std::int64_t>(axis)}});
}

// Parts of `size`, the last one maybe shorter; one empty part of an empty axis.
IntList equal_sizes(std::int64_t total, std::int64_t size) {
  IntList sizes;
  for (std::int64_t begin = 0; begin < total; begin += size)
    sizes.push_back(std::min(size, total - begin));
  if (sizes.empty()) sizes.push_back(0);
  return sizes;
}

void split_by_size(CompositeContext& op) {
  const std::size_t axis = axis_of(op, "axis");
  const std::int64_t total = op.input(0).shape()[axis];
  const AttributeValue& wanted = op.attribute("split_size_or_sections");
  IntList sizes = wanted.ints();
  // A list of one entry is a list only when it covers the axis; otherwise it is the size of each
  // part.
  if (sizes.size() == 1 && sizes[0] != total) {
    op.require(sizes[0] > 0, ErrorKind::Value,
               "'split_size_or_sections' must be positive, but got ", sizes[0], ".");
    sizes = equal_sizes(total, sizes[0]);
  }
  split_into(op, axis, sizes);
}

void split_in_parts(CompositeContext& op) {
  const std::size_t axis = axis_of(op, "axis");
  const std::int64_t total = op.input(0).shape()[axis];
  const std::int64_t parts = op.integer("output_num");
  const bool fits = parts > 0 && parts <= std::max<std::int64_t>(1, total);
  op.require(fits && total % parts == 0, ErrorKind::Value,
             "'output_num' must divide the length of axis ", axis, ", ", total, ", but got ", parts,
             ".");
  split_into(op, axis, IntList(static_cast<std::size_t>(parts), total / parts));
}

void chunk(CompositeContext& op) {
  const std::size_t axis = axis_of(op, "axis");
  const std::int64_t total = op.input(0).shape()[axis];
  const std::int64_t parts = op.integer("chunks");
  op.require(parts > 0, ErrorKind::Value, "'chunks' must be positive, but got ", parts, ".");
  const std::int64_t length = total / parts + (total % parts == 0 ? 0 : 1);
  split_into(op, axis, equal_sizes(total, std::max<std::int64_t>(1, length)));
}

std::int64_t unstack_axis(const AttributeReader& op) { return op.integer("axis"); }

void unstack_gradient(GradientContext& op) {
  ValueList parts;
  for (std::size_t i = 0; i < op.output_specs.size(); ++i) parts.push_back(op.output_gradient(i));
  const NamedAttribute axis{"axis", op.attribute("axis")};
  op.set_input_gradient(0, op.emitter().call_all("stack", parts, std::span(&axis, 1))[0]);
}

}  // namespace

MYCEL_OP(split_sizes)
    .doc("Cuts an axis into parts of given sizes. Views.")
    .numpy("tuple(np.split(input, np.cumsum(sizes)[:-1], axis))")
    .input("input", "At least one axis.")
    .attribute("sizes", "Lengths of the parts; their sum is the length of the axis.",
               required(AttributeType::Ints))
    .attribute("axis", "The axis that is cut.", 0)
    .variadic_output("outputs", "One view per part.")
    .infer([](InferContext& op) {
      op.require(op.input(0).rank() > 0, ErrorKind::Value,
                 "the input must have at least one axis, but got a scalar.");
      const auto axis = static_cast<std::size_t>(op.normalize_axis("axis", op.input(0).rank()));
      const IntList sizes = op.ints("sizes");
      std::int64_t rest = op.input(0).shape[axis];
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        op.require(sizes[i] >= 0 && sizes[i] <= rest, ErrorKind::Value, "the sizes ", sizes,
                   " must not be negative and sum to the length of axis ", axis, ", ",
                   op.input(0).shape[axis], ".");
        rest -= sizes[i];
        Shape shape = op.input(0).shape;
        shape[axis] = sizes[i];
        op.set_output(i, op.input(0).dtype, shape);
      }
      op.require(rest == 0 && !sizes.empty(), ErrorKind::Value, "the sizes ", sizes,
                 " must sum to the length of axis ", axis, ", ", op.input(0).shape[axis], ".");
    })
    .view([](ViewContext& op) {
      const auto axis = static_cast<std::size_t>(op.integer("axis"));
      Window window = whole_window(op.input().shape());
      for (std::size_t i = 0; i < op.output_count(); ++i) {
        window.length[axis] = op.output(i).shape[axis];
        op.set_view(i, window_view(op.input(), window));
        window.begin[axis] += window.length[axis];
      }
      return true;
    })
    .gradient([](GradientContext& op) {
      ValueList parts;
      for (std::size_t i = 0; i < op.output_specs.size(); ++i)
        parts.push_back(op.output_gradient(i));
      const NamedAttribute axis{"axis", op.attribute("axis")};
      op.set_input_gradient(0, op.emitter().call_all("concat", parts, std::span(&axis, 1))[0]);
    })
    .sample("columns", {normal({2, 6})}, {{"sizes", IntList{1, 2, 3}}, {"axis", -1}})
    .sample("with an empty part", {normal({3})}, {{"sizes", IntList{0, 3}}, {"axis", 0}})
    .sample_dtypes(kAny);

MYCEL_OP(split)
    .names({.function = "split", .method = "split"})
    .doc(
        "Cuts an axis into parts of one size (the last may be shorter), or of the sizes listed. "
        "Views.")
    .input("tensor", "At least one axis.")
    .attribute("split_size_or_sections", "Size of each part, or the list of sizes.",
               required(AttributeType::Ints))
    .attribute("axis", "The axis that is cut.", 0)
    .variadic_output("outputs", "One view per part.")
    .composite(split_by_size)
    .sample("by size", {normal({5, 2})}, {{"split_size_or_sections", 2}})
    .sample("by sections", {normal({2, 6})},
            {{"split_size_or_sections", IntList{2, 4}}, {"axis", 1}})
    .sample_dtypes(kAny);

MYCEL_OP(split_parts)
    .names({.primitive = "Split"})
    .doc("Cuts an axis into equal parts. Views.")
    .numpy("tuple(np.split(input_x, output_num, axis))")
    .input("input_x", "At least one axis.")
    .attribute("axis", "The axis that is cut.", 0)
    .attribute("output_num", "Number of parts.", 1)
    .variadic_output("outputs", "One view per part.")
    .composite(split_in_parts)
    .sample("rows", {normal({4, 3})}, {{"output_num", 2}})
    .sample_dtypes(kAny);

MYCEL_OP(chunk)
    .names({.function = "chunk", .method = "chunk"})
    .doc("Cuts an axis into at most `chunks` parts of equal size, the last maybe shorter. Views.")
    .input("input", "At least one axis.")
    .attribute("chunks", "Number of parts wanted.", required(AttributeType::Int))
    .attribute("axis", "The axis that is cut.", 0)
    .variadic_output("outputs", "One view per part.")
    .composite(chunk)
    .sample("uneven", {normal({5, 2})}, {{"chunks", 3}})
    .sample_dtypes(kAny);

MYCEL_OP(unstack)
    .names({.primitive = "Unstack", .function = "unstack"})
    .primitive_aliases({"Unpack"})
    .doc("Takes an axis apart into one tensor per position. Views.")
    .numpy("tuple(np.moveaxis(input_x, axis, 0))")
    .input("input_x", "At least one axis.")
    .attribute("axis", "The axis that disappears.", 0)
    .attribute("num", "Length of the axis, for checking; None: any.", optional(AttributeType::Int))
    .variadic_output("outputs", "One view per position.")
    .infer([](InferContext& op) {
      op.require(op.input(0).rank() > 0, ErrorKind::Value,
                 "the input must have at least one axis, but got a scalar.");
      const auto axis = static_cast<std::size_t>(op.normalize_axis("axis", op.input(0).rank()));
      Shape shape = op.input(0).shape;
      const std::int64_t count = shape[axis];
      op.require(op.is_none("num") || op.integer("num") == count, ErrorKind::Value,
                 "'num' must be the length of the axis, ", count, ", but got ", op.attribute("num"),
                 ".");
      op.require(count > 0, ErrorKind::Value, "an axis of length 0 cannot be taken apart.");
      shape.erase(axis);
      for (std::int64_t i = 0; i < count; ++i)
        op.set_output(static_cast<std::size_t>(i), op.input(0).dtype, shape);
    })
    .view([](ViewContext& op) {
      const auto axis = static_cast<std::size_t>(unstack_axis(op));
      Window window = whole_window(op.input().shape());
      window.length[axis] = 1;
      window.axes.erase(axis);
      for (std::size_t i = 0; i < op.output_count(); ++i) {
        window.begin[axis] = static_cast<std::int64_t>(i);
        op.set_view(i, window_view(op.input(), window));
      }
      return true;
    })
    .gradient(unstack_gradient)
    .sample("columns", {normal({2, 3})}, {{"axis", -1}})
    .sample_dtypes(kAny);

MYCEL_OP(unbind)
    .names({.function = "unbind", .method = "unbind"})
    .doc("Takes an axis apart into one tensor per position. Views.")
    .numpy("tuple(np.moveaxis(input, dim, 0))")
    .input("input", "At least one axis.")
    .attribute("dim", "The axis that disappears.", 0)
    .variadic_output("outputs", "One view per position.")
    .composite([](CompositeContext& op) {
      op.outputs() = op.call_all("unstack", {op.input(0)}, {{"axis", op.integer("dim")}});
    })
    .sample("rows", {normal({2, 3})})
    .sample_dtypes(kAny);

// Parts of given lengths, or as many as there are results.
MYCEL_ONNX(Split, "input split.numbers") {
  const Value x = call.tensor("input");
  const std::int64_t axis = onnx_axis(call, call.integer("axis", 0), x.rank());
  IntList sizes = call.has("split") ? call.flat_integers("split") : IntList();
  if (sizes.empty()) {
    const std::int64_t length = x.shape()[static_cast<std::size_t>(axis)];
    const auto wanted = static_cast<std::int64_t>(call.results());
    const std::int64_t count = call.integer("num_outputs", wanted);
    call.require(count > 0 && count <= std::max(length, wanted), ErrorKind::Value,
                 "there cannot be ", count, " parts of the length ", length, ".");
    const std::int64_t size = (length + count - 1) / count;
    for (std::int64_t i = 0; i < count; ++i) sizes.push_back(std::min(size, length - i * size));
  }
  return call.call_all("split_sizes", {x}, {{"sizes", std::move(sizes)}, {"axis", axis}});
}

MYCEL_WRITES_MINDIR(unstack) {
  const auto x = call.input();
  return x.several("Unstack", {}, call.outputs(),
                   {{"axis", call.axis("axis", x.rank())}, {"num", call.outputs().size()}});
}

MYCEL_WRITES_MINDIR(split_sizes) {
  const auto x = call.input();
  const std::int64_t axis = call.axis("axis", x.rank());
  const IntList sizes = call.ints("sizes");
  if (sizes == IntList(sizes.size(), sizes[0]))
    return x.several("Split", {}, call.outputs(), {{"axis", axis}, {"output_num", sizes.size()}});
  std::vector<mindir::Symbol> parts;
  std::int64_t start = 0;
  for (const std::int64_t size : sizes) {
    const IntList zeros(x.shape().size(), 0);
    parts.push_back(window(x, with_size(zeros, axis, start), with_size(x.shape(), axis, size),
                           IntList(x.shape().size(), 1)));
    start += size;
  }
  return parts;
}

MYCEL_WRITES_ONNX(split_sizes) {
  return parts_of(call.input(), call.ints("sizes"), call.axis("axis", call.rank()));
}

MYCEL_WRITES_ONNX(unstack) {
  const std::int64_t axis = call.axis("axis", call.rank_of());
  std::vector<onnx::Symbol> parts = parts_of(call.input(), IntList(call.outputs().size(), 1), axis);
  for (onnx::Symbol& part : parts) part = part.squeeze({axis});
  return parts;
}

}  // namespace mycel::ops
