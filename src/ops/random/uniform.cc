// SPDX-License-Identifier: Apache-2.0
#include "ops/random/draw.h"
#include "ops/shape/fill_value.h"

namespace mycel::ops {

MYCEL_OP(standard_normal)
    .names({.primitive = "StandardNormal", .function = "standard_normal"})
    .doc("Normally distributed numbers with mean 0 and deviation 1.")
    .attribute("shape", "Shape of the result.", required(AttributeType::Ints), {.in_call = true})
    .attribute("seed", "Own seed of the operator; 0 or None: none.",
               Nullable{AttributeType::Int, 0})
    .attribute("seed2", "Second own seed.", 0)
    .attribute("dtype", "Element type.", DType::Float32)
    .output("output", "The numbers.")
    .infer([](InferContext& op) {
      op.set_output(0, op.dtype("dtype"), checked_shape(op, "shape"));
    })
    .random()
    .not_differentiable()
    .sample("matrix", {}, {{"shape", IntList{3, 5}}, {"seed", 1}})
    .sample("nothing", {}, {{"shape", IntList{0}}, {"seed", 1}});

MYCEL_CPU_KERNEL(standard_normal) { draw_normal(kernel, kernel.output(0), 0, 1); }

MYCEL_OP(uniform_real)
    .names({.primitive = "UniformReal"})
    .doc("Evenly distributed numbers in [0, 1).")
    .attribute("shape", "Shape of the result.", required(AttributeType::Ints), {.in_call = true})
    .attribute("seed", "Own seed of the operator; 0 or None: none.",
               Nullable{AttributeType::Int, 0})
    .attribute("seed2", "Second own seed.", 0)
    .attribute("dtype", "Element type.", DType::Float32)
    .output("output", "The numbers.")
    .infer([](InferContext& op) {
      op.set_output(0, op.dtype("dtype"), checked_shape(op, "shape"));
    })
    .random()
    .not_differentiable()
    .sample("matrix", {}, {{"shape", IntList{3, 5}}, {"seed", 1}})
    .sample("double", {}, {{"shape", IntList{7}}, {"seed", 1}, {"dtype", DType::Float64}});

MYCEL_CPU_KERNEL(uniform_real) { draw_uniform(kernel, kernel.output(0), 0, 1); }

MYCEL_OP(uniform_int)
    .names({.primitive = "UniformInt"})
    .doc("Evenly distributed whole numbers in [minval, maxval).")
    .attribute("shape", "Shape of the result.", required(AttributeType::Ints), {.in_call = true})
    .attribute("minval", "Smallest number.", required(AttributeType::Int), {.in_call = true})
    .attribute("maxval", "The numbers stay below it.", required(AttributeType::Int),
               {.in_call = true})
    .attribute("seed", "Own seed of the operator; 0 or None: none.",
               Nullable{AttributeType::Int, 0})
    .attribute("seed2", "Second own seed.", 0)
    .attribute("dtype", "Element type.", DType::Int32)
    .output("output", "The numbers.")
    .infer([](InferContext& op) {
      op.require(op.integer("minval") < op.integer("maxval"), ErrorKind::Value,
                 "'minval' must be less than 'maxval', but got ", op.integer("minval"), " and ",
                 op.integer("maxval"), ".");
      op.set_output(0, op.dtype("dtype"), checked_shape(op, "shape"));
    })
    .random()
    .not_differentiable()
    .sample("dice", {}, {{"shape", IntList{3, 5}}, {"minval", 1}, {"maxval", 7}, {"seed", 1}});

MYCEL_CPU_KERNEL(uniform_int) {
  draw_integers(kernel, kernel.output(0), kernel.integer("minval"), kernel.integer("maxval"));
}

MYCEL_OP(normal)
    .names({.function = "normal"})
    .doc("Normally distributed numbers; mean and deviation may be tensors.")
    .input("mean", "Mean.", kReal)
    .input("stddev", "Standard deviation.", kReal)
    .attribute("shape", "Shape of the result, stretched by those of mean and deviation.",
               required(AttributeType::Ints))
    .attribute("seed", "Own seed of the operator.", optional(AttributeType::Int))
    .output("output", "The numbers.")
    .random()
    .composite([](CompositeContext& op) {
      Shape shape = broadcast_shapes(op.ints("shape"), op.input(0).shape(), op.name());
      shape = broadcast_shapes(shape, op.input(1).shape(), op.name());
      const Value noise =
          op.call("random_normal", {}, {{"shape", shape}, {"seed", op.attribute("seed")}});
      op.set_output(0, op.input(0) + noise * op.input(1));
    })
    .sample("numbers", {number(1), number(2)}, {{"shape", IntList{3, 5}}, {"seed", 1}})
    .sample("tensors", {normal({5}), positive({3, 1})}, {{"shape", IntList{3, 5}}, {"seed", 1}});

MYCEL_OP(random_uniform)
    .doc("Evenly distributed numbers in [low, high) of any type.")
    .attribute("shape", "Shape of the result.", required(AttributeType::Ints))
    .attribute("low", "Lower bound.", 0.0)
    .attribute("high", "Upper bound, not reached.", 1.0)
    .attribute("dtype", "Element type.", DType::Float32)
    .attribute("seed", "Own seed of the operator.", optional(AttributeType::Int))
    .output("output", "The numbers.")
    .infer([](InferContext& op) {
      op.set_output(0, op.dtype("dtype"), checked_shape(op, "shape"));
    })
    .random()
    .not_differentiable()
    .sample("matrix", {}, {{"shape", IntList{3, 5}}, {"low", -2.0}, {"high", 2.0}, {"seed", 1}});

MYCEL_CPU_KERNEL(random_uniform) {
  const double low = kernel.real("low");
  const double high = kernel.real("high");
  if (is_floating(kernel.output(0).dtype()))
    return draw_uniform(kernel, kernel.output(0), low, high);
  draw_integers(kernel, kernel.output(0), static_cast<std::int64_t>(low),
                static_cast<std::int64_t>(high));
}

MYCEL_OP(random_normal)
    .doc("Normally distributed numbers of any floating type.")
    .attribute("shape", "Shape of the result.", required(AttributeType::Ints))
    .attribute("mean", "Mean.", 0.0)
    .attribute("stddev", "Standard deviation.", 1.0)
    .attribute("dtype", "Element type.", DType::Float32)
    .attribute("seed", "Own seed of the operator.", optional(AttributeType::Int))
    .output("output", "The numbers.")
    .infer([](InferContext& op) {
      op.require(op.real("stddev") >= 0, ErrorKind::Value,
                 "'stddev' must not be negative, but got ", op.real("stddev"), ".");
      op.set_output(0, op.dtype("dtype"), checked_shape(op, "shape"));
    })
    .random()
    .not_differentiable()
    .sample("matrix", {}, {{"shape", IntList{3, 5}}, {"mean", 1.0}, {"stddev", 0.5}, {"seed", 1}});

MYCEL_CPU_KERNEL(random_normal) {
  draw_normal(kernel, kernel.output(0), kernel.real("mean"), kernel.real("stddev"));
}

MYCEL_OP(uniform)
    .names({.function = "uniform"})
    .doc("Evenly distributed numbers in [minval, maxval); the bounds may be tensors.")
    .input("minval", "Lower bound.", kReal)
    .input("maxval", "Upper bound, not reached.", kReal)
    .attribute("shape", "Shape of the result, stretched by those of the bounds.",
               required(AttributeType::Ints))
    .attribute("seed", "Own seed of the operator.", optional(AttributeType::Int))
    .attribute("dtype", "float32, or an integer type.", DType::Float32)
    .order({"shape", "minval", "maxval", "seed", "dtype"})
    .output("output", "The numbers.")
    .random()
    .composite([](CompositeContext& op) {
      Shape shape = broadcast_shapes(op.ints("shape"), op.input(0).shape(), op.name());
      shape = broadcast_shapes(shape, op.input(1).shape(), op.name());
      const DType dtype = op.dtype("dtype");
      const DType drawn = is_floating(dtype) ? dtype : DType::Float64;
      const Value noise =
          op.call("random_uniform", {},
                  {{"shape", shape}, {"dtype", drawn}, {"seed", op.attribute("seed")}});
      Value result = op.input(0) + noise * (op.input(1) - op.input(0));
      if (!is_floating(dtype)) result = op.call("floor", {result});
      if (result.dtype() != dtype) result = op.call("cast", {result}, {{"dtype", dtype}});
      op.set_output(0, result);
    })
    .sample("numbers", {number(1), number(2)}, {{"shape", IntList{3, 5}}, {"seed", 1}})
    .sample("integers", {number(1), number(7)},
            {{"shape", IntList{3, 5}}, {"seed", 1}, {"dtype", DType::Int32}});

}  // namespace mycel::ops
