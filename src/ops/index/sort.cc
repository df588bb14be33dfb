// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "operator/define.h"
#include "ops/index/rows.h"
#include "ops/index/sort_keys.h"
#include "ops/reduce/mindir_reductions.h"
#include "ops/reduce/onnx_reductions.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

template <class Key>
struct Entry {
  Key key;
  std::uint32_t index;
};

template <class Key>
bool before(const Entry<Key>& a, const Entry<Key>& b) {
  return a.key != b.key ? a.key < b.key : a.index < b.index;
}

constexpr std::int64_t kSmall = 128;     // below, comparing beats counting
constexpr std::int64_t kLong = 1 << 15;  // from here on wide digits save a pass

// Least significant digit first; a pass whose digit is the same everywhere is skipped. The result
// ends up in `entries` or `spare`; returns which.
template <int kDigitBits, class Key>
Entry<Key>* radix_sort(Entry<Key>* entries, Entry<Key>* spare, std::int64_t count, int bits) {
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  constexpr int kMostPasses = (static_cast<int>(sizeof(Key)) * 8 + kDigitBits - 1) / kDigitBits;
  const int passes = (bits + kDigitBits - 1) / kDigitBits;
  std::array<std::array<std::uint32_t, kDigits>, kMostPasses> histograms{};
  for (std::int64_t i = 0; i < count; ++i) {
    const Key key = entries[i].key;
    for (int pass = 0; pass < passes; ++pass) {
      ++histograms[static_cast<std::size_t>(pass)][(key >> (pass * kDigitBits)) & (kDigits - 1)];
    }
  }
  for (int pass = 0; pass < passes; ++pass) {
    auto& histogram = histograms[static_cast<std::size_t>(pass)];
    const int shift = pass * kDigitBits;
    if (histogram[(entries[0].key >> shift) & (kDigits - 1)] == count) continue;
    std::uint32_t start = 0;
    for (std::uint32_t& bucket : histogram) {
      const std::uint32_t size = bucket;
      bucket = start;
      start += size;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      spare[histogram[(entries[i].key >> shift) & (kDigits - 1)]++] = entries[i];
    }
    std::swap(entries, spare);
  }
  return entries;
}

template <class Key>
Entry<Key>* sort_alone(Entry<Key>* entries, Entry<Key>* spare, std::int64_t count, int bits) {
  if (count < kSmall) {
    std::sort(entries, entries + count, before<Key>);
    return entries;
  }
  return count < kLong ? radix_sort<8>(entries, spare, count, bits)
                       : radix_sort<11>(entries, spare, count, bits);
}

// Merges two sorted neighbours of `from` into `to`; ties go to the first, which has smaller
// indices.
template <class Key>
void merge_runs(const Entry<Key>* from, Entry<Key>* to, std::int64_t begin, std::int64_t middle,
                std::int64_t end) {
  std::merge(from + begin, from + middle, from + middle, from + end, to + begin, before<Key>);
}

// One long line on several threads: runs are sorted apart, then merged in rounds.
template <class Key>
Entry<Key>* sort_long(Entry<Key>* entries, Entry<Key>* spare, std::int64_t count, int bits,
                      std::int64_t runs) {
  const auto edge = [&](std::int64_t run) { return count * std::min(run, runs) / runs; };
  platform::parallel_for(runs, count / runs, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t run = first; run < last; ++run) {
      Entry<Key>* const begin = entries + edge(run);
      Entry<Key>* const sorted =
          sort_alone(begin, spare + edge(run), edge(run + 1) - edge(run), bits);
      if (sorted != begin) std::copy(sorted, sorted + (edge(run + 1) - edge(run)), begin);
    }
  });
  for (std::int64_t width = 1; width < runs; width *= 2) {
    const std::int64_t pairs = (runs + 2 * width - 1) / (2 * width);
    platform::parallel_for(
        pairs, 2 * width * (count / runs), [&](std::int64_t first, std::int64_t last) {
          for (std::int64_t pair = first; pair < last; ++pair) {
            const std::int64_t run = pair * 2 * width;
            merge_runs(entries, spare, edge(run), edge(run + width), edge(run + 2 * width));
          }
        });
    std::swap(entries, spare);
  }
  return entries;
}

template <class Key>
Entry<Key>* sort_entries(Entry<Key>* entries, Entry<Key>* spare, std::int64_t count, int bits,
                         bool alone) {
  const std::int64_t threads = platform::compute_threads();
  if (alone && threads > 1 && count >= 1 << 16)
    return sort_long(entries, spare, count, bits, threads);
  return sort_alone(entries, spare, count, bits);
}

// Lines along an axis of a dense tensor: element k of line (outer, inner) is at outer*size*inner +
// k*inner.
struct Lines {
  std::int64_t outer, size, inner;
  std::int64_t count() const { return outer * inner; }
  std::int64_t start(std::int64_t line) const { return line / inner * size * inner + line % inner; }
};

