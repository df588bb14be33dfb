// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "operator/define.h"
#include "operator/stored_call.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

bool all_ints(const AttributeReader& op) {
  return !op.attribute("start").is_float() && !op.attribute("end").is_float() &&
         !op.attribute("step").is_float();
}

std::int64_t length_of_ints(std::int64_t start, std::int64_t end, std::int64_t step) {
  // In unsigned arithmetic the distance always fits.
  const auto distance = step > 0
                            ? static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start)
                            : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(end);
  if (step > 0 ? end <= start : end >= start) return 0;
  const auto magnitude =
      step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  return static_cast<std::int64_t>((distance - 1) / magnitude + 1);
}

std::int64_t length_of_range(const AttributeReader& op) {
  const AttributeValue& start = op.attribute("start");
  const AttributeValue& end = op.attribute("end");
  const AttributeValue& step = op.attribute("step");
  op.require(step.real() != 0, ErrorKind::Value, "'step' must not be 0.");
  if (all_ints(op)) return length_of_ints(start.integer(), end.integer(), step.integer());
  const double count = std::ceil((end.real() - start.real()) / step.real());
  op.require(std::isfinite(count) && count < 0x1p62, ErrorKind::Value, "'start' ", start.real(),
             ", 'end' ", end.real(), " and 'step' ", step.real(), " do not make a range.");
  return count > 0 ? static_cast<std::int64_t>(count) : 0;
}

void infer_range(InferContext& op) {
  if (op.is_none("start")) op.set_attribute("start", 0);
  if (op.is_none("step")) op.set_attribute("step", 1);
  if (op.is_none("end")) {
    op.set_attribute("end", op.attribute("start"));
    op.set_attribute("start", 0);
  }
  const DType dtype = !op.is_none("dtype") ? op.dtype("dtype")
                      : all_ints(op)       ? DType::Int64
                                           : DType::Float32;
  op.set_attribute("dtype", dtype);
  op.set_output(0, dtype, Shape{length_of_range(op)});
}

// Element i = start + i * step, each computed by itself so that errors do not add up.
void fill_range(KernelContext& kernel) {
  const Tensor& output = kernel.output(0);
  const bool exact = all_ints(kernel);
  const double start = kernel.real("start");
  const double step = kernel.real("step");
  const std::int64_t first = exact ? kernel.integer("start") : 0;
  const std::int64_t stride = exact ? kernel.integer("step") : 0;
  with_real_type(output.dtype(), [&]<class T>() {
    T* const data = output.data<T>();
    platform::parallel_for(output.size(), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        if (exact && std::is_integral_v<T>) {
          data[i] = static_cast<T>(first + i * stride);
        } else {
          data[i] =
              static_cast<T>(static_cast<Accumulator<T>>(start + static_cast<double>(i) * step));
        }
      }
    });
  });
}

}  // namespace

MYCEL_OP(arange)
    .names({.function = "arange"})
    .doc(
        "Numbers from `start` up to but without `end`, `step` apart. With one number it is the "
        "end.")
    .numpy("np.arange(start, end, step, dtype)")
    .attribute("start", "First number.", Nullable{AttributeType::Number, 0})
    .attribute("end", "The range stops before it.", optional(AttributeType::Number))
    .attribute("step", "Distance, not zero.", Nullable{AttributeType::Number, 1})
    .attribute("dtype", "Element type; None: int64 for ints, float32 otherwise.",
               optional(AttributeType::DType))
    .output("output", "One axis.")
    .infer(infer_range)
    .not_differentiable()
    .sample("ints", {}, {{"start", 1}, {"end", 10}, {"step", 3}})
    .sample("backwards", {}, {{"start", 5}, {"end", 0}, {"step", -2}})
    .sample("floats", {}, {{"start", 0.5}, {"end", 2.0}, {"step", 0.25}})
    .sample("nothing", {}, {{"start", 3}, {"end", 1}, {"step", 1}});

