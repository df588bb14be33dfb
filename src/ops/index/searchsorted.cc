// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "operator/define.h"
#include "operator/mindir_call.h"
#include "ops/index/rows.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

struct Search {
  std::int64_t rows, length, queries;  // queries per row
  bool shared;                         // one sequence for all
  bool right;
};

// NaN sorts behind all numbers.
template <class T>
bool less_than(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>)
    return a < b || (b != b && a == a);
  else
    return a < b;
}

template <class T, class Result>
void search(const Search& plan, const T* sequence, const std::int64_t* sorter, const T* values,
            Result* output) {
  platform::parallel_for(plan.rows * plan.queries, 32, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t base = plan.shared ? 0 : i / plan.queries * plan.length;
      std::int64_t low = 0;
      std::int64_t high = plan.length;
      while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        const T at = sequence[base + (sorter != nullptr ? sorter[base + middle] : middle)];
        const bool go_right = plan.right ? !less_than(values[i], at) : less_than(at, values[i]);
        if (go_right)
          low = middle + 1;
        else
          high = middle;
      }
      output[i] = static_cast<Result>(low);
    }
  });
}

}  // namespace

MYCEL_OP(searchsorted)
    .names({.primitive = "SearchSorted"})
    .doc(
        "Where values belong in a sorted sequence: the first position (or, with `right`, the last) "
        "that keeps it sorted.")
    .numpy(
        "np.searchsorted(sorted_sequence, values, 'right' if right else 'left') if "
        "sorted_sequence.ndim == 1 else "
        "np.array([np.searchsorted(s, v, 'right' if right else 'left') for s, v in "
        "zip(sorted_sequence, values)], np.int64).reshape(values.shape)")
    .input("sorted_sequence", "Sorted along the last axis; one axis, or the axes of `values`.",
           kReal)
    .input("values", "What to look for.", kReal)
    .optional_input("sorter", "Order that sorts the sequence, if it is not sorted itself.", kIndex)
    .attribute("dtype", "int64 or int32.", DType::Int64)
    .attribute("right", "After equal elements instead of before.", false)
    .output("output", "Shape of `values`.")
    .infer([](InferContext& op) {
      const Shape& sequence = op.input(0).shape;
      const Shape& values = op.input(1).shape;
      const bool fits = sequence.size() == 1 ||
                        (sequence.size() == values.size() && !sequence.empty() &&
                         std::equal(sequence.begin(), sequence.end() - 1, values.begin()));
      op.require(fits, ErrorKind::Value,
                 "'sorted_sequence' must have one axis or the leading axes of 'values', but got ",
                 sequence, " and ", values, ".");
      op.require(!op.has_input(2) || op.input(2).shape == sequence, ErrorKind::Value,
                 "'sorter' must have the shape of 'sorted_sequence'.");
      const DType dtype = op.dtype("dtype");
      op.require(dtype == DType::Int32 || dtype == DType::Int64, ErrorKind::Type,
                 "'dtype' must be int32 or int64, but got ", dtype, ".");
      op.promote_inputs(0, 2);
      op.set_output(0, dtype, values);
    })
    .not_differentiable()
    .sample("one sequence",
            {values({5}, {-1, 0, 0, 1, 2}), values({2, 2}, {0, 3, -5, 1}), absent()})
    .sample("right", {values({5}, {-1, 0, 0, 1, 2}), values({3}, {0, 2, 5}), absent()},
            {{"right", true}})
    .sample("rows", {values({2, 3}, {0, 1, 2, 5, 6, 7}), values({2, 1}, {1, 9}), absent()})
    .sample_dtypes(kFloating | DTypeSet{DType::Int32, DType::Int64});

MYCEL_CPU_KERNEL(searchsorted) {
  const Tensor sequence = kernel.dense(0);
  const Tensor values = kernel.dense(1);
  if (values.size() == 0) return;
  const std::int64_t length = sequence.shape().back();
  const bool shared = sequence.rank() == 1;
  const std::int64_t queries = shared ? values.size() : values.shape().back();
  const Search plan{values.size() / queries, length, queries, shared, kernel.flag("right")};
  const Tensor order =
      kernel.has_input(2) ? row_positions(kernel, kernel.input(2), length) : Tensor();
  const std::int64_t* const sorter = order.defined() ? order.data<std::int64_t>() : nullptr;
  with_real_type(sequence.dtype(), [&]<class T>() {
    if (kernel.output(0).dtype() == DType::Int32) {
      search<T>(plan, sequence.data<T>(), sorter, values.data<T>(),
                kernel.output(0).data<std::int32_t>());
    } else {
      search<T>(plan, sequence.data<T>(), sorter, values.data<T>(),
                kernel.output(0).data<std::int64_t>());
    }
  });
}

MYCEL_OP(bincount)
    .names({.function = "bincount", .method = "bincount"})
    .doc("How often each whole number occurs, or the sum of its weights.")
    .numpy("np.bincount(input, weights, minlength)")
    .input("input", "Numbers from 0 on, one axis.", kIndex)
    .optional_input("weights", "One per number.", kReal)
    .attribute("minlength", "Least length of the result.", 0)
    .output("output", "float32, as long as the largest number demands.")
    .dynamic_outputs()
    .infer([](InferContext& op) {
      op.require(op.input(0).rank() == 1, ErrorKind::Value,
                 "'input' must have one axis, but got shape ", op.input(0).shape, ".");
      op.require(!op.has_input(1) || op.input(1).shape == op.input(0).shape, ErrorKind::Value,
                 "'weights' must have the shape of 'input'.");
      op.require(op.integer("minlength") >= 0, ErrorKind::Value,
                 "'minlength' must not be negative, but got ", op.integer("minlength"), ".");
      if (op.has_input(1)) op.cast_input(1, DType::Float32);
      op.set_output(0, DType::Float32, Shape{op.integer("minlength")});
    })
    .not_differentiable()
    .sample("counts", {integers({9}, 0, 5), absent()})
    .sample("weights", {integers({4}, 0, 3, DType::Int32), normal({4})}, {{"minlength", 6}})
    .sample_dtypes(DTypeSet{DType::Float32});

MYCEL_CPU_KERNEL(bincount) {
  const Tensor input = kernel.dense(0);
  const Tensor weights = kernel.has_input(1) ? kernel.dense(1) : Tensor();
  with_integer_type(input.dtype(), [&]<class T>() {
    const T* const given = input.data<T>();
    std::int64_t length = kernel.integer("minlength");
    for (std::int64_t i = 0; i < input.size(); ++i) {
      const auto number = static_cast<std::int64_t>(given[i]);
      kernel.require(number >= 0 && number < INT32_MAX, ErrorKind::Value,
                     "'input' must hold numbers in [0, ", INT32_MAX, "), but got ", number, ".");
      length = std::max(length, number + 1);
    }
    auto* const sums =
        kernel.allocate_output(0, DType::Float32, Shape{length}).template data<float>();
    std::fill_n(sums, length, 0.0F);
    for (std::int64_t i = 0; i < input.size(); ++i)
      sums[given[i]] += weights.defined() ? weights.data<float>()[i] : 1.0F;
  });
}

MYCEL_WRITES_MINDIR(searchsorted) {
  if (call.has(2)) call.refuse("the order of the sequence is given apart");
  const auto values = call.input(1, call.dtype_of(0));
  const auto type = call.graph().type_number(call.dtype());
  return call.input().add("SearchSorted", {values, mindir::Plain(Datum())},
                          {.shape = call.shape(), .dtype = call.dtype()},
                          {{"dtype", type}, {"right", call.flag("right")}});
}

}  // namespace mycel::ops
