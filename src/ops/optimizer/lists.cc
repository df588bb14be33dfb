// SPDX-License-Identifier: Apache-2.0
// What training asks of all gradients at once: are they finite, how long are they, make them
// longer.
#include <atomic>
#include <bit>
#include <limits>

#include "ops/optimizer/updates.h"
#include "ops/reduce/mindir_reductions.h"

namespace mycel::ops {
namespace {

// The bits that are all set in infinities and what is not a number, and nowhere else.
template <class T>
constexpr auto exponent_bits() {
  if constexpr (sizeof(T) == 8) return std::uint64_t{0x7FF0000000000000};
  if constexpr (sizeof(T) == 4) return std::uint32_t{0x7F800000};
  if constexpr (sizeof(T) == 2) return std::uint16_t{std::is_same_v<T, Float16> ? 0x7C00 : 0x7F80};
}

template <class T>
bool is_all_finite(const T* data, std::int64_t begin, std::int64_t end) {
  constexpr auto mask = exponent_bits<T>();
  using Bits = std::remove_const_t<decltype(mask)>;
  Bits found = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    const auto bits = static_cast<Bits>(std::bit_cast<Bits>(data[i]) & mask);
    found = static_cast<Bits>(found | (bits == mask ? 1 : 0));
  }
  return found == 0;
}

std::vector<Tensor> dense_tensors(const KernelContext& kernel, std::size_t first,
                                  Offsets& offsets) {
  std::vector<Tensor> dense;
  for (std::size_t i = first; i < kernel.input_count(); ++i) {
    dense.push_back(kernel.dense(i));
    offsets.add(dense.back().size());
  }
  return dense;
}

template <class T>
double sum_of_squares(const T* data, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kLanes = 16;
  std::array<double, kLanes> sums{};
  std::int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    for (std::int64_t k = 0; k < kLanes; ++k) {
      const auto x = static_cast<double>(static_cast<Accumulator<T>>(data[i + k]));
      sums[static_cast<std::size_t>(k)] += x * x;
    }
  }
  double total = 0;
  for (; i < end; ++i) {
    const auto x = static_cast<double>(static_cast<Accumulator<T>>(data[i]));
    total += x * x;
  }
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace

MYCEL_OP(are_all_finite)
    .doc("Whether every element of every tensor is finite.")
    .numpy("np.array(all(np.isfinite(t).all() for t in tensors))")
    .variadic_input("tensors", "The tensors.", kReal)
    .output("output", "One bool.")
    .infer([](InferContext& op) { op.set_output(0, DType::Bool, {}); })
    .not_differentiable()
    .sample("finite", {normal({3, 4}), normal({}), normal({0})})
    .sample("infinite", {normal({2}), values({2}, {1, std::numeric_limits<double>::infinity()})})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(are_all_finite) {
  Offsets offsets;
  const std::vector<Tensor> dense = dense_tensors(kernel, 0, offsets);
  std::atomic<bool> finite = true;
  platform::parallel_for(offsets.total(), 1, [&](std::int64_t begin, std::int64_t end) {
    offsets.split(begin, end, [&](std::size_t i, std::int64_t from, std::int64_t to) {
      if (!is_floating(dense[i].dtype()) || !finite.load(std::memory_order_relaxed)) return;
      with_float_type(dense[i].dtype(), [&]<class T>() {
        if (!is_all_finite(dense[i].data<T>(), from, to)) finite = false;
      });
    });
  });
  *kernel.output(0).data<bool>() = finite;
}

MYCEL_OP(scale_all)
    .doc("All tensors, multiplied by a number.")
    .input("factor", "The number.", kReal)
    .variadic_input("tensors", "The tensors.", kFloating)
    .variadic_output("outputs", "As many, of the same shapes and types.")
    .infer([](InferContext& op) {
      op.require(element_count(op.input(0).shape) == 1, ErrorKind::Value,
                 "'factor' must be one number, but got shape ", op.input(0).shape, ".");
      for (std::size_t i = 1; i < op.input_count(); ++i) op.set_output(i - 1, op.input(i));
    })
    .not_differentiable()
    .sample("two", {number(0.5), normal({3, 4}), normal({5})})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(scale_all) {
  const double factor = number_in(kernel, 0);
  Offsets offsets;
  const std::vector<Tensor> dense = dense_tensors(kernel, 1, offsets);
  platform::parallel_for(offsets.total(), 1, [&](std::int64_t begin, std::int64_t end) {
    offsets.split(begin, end, [&](std::size_t i, std::int64_t from, std::int64_t to) {
      with_float_type(dense[i].dtype(), [&]<class T>() {
        const T* const source = dense[i].data<T>();
        T* const target = kernel.output(i).data<T>();
        const auto by = static_cast<Accumulator<T>>(factor);
#pragma GCC ivdep
        for (std::int64_t k = from; k < to; ++k)
          target[k] = static_cast<T>(static_cast<Accumulator<T>>(source[k]) * by);
      });
    });
  });
}

MYCEL_OP(sum_of_all_squares)
    .doc("The sum of the squares of all elements of all tensors.")
    .numpy("np.array(sum(np.square(t.astype(np.float64)).sum() for t in tensors), np.float32)")
    .variadic_input("tensors", "The tensors.", kFloating)
    .output("output", "One float32.")
    .infer([](InferContext& op) { op.set_output(0, DType::Float32, {}); })
    .not_differentiable()
    .sample("two", {normal({3, 4}), normal({50})})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(sum_of_all_squares) {
  Offsets offsets;
  const std::vector<Tensor> dense = dense_tensors(kernel, 0, offsets);
  // The same pieces whatever the number of threads, so that the sum is the same too.
  constexpr std::int64_t kPiece = 65536;
  std::vector<double> sums(static_cast<std::size_t>((offsets.total() + kPiece - 1) / kPiece));
  platform::parallel_for(
      static_cast<std::int64_t>(sums.size()), kPiece, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t piece = first; piece < last; ++piece) {
          const std::int64_t end = std::min((piece + 1) * kPiece, offsets.total());
          const auto add = [&](std::size_t i, std::int64_t from, std::int64_t to) {
            with_float_type(dense[i].dtype(), [&]<class T>() {
              sums[static_cast<std::size_t>(piece)] += sum_of_squares(dense[i].data<T>(), from, to);
            });
          };
          offsets.split(piece * kPiece, end, add);
        }
      });
  double total = 0;
  for (const double sum : sums) total += sum;
  *kernel.output(0).data<float>() = static_cast<float>(total);
}

MYCEL_WRITES_MINDIR(are_all_finite) {
  mindir::Symbol all;
  for (const auto& x : call.inputs()) {
    const auto is_finite = over_all(x.add("IsFinite", {}, {.dtype = DType::Bool}), "ReduceAll");
    all = all.defined() ? all.add("LogicalAnd", {is_finite}) : is_finite;
  }
  return all;
}

MYCEL_WRITES_MINDIR(sum_of_all_squares) {
  mindir::Symbol total;
  for (const auto& x : call.inputs(call.dtype())) {
    const auto sum = over_all(x.add("Square"), "ReduceSum");
    total = total.defined() ? total + sum : sum;
  }
  return total;
}

MYCEL_WRITES_MINDIR(scale_all) {
  std::vector<mindir::Symbol> scaled;
  for (std::size_t i = 1; i < call.operand_count(); ++i) {
    const auto x = call.input(i);
    scaled.push_back(x * call.input(0, call.dtype_of(i)));
  }
  return scaled;
}

}  // namespace mycel::ops