MYCEL_CPU_KERNEL(arange) { fill_range(kernel); }

MYCEL_OP(range)
    .names({.primitive = "Range", .function = "range"})
    .doc("Numbers from `start` up to but without `end`, `step` apart.")
    .numpy("np.arange(start, end, step)")
    .attribute("start", "First number.", required(AttributeType::Number), {.in_call = true})
    .attribute("end", "The range stops before it.", required(AttributeType::Number),
               {.in_call = true})
    .attribute("step", "Distance, not zero.", required(AttributeType::Number), {.in_call = true})
    .attribute("maxlen", "Most elements there may be.", 1000000)
    .output("output", "One axis.")
    .composite([](CompositeContext& op) {
      const Value result = op.call("arange", {},
                                   {{"start", op.attribute("start")},
                                    {"end", op.attribute("end")},
                                    {"step", op.attribute("step")}});
      op.require(result.shape()[0] <= op.integer("maxlen"), ErrorKind::Value, "the range has ",
                 result.shape()[0], " elements and 'maxlen' is ", op.integer("maxlen"), ".");
      op.set_output(0, result);
    })
    .sample("ints", {}, {{"start", 0}, {"end", 10}, {"step", 4}});

MYCEL_OP(linspace)
    .names({.primitive = "LinSpace", .function = "linspace"})
    .doc("`steps` numbers evenly spaced from `start` to `end`, both included.")
    .numpy("np.linspace(start, end, steps, dtype=np.float32)")
    .attribute("start", "First number.", required(AttributeType::Number), {.in_call = true})
    .attribute("end", "Last number.", required(AttributeType::Number), {.in_call = true})
    .attribute("steps", "How many.", required(AttributeType::Int), {.in_call = true})
    .attribute("dtype", "Element type.", DType::Float32)
    .output("output", "One axis.")
    .infer([](InferContext& op) {
      op.require(op.integer("steps") >= 0, ErrorKind::Value,
                 "'steps' must not be negative, but got ", op.integer("steps"), ".");
      op.set_output(0, op.dtype("dtype"), Shape{op.integer("steps")});
    })
    .not_differentiable()
    .sample("five", {}, {{"start", 1}, {"end", 2}, {"steps", 5}})
    .sample("one", {}, {{"start", 1.5}, {"end", 2.0}, {"steps", 1}})
    .sample("none", {}, {{"start", 1.5}, {"end", 2.0}, {"steps", 0}});

MYCEL_CPU_KERNEL(linspace) {
  const std::int64_t count = kernel.integer("steps");
  const double start = kernel.real("start");
  const double end = kernel.real("end");
  const double step = count > 1 ? (end - start) / static_cast<double>(count - 1) : 0;
  with_real_type(kernel.output(0).dtype(), [&]<class T>() {
    T* const data = kernel.output(0).data<T>();
    for (std::int64_t i = 0; i < count; ++i) {
      const bool last = i == count - 1 && count > 1;
      const double value = last ? end : start + static_cast<double>(i) * step;
      data[i] = static_cast<T>(static_cast<Accumulator<T>>(value));
    }
  });
}

MYCEL_ONNX(Range, "start.numbers limit.numbers delta.numbers") {
  const DType dtype = call.tensor("start").dtype();
  const auto number = [&](std::string_view name) -> AttributeValue {
    if (is_integral(dtype)) return call.integer(name);
    return call.real(name, 0);
  };
  const AttributeValue start = number("start"), limit = number("limit"), delta = number("delta");
  const double count = (limit.real() - start.real()) / delta.real();
  call.require(delta.real() != 0 && std::abs(count) <= 0x1p40, ErrorKind::Value,
               "it asks for an impossible range.");
  return call.call("arange", {},
                   {{"start", start}, {"end", limit}, {"step", delta}, {"dtype", dtype}});
}

}  // namespace mycel::ops
