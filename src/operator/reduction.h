// SPDX-License-Identifier: Apache-2.0
// Operators that make one element of many, as passes and devices see them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "tensor/dtype.h"

namespace mycel::op {

enum class ReduceKind : std::uint8_t { Sum, Mean, Prod, Max, Min, All, Any };

constexpr std::string_view name_of(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::Sum: return "sum";
    case ReduceKind::Mean: return "mean";
    case ReduceKind::Prod: return "product";
    case ReduceKind::Max: return "max";
    case ReduceKind::Min: return "min";
    case ReduceKind::All: return "all";
    case ReduceKind::Any: return "any";
  }
  return "?";
}

// What an operator says of itself (Traits::reduces).
struct Reduction {
  ReduceKind kind = ReduceKind::Sum;
  std::string_view axes = {};  // the attribute that lists them; empty: it is no reduction
};

// What elements are brought into before they are put together: sums and products are kept in the
// type of the result, 16-bit floats in float32, integers in 64 bits.
constexpr tensor::DType accumulation_type(ReduceKind kind, tensor::DType input,
                                          tensor::DType output) {
  const auto whole_float = [](tensor::DType dtype) {
    return tensor::is_half(dtype) ? tensor::DType::Float32 : dtype;
  };
  if (kind == ReduceKind::All || kind == ReduceKind::Any) return tensor::DType::Bool;
  if (kind == ReduceKind::Max || kind == ReduceKind::Min) return whole_float(input);
  const bool is_real = tensor::is_floating(output) || tensor::is_complex(output);
  return is_real ? whole_float(output) : tensor::DType::Int64;
}

class ReduceSet {
 public:
  constexpr ReduceSet() = default;
  constexpr ReduceSet(std::initializer_list<ReduceKind> kinds) {
    for (const ReduceKind kind : kinds) bits_ |= bit(kind);
  }
  constexpr bool contains(ReduceKind kind) const { return (bits_ & bit(kind)) != 0; }

 private:
  static constexpr std::uint32_t bit(ReduceKind kind) { return 1U << static_cast<unsigned>(kind); }
  std::uint32_t bits_ = 0;
};

inline constexpr ReduceSet kAllReductions{ReduceKind::Sum, ReduceKind::Mean, ReduceKind::Prod,
                                          ReduceKind::Max, ReduceKind::Min,  ReduceKind::All,
                                          ReduceKind::Any};

}  // namespace mycel::op
