// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "operator/mindir_call.h"
#include "operator/stored_call.h"
#include "ops/onnx_arguments.h"
#include "ops/shape/fill_value.h"
#include "ops/shape/mindir_windows.h"
#include "ops/shape/onnx_windows.h"
#include "ops/shape/window.h"

namespace mycel::ops {
namespace {

// Sums and doubles of numbers in this range fit.
bool is_moderate(std::int64_t width) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  return width >= -kMost && width <= kMost;
}

// paddings: (before, after) for each axis from the first; negative numbers cut.
Shape padded_shape(const AttributeReader& op, Shape shape, const IntList& paddings) {
  op.require(paddings.size() == 2 * shape.size(), ErrorKind::Value,
             "'paddings' must have two entries for each of the ", shape.size(), " axes, but got ",
             paddings, ".");
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t before = paddings[2 * i];
    const std::int64_t after = paddings[2 * i + 1];
    op.require(is_moderate(before) && is_moderate(after), ErrorKind::Value, "'paddings' ", paddings,
               " are too large on axis ", i, ".");
    std::int64_t length = 0;
    op.require(!__builtin_add_overflow(shape[i], before + after, &length) && length >= 0,
               ErrorKind::Value, "'paddings' ", paddings, " leave no possible length on axis ", i,
               " of shape ", shape, ".");
    shape[i] = length;
  }
  return shape;
}

// Pairs given from the last axis backwards become pairs from the first axis.
IntList from_first_axis(const AttributeReader& op, const IntList& padding, std::size_t rank) {
  op.require(padding.size() % 2 == 0 && padding.size() <= 2 * rank, ErrorKind::Value,
             "'padding' must hold pairs, at most one per axis (", rank, "), but got ", padding,
             ".");
  IntList paddings(2 * rank, 0);
  for (std::size_t k = 0; k < padding.size() / 2; ++k) {
    const std::size_t axis = rank - 1 - k;
    paddings[2 * axis] = padding[2 * k];
    paddings[2 * axis + 1] = padding[2 * k + 1];
  }
  return paddings;
}

// Source position of every position of one padded axis.
enum class Border : std::uint8_t { Reflect, Symmetric, Replicate, Circular };

Border border_named(const AttributeReader& op, std::string mode) {
  std::transform(mode.begin(), mode.end(), mode.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (mode == "reflect") return Border::Reflect;
  if (mode == "symmetric") return Border::Symmetric;
  if (mode == "replicate" || mode == "edge") return Border::Replicate;
  op.require(
      mode == "circular" || mode == "wrap", ErrorKind::Value,
      "'mode' must be 'constant', 'reflect', 'symmetric', 'replicate' or 'circular', but got '",
      mode, "'.");
  return Border::Circular;
}

std::int64_t source_position(Border border, std::int64_t position, std::int64_t size) {
  const auto modulo = [](std::int64_t a, std::int64_t n) { return (a % n + n) % n; };
  switch (border) {
    case Border::Reflect: {
      if (size == 1) return 0;
      const std::int64_t p = modulo(position, 2 * size - 2);
      return p < size ? p : 2 * size - 2 - p;
    }
    case Border::Symmetric: {
      const std::int64_t p = modulo(position, 2 * size);
      return p < size ? p : 2 * size - 1 - p;
    }
    case Border::Replicate: return std::clamp<std::int64_t>(position, 0, size - 1);
    case Border::Circular: return modulo(position, size);
  }
  return 0;
}

// Padding by existing elements, one axis after the other; gather brings its gradient along.
Value pad_by_copying(CompositeContext& op, const IntList& paddings, const std::string& mode) {
  const Shape shape = op.input(0).shape();
  padded_shape(op, shape, paddings);
  const Border border = border_named(op, mode);
  Value x = op.input(0);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t before = paddings[2 * axis];
    const std::int64_t after = paddings[2 * axis + 1];
    if (before == 0 && after == 0) continue;
    const std::int64_t most = border == Border::Reflect ? shape[axis] - 1 : shape[axis];
    op.require(
        shape[axis] > 0 && (border == Border::Replicate || (before <= most && after <= most)),
        ErrorKind::Value, "the padding (", before, ", ", after, ") of axis ", axis,
        " must be at most ", most, " in mode '", mode, "'.");
    const Value indices =
        op.call("padded_positions", {},
                {{"size", shape[axis]}, {"before", before}, {"after", after}, {"mode", mode}});
    x = op.call("gather", {x, indices}, {{"axis", static_cast<std::int64_t>(axis)}});
  }
  return x;
}

