// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "operator/define.h"
#include "operator/stored_call.h"
#include "ops/index/rows.h"
#include "ops/index/sort_keys.h"
#include "ops/reduce/mindir_reductions.h"
#include "ops/reduce/onnx_reductions.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

// Key and index in one number: comparing it orders equal elements by index.
__extension__ using Wide = unsigned __int128;
template <class T>
using Packed = std::conditional_t<sizeof(T) == 8, Wide, std::uint64_t>;
template <class T>
constexpr int kIndexBits = sizeof(T) == 8 ? 64 : 32;

template <class T>
Packed<T> packed(T value, bool largest, std::int64_t index) {
  return (static_cast<Packed<T>>(SortKey<T>::of(value, largest)) << kIndexBits<T>) |
         static_cast<Packed<T>>(index);
}

template <class T>
std::int64_t index_of(Packed<T> entry) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(entry) &
                                   (kIndexBits<T> == 64 ? ~0ULL : 0xffffffffULL));
}

// The k smallest of a line in rising order. A heap when k is small: most elements lose against its
// root and cost one comparison.
template <class T>
void select_line(const T* line, std::int64_t size, std::int64_t stride, std::int64_t k,
                 bool largest, std::vector<Packed<T>>& entries) {
  const bool few = k * 16 <= size;
  const std::int64_t first = few ? k : size;
  entries.resize(static_cast<std::size_t>(first));
  for (std::int64_t i = 0; i < first; ++i)
    entries[static_cast<std::size_t>(i)] = packed<T>(line[i * stride], largest, i);
  if (few) {
    std::make_heap(entries.begin(), entries.end());
    for (std::int64_t i = first; i < size; ++i) {
      const Packed<T> entry = packed<T>(line[i * stride], largest, i);
      if (entry >= entries.front()) continue;
      std::pop_heap(entries.begin(), entries.end());
      entries.back() = entry;
      std::push_heap(entries.begin(), entries.end());
    }
    std::sort_heap(entries.begin(), entries.end());
    return;
  }
  if (k < size) std::nth_element(entries.begin(), entries.begin() + k, entries.end());
  std::sort(entries.begin(), entries.begin() + k);
}

struct TopLines {
  std::int64_t outer, size, inner, k;
};

template <class T>
void select_lines(const TopLines& lines, bool largest, const T* input, T* top,
                  std::int32_t* indices) {
  platform::parallel_for(
      lines.outer * lines.inner, lines.size * 2, [&](std::int64_t begin, std::int64_t end) {
        std::vector<Packed<T>> entries;
        for (std::int64_t line = begin; line < end; ++line) {
          const std::int64_t o = line / lines.inner;
          const std::int64_t j = line % lines.inner;
          const T* const from = input + o * lines.size * lines.inner + j;
          select_line<T>(from, lines.size, lines.inner, lines.k, largest, entries);
          for (std::int64_t i = 0; i < lines.k; ++i) {
            const std::int64_t index = index_of<T>(entries[static_cast<std::size_t>(i)]);
            const std::int64_t to = (o * lines.k + i) * lines.inner + j;
            top[to] = from[index * lines.inner];
            indices[to] = static_cast<std::int32_t>(index);
          }
        }
      });
}

}  // namespace

MYCEL_OP(topk)
    .names({.function = "topk", .method = "topk"})
    .doc(
        "The k largest (or smallest) elements along an axis, best first; of equal ones the smaller "
        "index first.")
    .input("input", "Real numbers.", kReal | kBool)
    .attribute("k", "How many.", required(AttributeType::Int))
    .attribute("dim", "The axis; None means the last one.", optional(AttributeType::Int))
    .attribute("largest", "Largest or smallest.", true)
    .attribute("sorted", "Kept for compatibility; the result is always sorted.", true)
    .output("values", "The elements.")
    .output("indices", "int32: where they are.")
    .infer([](InferContext& op) {
      if (op.is_none("dim")) op.set_attribute("dim", -1);
      const auto axis = static_cast<std::size_t>(op.normalize_axis("dim", op.input(0).rank()));
      Shape shape = op.input(0).shape;
      const std::int64_t size = shape.empty() ? 1 : shape[axis];
      const std::int64_t k = op.integer("k");
      op.require(k > 0 && k <= size, ErrorKind::Value, "the k must be in (0,", size, "], but got ",
                 k, ".");
      op.require(size <= INT32_MAX, ErrorKind::Value, "an axis of length ", size,
                 " is too long for int32 indices.");
      if (!shape.empty()) shape[axis] = k;
      op.set_output(0, op.input(0).dtype, shape);
      op.set_output(1, DType::Int32, shape);
    })
    .gradient([](GradientContext& op) {
      const Value zeros = op.call(
          "fill", {}, {{"shape", op.input_shape(0)}, {"value", 0}, {"dtype", op.input_dtype(0)}});
      op.set_input_gradient(
          0, op.call("tensor_scatter_elements", {zeros, op.output(1), op.output_gradient(0)},
                     {{"axis", op.attribute("dim")}, {"reduction", "add"}}));
    })
    .keeps({"indices"})
    .numpy(
        "tuple(np.take(a, range(k), dim if dim is not None else -1) for a in (lambda i: "
        "(np.take_along_axis(input, i, "
        "dim if dim is not None else -1), i))(np.argsort(-input if largest else input, dim if dim "
        "is not None else -1, "
        "kind='stable')))")
    .sample("rows", {normal({3, 8})}, {{"k", 3}})
    .sample("smallest of columns", {normal({6, 2})}, {{"k", 2}, {"dim", 0}, {"largest", false}})
    .sample("few of many", {normal({2, 100})}, {{"k", 2}})
    .sample_dtypes(kFloating | DTypeSet{DType::Int32, DType::Int64, DType::Int8});

