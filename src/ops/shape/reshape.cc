// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "operator/define.h"
#include "operator/mindir_call.h"
#include "operator/onnx_call.h"
#include "operator/stored_call.h"

namespace mycel::ops {
namespace {

// Strides that read the same elements in the same order under another shape. None when only a copy
// can do it. The input's axes form groups that are evenly spaced; each group must be cut into whole
// axes of the target.
std::optional<Strides> strides_for(const Shape& shape, const Strides& strides,
                                   const Shape& target) {
  if (element_count(shape) == 0) return contiguous_strides(target);
  Shape lengths;
  Strides steps;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    lengths.push_back(shape[i]);
    steps.push_back(strides[i]);
  }
  Strides result(target.size(), 1);
  std::size_t next = target.size();  // axes of the target from here on are done
  std::size_t i = lengths.size();
  while (i > 0) {
    const std::int64_t step = steps[i - 1];
    std::int64_t group = lengths[--i];
    while (i > 0 && steps[i - 1] == step * group) group *= lengths[--i];
    std::int64_t filled = 1;
    while (next > 0 && filled < group) {
      --next;
      result[next] = filled * step;
      filled *= target[next];
    }
    if (filled != group) return std::nullopt;
  }
  return result;
}

bool view_as_output(ViewContext& op) {
  const Shape& target = op.output(0).shape;
  const std::optional<Strides> strides =
      strides_for(op.input().shape(), op.input().strides(), target);
  if (!strides) return false;
  op.set_view(0, {target, *strides, op.input().body().offset});
  return true;
}

void reshape_gradient(GradientContext& op) {
  op.set_input_gradient(
      0, op.call("reshape", {op.output_gradient(0)}, {{"shape", op.input_shape(0)}}));
}

// Replaces the one -1 by what is left over.
Shape resolve_shape(const InferContext& op, const Shape& from, Shape target) {
  const std::int64_t count = element_count(from);
  std::int64_t known = 1;
  std::size_t open = target.size();
  bool overflow = false;
  for (std::size_t i = 0; i < target.size(); ++i) {
    op.require(target[i] >= -1, ErrorKind::Value,
               "each component of 'shape' must be -1 or at least 0, but got ", target, ".");
    if (target[i] == -1) {
      op.require(open == target.size(), ErrorKind::Value,
                 "At most one component of input shape can be -1, but got ", target, ".");
      open = i;
    } else {
      overflow |= __builtin_mul_overflow(known, target[i], &known);
    }
  }
  if (open < target.size() && known > 0 && count % known == 0 && !overflow) {
    target[open] = count / known;
    return target;
  }
  op.require(open == target.size() && !overflow && known == count, ErrorKind::Value,
             "the input of shape ", from, " has ", count, " elements and cannot get the 'shape' ",
             target, ".");
  return target;
}

}  // namespace

MYCEL_OP(reshape)
    .names({.primitive = "Reshape", .function = "reshape"})
    .doc("The same elements under another shape. A view where the memory layout allows it.")
    .numpy("np.reshape(input, shape)")
    .input("input", "Any tensor.")
    .attribute("shape", "New shape; one component may be -1 and takes what is left.",
               required(AttributeType::Ints), {.in_call = true})
    .output("output", "`input` with the new shape.")
    .infer([](InferContext& op) {
      const Shape target = resolve_shape(op, op.input(0).shape, op.ints("shape"));
      op.set_attribute("shape", target);
      op.set_output(0, op.input(0).dtype, target);
    })
    .view(view_as_output)
    .gradient(reshape_gradient)
    .traits({.is_same_if_types_agree = true,
             .only_last_counts = true,
             .purpose = Purpose::NewShape})
    .sample("matrix", {normal({2, 6})}, {{"shape", IntList{3, -1}}})
    .sample("to a scalar", {normal({1, 1})}, {{"shape", IntList{}}})
    .sample("nothing", {normal({0, 3})}, {{"shape", IntList{3, 0, 2}}})
    .sample_dtypes(kAny);

MYCEL_OP(flatten_axes)
    .doc("Joins neighbouring axes into one.")
    .numpy(
        "np.reshape(input, input.shape[:start_dim] + (np.prod(input.shape[start_dim:end_dim + 1], "
        "dtype=int),) + input.shape[end_dim + 1:])")
    .input("input", "Any tensor.")
    .attribute("start_dim", "First axis of the group.", 1)
    .attribute("end_dim", "Last axis of the group.", -1)
    .output("output", "A view where possible.")
    .infer([](InferContext& op) {
      const Shape& shape = op.input(0).shape;
      const std::int64_t rank = op.input(0).rank();
      const std::int64_t start = op.normalize_axis("start_dim", rank);
      const std::int64_t end = op.normalize_axis("end_dim", rank);
      op.require(start <= end, ErrorKind::Value,
                 "'start_dim' must not come after 'end_dim', but got ", start, " and ", end, ".");
      Shape target(shape.begin(), shape.begin() + std::min(start, rank));
      Shape group;
      for (std::int64_t i = start; i <= end && i < rank; ++i)
        group.push_back(shape[static_cast<std::size_t>(i)]);
      target.push_back(element_count(group));
      for (std::int64_t i = end + 1; i < rank; ++i)
        target.push_back(shape[static_cast<std::size_t>(i)]);
      op.set_output(0, op.input(0).dtype, target);
    })
    .view(view_as_output)
    .gradient(reshape_gradient)
    .sample("images", {normal({2, 3, 4})}, {{"start_dim", 1}, {"end_dim", 2}})
    .sample("scalar", {normal({})}, {{"start_dim", 0}, {"end_dim", 0}})
    .sample_dtypes(kAny);