Value pad_any(CompositeContext& op, const IntList& paddings, const std::string& mode,
              const AttributeValue& value) {
  if (mode != "constant" && mode != "CONSTANT") return pad_by_copying(op, paddings, mode);
  const AttributeValue filling = value.is_none() ? AttributeValue(0) : value;
  return op.call("pad_constant", {op.input(0)}, {{"paddings", paddings}, {"value", filling}});
}

}  // namespace

MYCEL_OP(pad_constant)
    .doc("Adds a border of one number; negative widths cut.")
    .numpy(
        "np.pad(input, np.reshape(paddings, (-1, 2)), constant_values=value) if min(paddings, "
        "default=0) >= 0 else "
        "input[1:, :-1]")
    .input("input", "Any tensor.")
    .attribute("paddings", "Width before and after each axis, from the first axis.",
               required(AttributeType::Ints))
    .attribute("value", "The number.", Nullable{AttributeType::Number, 0})
    .output("output", "A larger tensor.")
    .infer([](InferContext& op) {
      if (op.is_none("value")) op.set_attribute("value", 0);
      op.set_output(0, op.input(0).dtype, padded_shape(op, op.input(0).shape, op.ints("paddings")));
    })
    .gradient([](GradientContext& op) {
      IntList back = op.ints("paddings");
      for (std::int64_t& width : back) width = -width;
      op.set_input_gradient(0,
                            op.call("pad_constant", {op.output_gradient(0)}, {{"paddings", back}}));
    })
    .sample("all around", {normal({2, 3})}, {{"paddings", IntList{1, 0, 2, 1}}})
    .sample("with a number", {normal({2})}, {{"paddings", IntList{1, 1}}, {"value", 3}})
    .sample("cut", {normal({3, 4})}, {{"paddings", IntList{-1, 0, 0, -1}}})
    .sample("from nothing", {normal({0, 2})}, {{"paddings", IntList{1, 1, 0, 0}}})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(pad_constant) {
  const IntList paddings = kernel.ints("paddings");
  const Shape& shape = kernel.input(0).shape();
  Window from = whole_window(shape);
  Window to = whole_window(kernel.output(0).shape());
  bool covered = true;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t before = paddings[2 * i];
    const std::int64_t after = paddings[2 * i + 1];
    from.begin[i] = std::max<std::int64_t>(0, -before);
    to.begin[i] = std::max<std::int64_t>(0, before);
    const std::int64_t cut = from.begin[i] + std::max<std::int64_t>(0, -after);
    from.length[i] = to.length[i] = std::max<std::int64_t>(0, shape[i] - cut);
    covered &= before <= 0 && after <= 0;
  }
  if (!covered) fill_tensor(kernel.output(0), kernel.attribute("value"));
  copy_elements(window_of(kernel.input(0), from), window_of(kernel.output(0), to));
}

MYCEL_OP(padded_positions)
    .doc("Which position of an axis each position of the padded axis repeats.")
    .attribute("size", "Length of the axis.", required(AttributeType::Int))
    .attribute("before", "Width in front.", required(AttributeType::Int))
    .attribute("after", "Width behind.", required(AttributeType::Int))
    .attribute("mode", "reflect, symmetric, replicate or circular.", "reflect")
    .output("output", "One axis, int64.")
    .infer([](InferContext& op) {
      const std::int64_t size = op.integer("size");
      const std::int64_t before = op.integer("before");
      const std::int64_t after = op.integer("after");
      op.require(size > 0 && is_moderate(size), ErrorKind::Value,
                 "'size' must be positive and at most 2^60, but got ", size, ".");
      op.require(is_moderate(before) && is_moderate(after) && size + before + after >= 0,
                 ErrorKind::Value, "'before' and 'after' leave no possible length of size ", size,
                 ", got ", before, " and ", after, ".");
      border_named(op, op.text("mode"));
      op.set_output(0, DType::Int64, Shape{size + before + after});
    })
    .not_differentiable()
    .numpy("np.pad(np.arange(size), (before, after), mode)")
    .sample("reflect", {}, {{"size", 4}, {"before", 2}, {"after", 3}})
    .sample("symmetric", {}, {{"size", 4}, {"before", 4}, {"after", 1}, {"mode", "symmetric"}})
    .sample("edge", {}, {{"size", 3}, {"before", 2}, {"after", 2}, {"mode", "edge"}})
    .sample("wrap", {}, {{"size", 3}, {"before", 2}, {"after", 3}, {"mode", "wrap"}});