MYCEL_CPU_KERNEL(topk) {
  const Tensor input = kernel.dense(0);
  if (input.size() == 0) return;
  const Shape& shape = input.shape();
  const auto axis = static_cast<std::size_t>(kernel.integer("dim"));
  const TopLines lines =
      shape.empty() ? TopLines{1, 1, 1, 1}
                    : TopLines{span_of(shape, 0, axis), shape[axis],
                               span_of(shape, axis + 1, shape.size()), kernel.integer("k")};
  with_real_type(input.dtype(), [&]<class T>() {
    select_lines<T>(lines, kernel.flag("largest"), input.data<T>(), kernel.output(0).data<T>(),
                    kernel.output(1).data<std::int32_t>());
  });
}

MYCEL_OP(top_k)
    .names({.primitive = "TopK", .function = "top_k", .method = "top_k"})
    .doc("The k largest elements along the last axis, largest first.")
    .input("input_x", "Real numbers.", kReal | kBool)
    .attribute("k", "How many.", required(AttributeType::Int), {.in_call = true})
    .attribute("sorted", "Kept for compatibility; the result is always sorted.", true)
    .output("values", "The elements.")
    .output("indices", "int32: where they are.")
    .composite([](CompositeContext& op) {
      op.outputs() = op.call_all("topk", {op.input(0)}, {{"k", op.integer("k")}});
    })
    .sample("rows", {normal({3, 8})}, {{"k", 3}});

namespace {

template <class T, class Index>
void in_top_k_rows(const Tensor& scores, const Tensor& targets, std::int64_t k, bool* output) {
  const std::int64_t classes = scores.shape()[1];
  for (std::int64_t row = 0; row < scores.shape()[0]; ++row) {
    const T* const line = scores.data<T>() + row * classes;
    const auto target = static_cast<std::int64_t>(targets.data<Index>()[row]);
    output[row] = false;
    if (target < 0 || target >= classes) continue;
    const auto score = static_cast<double>(line[target]);
    if (!std::isfinite(score)) continue;
    std::int64_t better = 0;
    for (std::int64_t c = 0; c < classes; ++c)
      better += static_cast<double>(line[c]) > score ? 1 : 0;
    output[row] = better < k;
  }
}

}  // namespace

MYCEL_OP(in_top_k)
    .names({.primitive = "InTopK", .function = "intopk"})
    .doc(
        "Whether the target class is among the k best of each row; ties at the border count as in.")
    .input("x1", "Scores, one row per sample.", kFloating)
    .input("x2", "Target classes.", kIndex)
    .attribute("k", "How many are good enough.", required(AttributeType::Int))
    .output("output", "bool, one per row.")
    .infer([](InferContext& op) {
      const Shape& shape = op.input(0).shape;
      op.require(shape.size() == 2 && op.input(1).shape == Shape{shape[0]}, ErrorKind::Value,
                 "'x1' must have two axes and 'x2' one of the same first length, but got ", shape,
                 " and ", op.input(1).shape, ".");
      op.set_output(0, DType::Bool, op.input(1).shape);
    })
    .not_differentiable()
    .sample("rows", {normal({4, 5}), integers({4}, 0, 5)}, {{"k", 2}});

MYCEL_CPU_KERNEL(in_top_k) {
  const Tensor scores = kernel.dense(0);
  const Tensor targets = kernel.dense(1);
  with_float_type(scores.dtype(), [&]<class T>() {
    with_integer_type(targets.dtype(), [&]<class Index>() {
      in_top_k_rows<T, Index>(scores, targets, kernel.integer("k"), kernel.output(0).data<bool>());
    });
  });
}

MYCEL_ONNX(TopK, "X K.numbers") {
  ValueList found = call.call_all("topk", {call.tensor("X")},
                                  {{"k", call.integer("K")},
                                   {"dim", call.integer("axis", -1)},
                                   {"largest", call.flag("largest", true)}});
  found[1] = call.cast(found[1], DType::Int64);
  return found;
}

MYCEL_WRITES_MINDIR(topk) {
  const std::int64_t rank = call.rank_of();
  if (rank == 0) return std::vector{call.input(), call.number(0, DType::Int32)};
  const std::int64_t count = call.integer("k");
  const IntList order = others_first(rank, {call.axis("dim", rank)});
  const auto x = searched(call).transpose(order);
  std::vector<mindir::Symbol> found;
  if (call.flag("largest")) {
    const Shape shape = with_size(x.shape(), rank - 1, count);
    const std::vector<TensorSpec> types{{x.dtype(), shape}, {DType::Int32, shape}};
    found = x.several("TopK", {mindir::Plain(count)}, types, {{"sorted", true}});
  } else {
    found = sorted(x, rank - 1, false);
    const auto first = mindir::Table::positions(count);
    for (auto& part : found) part = part.take(first, rank - 1);
  }
  for (auto& part : found) part = part.transpose(undone(order));
  return found;
}

MYCEL_WRITES_ONNX(topk) {
  const std::int64_t rank = call.rank_of();
  const std::int64_t axis = call.is_none("dim") ? rank - 1 : call.axis("dim", rank);
  return best(call, call.integer("k"), axis, call.flag("largest"));
}

}  // namespace mycel::ops
