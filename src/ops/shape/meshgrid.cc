// SPDX-License-Identifier: Apache-2.0
#include "operator/define.h"

namespace mycel::ops {

MYCEL_OP(meshgrid)
    .names({.primitive = "Meshgrid"})
    .doc("Coordinates of a grid from the coordinates of its axes.")
    .numpy("tuple(np.meshgrid(*inputs, indexing=indexing))")
    .variadic_input("inputs", "Tensors of at most one axis.")
    .attribute("indexing", "'xy' exchanges the first two axes of the result, 'ij' does not.", "xy",
               {.choices = {"xy", "ij"}})
    .variadic_output("outputs", "One tensor per input, all of the grid's shape.")
    .composite([](CompositeContext& op) {
      const std::size_t count = op.input_count();
      op.require(count > 0, ErrorKind::Value,
                 "'inputs' must hold at least one tensor, but got none.");
      const bool swapped = op.text("indexing") == "xy" && count >= 2;
      const auto place = [&](std::size_t i) { return swapped && i < 2 ? 1 - i : i; };
      Shape grid(count, 1);
      for (std::size_t i = 0; i < count; ++i) {
        op.require(op.input(i).rank() <= 1, ErrorKind::Value,
                   "each input must have at most one axis, but got shape ", op.input(i).shape(),
                   ".");
        grid[place(i)] = op.input(i).rank() == 0 ? 1 : op.input(i).shape()[0];
      }
      for (std::size_t i = 0; i < count; ++i) {
        Shape line(count, 1);
        line[place(i)] = grid[place(i)];
        const Value along = op.call("reshape", {op.input(i)}, {{"shape", line}});
        op.set_output(i, op.call("broadcast_to", {along}, {{"shape", grid}}));
      }
    })
    .sample("xy", {normal({3}), normal({2})})
    .sample("ij", {normal({3}), normal({2}), normal({4})}, {{"indexing", "ij"}})
    .sample_dtypes(kAny);

}  // namespace mycel::ops