MYCEL_CPU_KERNEL(padded_positions) {
  const Border border = border_named(kernel, kernel.text("mode"));
  const std::int64_t size = kernel.integer("size");
  const std::int64_t before = kernel.integer("before");
  auto* const positions = kernel.output(0).data<std::int64_t>();
  for (std::int64_t i = 0; i < kernel.output(0).size(); ++i)
    positions[i] = source_position(border, i - before, size);
}

MYCEL_OP(pad)
    .names({.function = "pad"})
    .doc("Adds a border to the last axes: of one number, or of existing elements.")
    .input("input_x", "Any tensor.")
    .attribute("padding", "Width before and after each axis, from the last axis backwards.",
               required(AttributeType::Ints))
    .attribute("mode", "constant, reflect, symmetric, replicate or circular.", "constant")
    .attribute("value", "The number of mode constant; None means 0.",
               optional(AttributeType::Number))
    .output("output", "A larger tensor.")
    .numpy(
        "np.pad(input_x, [(0, 0)] * (input_x.ndim - len(padding) // 2) + np.reshape(padding, (-1, "
        "2))[::-1].tolist(),"
        " {'replicate': 'edge', 'circular': 'wrap'}.get(mode, mode))")
    .composite([](CompositeContext& op) {
      const std::string& mode = op.text("mode");
      op.require(mode == "constant" || op.is_none("value"), ErrorKind::Value,
                 "'value' is for mode 'constant', but got ", op.attribute("value"), " with mode '",
                 mode, "'.");
      const IntList paddings = from_first_axis(op, op.ints("padding"), op.input(0).shape().size());
      op.set_output(0, pad_any(op, paddings, mode, op.attribute("value")));
    })
    .sample("zeros", {normal({2, 3})}, {{"padding", IntList{1, 2}}})
    .sample("reflect", {normal({1, 3, 4})}, {{"padding", IntList{2, 1, 1, 2}}, {"mode", "reflect"}})
    .sample("replicate", {normal({1, 3})}, {{"padding", IntList{2, 1}}, {"mode", "replicate"}})
    .sample("circular", {normal({1, 3})}, {{"padding", IntList{2, 1}}, {"mode", "circular"}});

MYCEL_OP(pad_primitive)
    .names({.primitive = "Pad"})
    .doc("Adds a border of zeros.")
    .numpy("np.pad(input_x, np.reshape(paddings, (-1, 2)))")
    .input("input_x", "Any tensor.")
    .attribute("paddings", "Width before and after each axis, from the first axis.",
               required(AttributeType::Ints))
    .output("output", "A larger tensor.")
    .composite([](CompositeContext& op) {
      op.set_output(0, op.call("pad_constant", {op.input(0)}, {{"paddings", op.ints("paddings")}}));
    })
    .sample("all around", {normal({2, 3})}, {{"paddings", IntList{1, 0, 2, 1}}})
    .sample_dtypes(kAny);

MYCEL_OP(mirror_pad)
    .names({.primitive = "MirrorPad"})
    .doc("Adds a border that mirrors the elements at the edge.")
    .numpy("np.pad(input_x, np.reshape(paddings, (-1, 2)), mode.lower())")
    .input("input_x", "Any tensor.")
    .attribute("paddings", "Width before and after each axis, from the first axis.",
               required(AttributeType::Ints), {.in_call = true})
    .attribute("mode", "REFLECT leaves the edge out, SYMMETRIC repeats it.", "REFLECT",
               {.choices = {"REFLECT", "SYMMETRIC"}})
    .output("output", "A larger tensor.")
    .composite([](CompositeContext& op) {
      op.set_output(0, pad_by_copying(op, op.ints("paddings"), op.text("mode")));
    })
    .sample("reflect", {normal({3, 4})}, {{"paddings", IntList{1, 2, 2, 3}}})
    .sample("symmetric", {normal({2, 3})},
            {{"paddings", IntList{2, 2, 0, 3}}, {"mode", "SYMMETRIC"}});

MYCEL_OP(pad_v3)
    .names({.primitive = "PadV3"})
    .doc("Adds a border to the last axes: of one number, or of existing elements.")
    .input("x", "Any tensor.")
    .attribute("paddings", "Width before and after each axis, from the last axis backwards.",
               required(AttributeType::Ints), {.in_call = true})
    .attribute("constant_value", "The number of mode constant; None means 0.",
               optional(AttributeType::Number), {.in_call = true})
    .attribute("mode", "constant, reflect, edge or circular.", "constant")
    .attribute("paddings_contiguous", "False: all widths in front come first, then all behind.",
               true)
    .output("output", "A larger tensor.")
    .composite([](CompositeContext& op) {
      IntList pairs = op.ints("paddings");
      if (!op.flag("paddings_contiguous")) {
        const std::size_t half = pairs.size() / 2;
        IntList mixed;
        for (std::size_t i = 0; i < half; ++i) {
          mixed.push_back(pairs[i]);
          mixed.push_back(pairs[half + i]);
        }
        pairs = mixed;
      }
      const IntList paddings = from_first_axis(op, pairs, op.input(0).shape().size());
      op.set_output(0, pad_any(op, paddings, op.text("mode"), op.attribute("constant_value")));
    })
    .sample("number", {normal({2, 3})}, {{"paddings", IntList{1, 2}}, {"constant_value", 1.5}})
    .sample("apart", {normal({2, 3})},
            {{"paddings", IntList{1, 0, 2, 1}}, {"paddings_contiguous", false}});