template <class T>
void sort_lines(const Lines& lines, bool descending, const T* input, T* sorted,
                std::int32_t* indices) {
  using Key = typename SortKey<T>::Type;
  const bool alone = lines.count() < platform::compute_threads();
  const auto sort_range = [&](std::int64_t begin, std::int64_t end) {
    const auto size = static_cast<std::size_t>(lines.size);
    // From the pool: fresh memory of the system would cost more than a pass of the sort.
    const Tensor scratch = Tensor::empty(
        Shape{static_cast<std::int64_t>(2 * size * sizeof(Entry<Key>))}, DType::UInt8);
    auto* const entries = static_cast<Entry<Key>*>(scratch.raw());
    for (std::int64_t line = begin; line < end; ++line) {
      const std::int64_t start = lines.start(line);
      for (std::int64_t k = 0; k < lines.size; ++k) {
        entries[static_cast<std::size_t>(k)] = {
            SortKey<T>::of(input[start + k * lines.inner], descending),
            static_cast<std::uint32_t>(k)};
      }
      const Entry<Key>* const result =
          sort_entries(entries, entries + size, lines.size, SortKey<T>::kBits, alone);
      for (std::int64_t k = 0; k < lines.size; ++k) {
        const std::uint32_t from = result[k].index;
        sorted[start + k * lines.inner] =
            input[start + static_cast<std::int64_t>(from) * lines.inner];
        indices[start + k * lines.inner] = static_cast<std::int32_t>(from);
      }
    }
  };
  if (alone)
    sort_range(0, lines.count());
  else
    platform::parallel_for(lines.count(), lines.size * 8, sort_range);
}

}  // namespace

MYCEL_OP(sort)
    .names({.primitive = "Sort", .function = "sort", .method = "sort"})
    .doc(
        "Sorts along an axis. Equal elements keep their order; NaN counts as larger than any "
        "number.")
    .input("input_x", "Real numbers.", kReal | kBool)
    .attribute("axis", "The axis.", -1)
    .attribute("descending", "Largest first.", false)
    .output("values", "The sorted elements.")
    .output("indices", "int32: where each of them was.")
    .infer([](InferContext& op) {
      const std::int64_t axis = op.normalize_axis("axis", op.input(0).rank());
      const Shape& shape = op.input(0).shape;
      const std::int64_t size = shape.empty() ? 1 : shape[static_cast<std::size_t>(axis)];
      op.require(size <= INT32_MAX, ErrorKind::Value, "an axis of length ", size,
                 " is too long for int32 indices.");
      op.set_output(0, op.input(0).dtype, shape);
      op.set_output(1, DType::Int32, shape);
    })
    .gradient([](GradientContext& op) {
      const Value zeros = op.call(
          "fill", {}, {{"shape", op.input_shape(0)}, {"value", 0}, {"dtype", op.input_dtype(0)}});
      op.set_input_gradient(
          0, op.call("tensor_scatter_elements", {zeros, op.output(1), op.output_gradient(0)},
                     {{"axis", op.attribute("axis")}, {"reduction", "add"}}));
    })
    .keeps({"indices"})
    .numpy(
        "(np.sort(input_x, axis), np.argsort(input_x, axis, kind='stable')) if not descending else "
        "(np.flip(np.sort(input_x, axis), axis), (input_x.shape[axis] - 1) - "
        "np.flip(np.argsort(np.flip(input_x, "
        "axis), axis, kind='stable'), axis))")
    .sample("rows", {normal({3, 5})})
    .sample("columns, descending", {normal({4, 2})}, {{"axis", 0}, {"descending", true}})
    .sample("long", {normal({700})})
    .sample("nothing", {normal({2, 0})})
    .sample_dtypes(kReal);

MYCEL_CPU_KERNEL(sort) {
  const Tensor input = kernel.dense(0);
  if (input.size() == 0) return;
  const Shape& shape = input.shape();
  const auto axis = static_cast<std::size_t>(kernel.integer("axis"));
  const Lines lines = shape.empty() ? Lines{1, 1, 1}
                                    : Lines{span_of(shape, 0, axis), shape[axis],
                                            span_of(shape, axis + 1, shape.size())};
  with_real_type(input.dtype(), [&]<class T>() {
    sort_lines<T>(lines, kernel.flag("descending"), input.data<T>(), kernel.output(0).data<T>(),
                  kernel.output(1).data<std::int32_t>());
  });
}

MYCEL_OP(argsort)
    .names({.function = "argsort", .method = "argsort"})
    .doc("The indices that sort a tensor along an axis.")
    .input("input", "Real numbers.", kReal | kBool)
    .attribute("axis", "The axis.", -1)
    .attribute("descending", "Largest first.", false)
    .output("output", "int32.")
    .numpy("np.argsort(input, axis, kind='stable').reshape(input.shape)")
    .composite([](CompositeContext& op) {
      op.set_output(
          0, op.call_all("sort", {op.input(0)},
                         {{"axis", op.integer("axis")}, {"descending", op.flag("descending")}})[1]);
    })
    .sample("rows", {normal({3, 5})})
    .sample_dtypes(kReal);

MYCEL_OP(msort)
    .names({.function = "msort", .method = "msort"})
    .doc("Sorts along the first axis.")
    .input("input", "Real numbers.", kReal | kBool)
    .output("output", "The sorted elements.")
    .numpy("np.sort(input, 0)")
    .composite([](CompositeContext& op) {
      op.set_output(0, op.call_all("sort", {op.input(0)}, {{"axis", 0}})[0]);
    })
    .sample("columns", {normal({4, 3})})
    .sample_dtypes(kReal);

MYCEL_WRITES_MINDIR(sort) {
  if (call.rank() == 0) return std::vector{call.input(), call.number(0, DType::Int32)};
  return sorted(searched(call), call.axis("axis", call.rank()), call.flag("descending"));
}

MYCEL_WRITES_ONNX(sort) {
  const std::int64_t axis = call.axis("axis", call.rank());
  const std::int64_t count = call.rank() == 0 ? 1 : call.shape()[static_cast<std::size_t>(axis)];
  return best(call, count, axis, call.flag("descending"));
}

}  // namespace mycel::ops
