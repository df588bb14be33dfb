// SPDX-License-Identifier: Apache-2.0
#include "operator/define.h"
#include "operator/mindir_call.h"
#include "ops/shape/onnx_windows.h"
#include "ops/shape/window.h"

namespace mycel::ops {

MYCEL_OP(roll_axes)
    .doc("Moves elements along axes; those that leave at the end come back at the front.")
    .numpy("np.roll(input, shifts, dims)")
    .input("input", "Any tensor.")
    .attribute("shifts", "How far along each axis.", required(AttributeType::Ints))
    .attribute("dims", "The axes.", required(AttributeType::Ints))
    .output("output", "Same shape.")
    .infer([](InferContext& op) {
      IntList shifts = op.ints("shifts");
      IntList dims = op.ints("dims");
      const TensorSpec& input = op.input(0);
      op.require(shifts.size() == dims.size(), ErrorKind::Value,
                 "'shifts' and 'dims' must have the same length, but got ", shifts, " and ", dims,
                 ".");
      IntList total(input.shape.size(), 0);  // one shift per axis, in [0, length)
      for (std::size_t k = 0; k < dims.size(); ++k) {
        const auto axis =
            static_cast<std::size_t>(normalize_axis(dims[k], input.rank(), op.name(), "dims"));
        if (axis >= total.size() || input.shape[axis] == 0) continue;
        const std::int64_t size = input.shape[axis];
        total[axis] = (total[axis] + (shifts[k] % size + size) % size) % size;
      }
      IntList axes;
      for (std::int64_t i = 0; i < input.rank(); ++i) axes.push_back(i);
      op.set_attribute("shifts", total);
      op.set_attribute("dims", axes);
      op.set_output(0, input.dtype, input.shape);
    })
    .gradient([](GradientContext& op) {
      IntList back = op.ints("shifts");
      for (std::int64_t& shift : back) shift = -shift;
      op.set_input_gradient(0, op.call("roll_axes", {op.output_gradient(0)},
                                       {{"shifts", back}, {"dims", op.attribute("dims")}}));
    })
    .sample("rows", {normal({4, 3})}, {{"shifts", IntList{1}}, {"dims", IntList{0}}})
    .sample("both, backwards", {normal({4, 3})},
            {{"shifts", IntList{-1, 5}}, {"dims", IntList{0, -1}}})
    .sample("nothing", {normal({0})}, {{"shifts", IntList{1}}, {"dims", IntList{0}}})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(roll_axes) {
  // Each shifted axis falls into two ranges that stay whole: copy all combinations of them.
  const IntList shifts = kernel.ints("shifts");
  const Shape& shape = kernel.output(0).shape();
  if (element_count(shape) == 0) return;
  IntList moving;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shifts[i] != 0) moving.push_back(static_cast<std::int64_t>(i));
  }
  kernel.require(moving.size() < 32, ErrorKind::Value, "at most 31 axes can be rolled, but got ",
                 moving.size(), ".");
  for (std::uint32_t choice = 0; choice < (1U << moving.size()); ++choice) {
    Window from = whole_window(shape);
    Window to = from;
    for (std::size_t k = 0; k < moving.size(); ++k) {
      const auto axis = static_cast<std::size_t>(moving[k]);
      const std::int64_t kept = shape[axis] - shifts[axis];
      const bool wraps = ((choice >> k) & 1U) != 0;
      from.begin[axis] = wraps ? kept : 0;
      to.begin[axis] = wraps ? 0 : shifts[axis];
      from.length[axis] = to.length[axis] = wraps ? shifts[axis] : kept;
    }
    copy_elements(window_of(kernel.input(0), from), window_of(kernel.output(0), to));
  }
}

MYCEL_OP(roll)
    .names({.function = "roll", .method = "roll"})
    .doc("Moves elements along axes; those that leave at the end come back at the front.")
    .numpy(
        "np.roll(input, shifts if dims is not None else shifts[0] if np.ndim(shifts) else shifts, "
        "dims)")
    .input("input", "Any tensor.")
    .attribute("shifts", "How far along each axis.", required(AttributeType::Ints))
    .attribute("dims", "The axes; None rolls the flattened tensor.", optional(AttributeType::Ints))
    .output("output", "Same shape.")
    .composite([](CompositeContext& op) {
      const IntList shifts = op.ints("shifts");
      if (!op.is_none("dims")) {
        op.set_output(0, op.call("roll_axes", {op.input(0)},
                                 {{"shifts", shifts}, {"dims", op.ints("dims")}}));
        return;
      }
      op.require(shifts.size() == 1, ErrorKind::Value,
                 "'shifts' must be one number without 'dims', but got ", shifts, ".");
      const Value flat = op.call("reshape", {op.input(0)}, {{"shape", IntList{-1}}});
      const Value rolled = op.call("roll_axes", {flat}, {{"shifts", shifts}, {"dims", IntList{0}}});
      op.set_output(0, op.call("reshape", {rolled}, {{"shape", op.input(0).shape()}}));
    })
    .sample("flattened", {normal({2, 3})}, {{"shifts", 2}})
    .sample("an axis", {normal({2, 3})}, {{"shifts", 1}, {"dims", -1}})
    .sample_dtypes(kAny);

MYCEL_OP(roll_primitive)
    .names({.primitive = "Roll"})
    .doc("Moves elements along axes; those that leave at the end come back at the front.")
    .numpy("np.roll(input, shift, axis)")
    .input("input", "Any tensor.")
    .attribute("shift", "How far along each axis.", required(AttributeType::Ints))
    .attribute("axis", "The axes.", required(AttributeType::Ints))
    .output("output", "Same shape.")
    .composite([](CompositeContext& op) {
      op.set_output(0, op.call("roll_axes", {op.input(0)},
                               {{"shifts", op.ints("shift")}, {"dims", op.ints("axis")}}));
    })
    .sample("rows", {normal({4, 3})}, {{"shift", IntList{2}}, {"axis", IntList{0}}})
    .sample_dtypes(kAny);

MYCEL_WRITES_MINDIR(roll_axes) {
  auto x = call.input();
  const IntList shifts = call.ints("shifts");
  const IntList axes = call.ints("dims");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + x.rank() : axes[i];
    const std::int64_t size = x.size(axis);
    if (size == 0 || shifts[i] % size == 0) continue;
    const std::int64_t shift = (shifts[i] % size + size) % size;
    const auto from = [&](std::int64_t place) { return (place - shift + size) % size; };
    x = x.take(mindir::Table::of(size, from), axis);
  }
  return x;
}

MYCEL_WRITES_ONNX(roll_axes) {
  auto x = call.input();
  const IntList shifts = call.ints("shifts");
  const IntList axes = call.ints("dims");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + call.rank() : axes[i];
    const std::int64_t size = call.shape()[static_cast<std::size_t>(axis)];
    if (size == 0 || shifts[i] % size == 0) continue;
    const std::int64_t shift = (shifts[i] % size + size) % size;
    const auto parts = parts_of(x, {size - shift, shift}, axis);
    x = onnx::joined({parts[1], parts[0]}, axis);
  }
  return x;
}

}  // namespace mycel::ops