// Files have one pair of widths per axis.
MYCEL_MINDIR(Pad, "input_x paddings") {
  return call.call("pad_constant", {call.tensor("input_x")},
                   {{"paddings", call.flat_integers("paddings")}});
}

MYCEL_MINDIR(MirrorPad, "input_x paddings mode") {
  return call.call(
      "mirror_pad", {call.tensor("input_x")},
      {{"paddings", call.flat_integers("paddings")}, {"mode", call.text("mode", "REFLECT")}});
}

// The number that a border consists of.
static AttributeValue filling(const StoredCall& call) {
  if (!call.has("constant_value")) return 0;
  std::int64_t whole = 0;
  if (to_integer(call["constant_value"], whole)) return whole;
  const std::vector<double> values = call.reals("constant_value");
  call.require(values.size() == 1, ErrorKind::Value, "there must be one constant, but got ",
               values.size(), ".");
  return values[0];
}

// Widths of ONNX files: all beginnings, then all ends, of the axes that are told.
MYCEL_ONNX(Pad, "data pads.numbers constant_value.numbers axes.numbers") {
  Value x = call.tensor("data");
  const IntList widths = call.flat_integers("pads");
  IntList axes = onnx_axes(call).value_or(IntList());
  for (std::int64_t axis = 0; axis < x.rank() && !call.has("axes"); ++axis) axes.push_back(axis);
  call.require(widths.size() == 2 * axes.size(), ErrorKind::Value, "there must be ",
               2 * axes.size(), " widths, but got ", widths.size(), ".");
  IntList pairs(2 * static_cast<std::size_t>(x.rank()), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(onnx_axis(call, axes[i], x.rank()));
    pairs[2 * axis] = widths[i];
    pairs[2 * axis + 1] = widths[i + axes.size()];
  }
  const std::string mode = call.text("mode", "constant");
  if (mode == "constant")
    return call.call("pad_constant", {x}, {{"paddings", pairs}, {"value", filling(call)}});
  if (mode != "reflect" && mode != "edge" && mode != "wrap") call.refuse("the mode '", mode, "'");
  for (std::size_t axis = 0; axis < pairs.size() / 2; ++axis) {
    const std::int64_t before = pairs[2 * axis], after = pairs[2 * axis + 1];
    if (before == 0 && after == 0) continue;
    const Value places = call.call(
        "padded_positions", {},
        {{"size", x.shape()[axis]}, {"before", before}, {"after", after}, {"mode", mode}});
    x = call.call("gather", {x, places}, {{"axis", static_cast<std::int64_t>(axis)}});
  }
  return x;
}

MYCEL_WRITES_MINDIR(pad_constant) {
  const auto x = call.typed();
  const IntList widths = call.ints("paddings");
  IntList begin, length;
  Rims rims;
  for (std::size_t i = 0; i < x.shape().size(); ++i) {
    const std::int64_t before = widths[2 * i];
    const std::int64_t after = widths[2 * i + 1];
    const auto none = std::int64_t{0};
    begin.push_back(std::max(-before, none));
    length.push_back(x.shape()[i] + std::min(before, none) + std::min(after, none));
    rims.emplace_back(std::max(before, none), std::max(after, none));
  }
  const AttributeValue value = call.is_none("value") ? 0 : call.attribute("value");
  if (holds(length, 0)) return call.filled(call.shape(), value.real());  // nothing is left
  return padded(window(x, begin, length, IntList(length.size(), 1)), rims, value);
}

MYCEL_WRITES_ONNX(pad_constant) {
  const auto x = call.input();
  const IntList widths = call.ints("paddings");
  IntList before, after;
  for (std::size_t i = 0; i < widths.size(); i += 2) {
    before.push_back(widths[i]);
    after.push_back(widths[i + 1]);
  }
  const AttributeValue value = call.is_none("value") ? 0 : call.attribute("value");
  return x.add("Pad", {joint({before, after}), value});
}

}  // namespace mycel::ops
