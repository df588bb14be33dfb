// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backend/cpu/half_tensor.h"
#include "operator/define.h"
#include "operator/stored_call.h"
#include "operator/writes_both.h"
#include "ops/nn/written_training.h"
#include "platform/random/philox.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

void check_share(const AttributeReader& op) {
  const double keep = op.real("keep_prob");
  op.require(keep > 0 && keep <= 1, ErrorKind::Value, "'keep_prob' must be in (0, 1], but got ",
             keep, ".");
}

// A cell is kept when its 32-bit number is below this; 2^32 keeps all.
std::uint64_t threshold_of(double keep) { return static_cast<std::uint64_t>(std::ldexp(keep, 32)); }

template <class T>
void scale_kept(const T* x, const std::uint8_t* mask, T* y, std::int64_t count, T scale) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = mask[i] != 0 ? x[i] * scale : T(0);
}

template <class Body>
void with_wide_type(DType dtype, const Body& body) {
  if (dtype == DType::Float64) {
    body.template operator()<double>();
  } else {
    body.template operator()<float>();
  }
}

void run_function(CompositeContext& op) {
  const double p = op.real("p");
  op.require(p >= 0 && p < 1, ErrorKind::Value,
             "the 'p' must be a number in range [0, 1), but got ", p, ".");
  if (!op.flag("training") || p == 0) return op.set_output(0, op.input(0));
  op.set_output(0, op.call_all("dropout", {op.input(0)},
                               {{"keep_prob", 1 - p},
                                {"seed", op.is_none("seed") ? 0 : op.integer("seed")}})[0]);
}

}  // namespace

MYCEL_OP(dropout)
    .names({.primitive = "Dropout"})
    .doc("Sets elements to zero at random and divides the others by the share that is kept.")
    .input("x", "Any tensor.", kFloating)
    .attribute("keep_prob", "Share of elements that are kept.", 0.5)
    .attribute("seed", "Seed of this call; 0: the global one alone.", 0)
    .attribute("seed2", "Second part of the seed.", 0)
    .output("output", "Like the input.")
    .output("mask", "Where elements were kept.")
    .random()
    .infer([](InferContext& op) {
      check_share(op);
      op.set_output(0, op.input(0));
      op.set_output(1, DType::Bool, op.input(0).shape);
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("dropout_gradient", {op.output_gradient(0), op.output(1)},
                                       {{"keep_prob", op.attribute("keep_prob")}}));
    })
    .keeps({"mask"})
    .sample("all kept", {normal({3, 4})}, {{"keep_prob", 1.0}})
    .sample_dtypes(kFloating);
MYCEL_CPU_KERNEL(dropout) {
  const Tensor x = backend::widened(kernel.input(0));
  const Tensor y = backend::wide_like(kernel.output(0));
  const double keep = kernel.real("keep_prob");
  const std::uint64_t threshold = threshold_of(keep);
  auto* mask = static_cast<std::uint8_t*>(kernel.output(1).raw());
  const std::int64_t count = x.size();
  // Four elements share one block of the generator, whatever thread makes them.
  platform::parallel_for((count + 3) / 4, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) {
      const platform::RandomBlock numbers = platform::random_block(
          kernel.random_seed, kernel.random_offset + static_cast<std::uint64_t>(block));
      const std::int64_t last = std::min(count, block * 4 + 4);
      for (std::int64_t i = block * 4; i < last; ++i)
        mask[i] = numbers.word[i - block * 4] < threshold;
    }
    const std::int64_t first = begin * 4, last = std::min(count, end * 4);
    with_wide_type(x.dtype(), [&]<class T>() {
      scale_kept<T>(x.data<T>() + first, mask + first, y.data<T>() + first, last - first,
                    T(1 / keep));
    });
  });
  backend::narrow_into(y, kernel.output(0));
}

MYCEL_OP(dropout_gradient)
    .doc("The gradient of dropout: the same elements are kept and scaled.")
    .input("output_gradient", "Any tensor.", kFloating)
    .input("mask", "As dropout gave it.", kBool)
    .attribute("keep_prob", "Share of elements that are kept.", 0.5)
    .output("input_gradient", "Like the gradient.")
    .infer([](InferContext& op) {
      check_share(op);
      op.require(op.input(0).shape == op.input(1).shape, ErrorKind::Value,
                 "both inputs must have one shape, but got ", to_string(op.input(0).shape), " and ",
                 to_string(op.input(1).shape), ".");
      op.set_output(0, op.input(0));
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("dropout_gradient", {op.output_gradient(0), op.input(1)},
                                       {{"keep_prob", op.attribute("keep_prob")}}));
    })
    .keeps({"mask"})
    .sample("half", {normal({3, 4}), mask({3, 4})});
MYCEL_CPU_KERNEL(dropout_gradient) {
  const Tensor x = backend::widened(kernel.input(0)), kept = kernel.dense(1);
  const Tensor y = backend::wide_like(kernel.output(0));
  const auto* mask = static_cast<const std::uint8_t*>(kept.raw());
  with_wide_type(x.dtype(), [&]<class T>() {
    platform::parallel_for(x.size(), 1, [&](std::int64_t begin, std::int64_t end) {
      scale_kept<T>(x.data<T>() + begin, mask + begin, y.data<T>() + begin, end - begin,
                    T(1 / kernel.real("keep_prob")));
    });
  });
  backend::narrow_into(y, kernel.output(0));
}

MYCEL_OP(dropout_function)
    .names({.function = "dropout"})
    .doc("Sets elements to zero with probability p while training; nothing otherwise.")
    .input("input", "Any tensor.", kFloating)
    .attribute("p", "Probability to drop an element.", 0.5)
    .attribute("training", "Whether to drop at all.", true)
    .attribute("seed", "Seed of this call.", optional(AttributeType::Int))
    .output("output", "Like the input.")
    .composite(run_function)
    .sample("off", {normal({3, 4})}, {{"training", false}});

// The mask of files has the input's type.
MYCEL_MINDIR(Dropout, "x keep_prob Seed0 Seed1") {
  const Value x = call.tensor("x");
  ValueList made = call.call_all("dropout", {x},
                                 {{"keep_prob", call.real("keep_prob", 0.5)},
                                  {"seed", call.integer("Seed0", 0)},
                                  {"seed2", call.integer("Seed1", 0)}});
  made[1] = call.call("cast", {made[1]}, {{"dtype", x.dtype()}});
  return made;
}

// Networks of ONNX files are not in training.
MYCEL_ONNX(Dropout, "data ratio training_mode") {
  const Value x = call.tensor("data");
  if (call.results() < 2) return x;
  return ValueList{x, call.call("ones_like", {x}, {{"dtype", DType::Bool}})};
}

MYCEL_WRITES(dropout) { refuse_training(call); }

}  // namespace mycel::ops