MYCEL_OP(flatten)
    .names({.primitive = "Flatten"})
    .doc("Joins all axes but the first one.")
    .numpy("np.reshape(input_x, (input_x.shape[0], int(np.prod(input_x.shape[1:]))))")
    .input("input_x", "At least one axis.")
    .output("output", "Two axes.")
    .infer([](InferContext& op) {
      const Shape& shape = op.input(0).shape;
      op.require(!shape.empty(), ErrorKind::Value,
                 "'input_x' must have at least one axis, but got a scalar.");
      op.set_output(0, op.input(0).dtype,
                    Shape{shape[0], element_count(Shape(shape.begin() + 1, shape.end()))});
    })
    .view(view_as_output)
    .gradient(reshape_gradient)
    .sample("images", {normal({2, 3, 2, 2})})
    .sample("vector", {normal({4})})
    .sample_dtypes(kAny);

MYCEL_ONNX(Reshape, "data shape.numbers") {
  const Value x = call.tensor("data");
  const Shape lengths = x.shape();
  IntList wanted = call.flat_integers("shape");
  for (std::size_t i = 0; i < wanted.size() && !call.flag("allowzero", false); ++i) {
    if (wanted[i] != 0) continue;
    call.require(i < lengths.size(), ErrorKind::Value, "it keeps a length that is not there.");
    wanted[i] = lengths[i];
  }
  return call.reshape(x, std::move(wanted));
}

MYCEL_ONNX(Flatten, "input") {
  const Value x = call.tensor("input");
  const Shape shape = x.shape();
  std::int64_t axis = call.integer("axis", 1);
  if (axis < 0) axis += x.rank();
  call.require(axis >= 0 && axis <= x.rank(), ErrorKind::Value, "there is no axis ", axis, ".");
  return call.reshape(x, {element_count(Shape(shape.begin(), shape.begin() + axis)),
                          element_count(Shape(shape.begin() + axis, shape.end()))});
}

// ---- between channels and places of an image ---------------------------------------------------

struct Blocks {
  explicit Blocks(const StoredCall& call) : shape(call.tensor("input").shape()) {
    size = call.integer("blocksize");
    call.require(shape.size() == 4 && size > 0 && size < 1 << 16, ErrorKind::Value,
                 "images and a positive size of blocks are needed, but got the shape ", shape,
                 " and ", size, ".");
    is_by_channel = call.text("mode", "DCR") == "CRD";
  }
  Shape shape;
  std::int64_t size = 1;
  bool is_by_channel = false;
};

static Value transposed(const StoredCall& call, const Value& x, IntList perm) {
  return call.call("transpose", {x}, {{"perm", std::move(perm)}});
}

MYCEL_ONNX(DepthToSpace, "input") {
  const Blocks blocks(call);
  const Shape& shape = blocks.shape;
  const std::int64_t size = blocks.size, kept = shape[1] / (size * size);
  const Value x = call.tensor("input");
  const Value split =
      blocks.is_by_channel
          ? transposed(call, call.reshape(x, {shape[0], kept, size, size, shape[2], shape[3]}),
                       {0, 1, 4, 2, 5, 3})
          : transposed(call, call.reshape(x, {shape[0], size, size, kept, shape[2], shape[3]}),
                       {0, 3, 4, 1, 5, 2});
  return call.reshape(split, {shape[0], kept, shape[2] * size, shape[3] * size});
}

MYCEL_ONNX(SpaceToDepth, "input") {
  const Blocks blocks(call);
  const Shape& shape = blocks.shape;
  const std::int64_t size = blocks.size;
  const std::int64_t height = shape[2] / size, width = shape[3] / size;
  const Value split =
      call.reshape(call.tensor("input"), {shape[0], shape[1], height, size, width, size});
  const IntList perm = blocks.is_by_channel ? IntList{0, 1, 3, 5, 2, 4} : IntList{0, 3, 5, 1, 2, 4};
  return call.reshape(transposed(call, split, perm),
                      {shape[0], shape[1] * size * size, height, width});
}

// ---- lengths of axes ----------------------------------------------------------------------------

MYCEL_ONNX(Shape, "data.shape") {
  const Shape shape = call.tensor("data").shape();
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto place = [&](std::string_view name, std::int64_t otherwise) {
    const std::int64_t given = call.integer(name, otherwise);
    return std::clamp<std::int64_t>(given < 0 ? given + rank : given, 0, rank);
  };
  const std::int64_t start = place("start", 0), end = std::max(start, place("end", rank));
  Tensor lengths = Tensor::empty({end - start}, DType::Int64);
  std::copy(shape.begin() + start, shape.begin() + end, lengths.data<std::int64_t>());
  return call.constant(std::move(lengths));
}

MYCEL_ONNX(Size, "data.shape") {
  Tensor count = Tensor::empty({}, DType::Int64);
  *count.data<std::int64_t>() = element_count(call.tensor("data").shape());
  return call.constant(std::move(count));
}

MYCEL_WRITES_MINDIR(reshape) { return call.input().reshape(call.shape()); }
MYCEL_WRITES_MINDIR_BY(flatten, writes_mindir_reshape);
MYCEL_WRITES_MINDIR_BY(flatten_axes, writes_mindir_reshape);

static onnx::Symbol in_its_shape(const onnx::Call& call) {
  return call.input().reshape(call.shape());
}

MYCEL_WRITES_ONNX_BY(reshape, in_its_shape);
MYCEL_WRITES_ONNX_BY(flatten, in_its_shape);
MYCEL_WRITES_ONNX_BY(flatten_axes, in_its_shape);

}  // namespace mycel::ops
