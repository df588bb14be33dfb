// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tensor/dtype.h"

namespace mycel::ops {

// Unsigned integers that compare like the numbers they come from: NaN above everything, -0 equal
// to 0. Inverted for descending order, so that equal elements keep their order either way.
template <class T>
struct SortKey {
  static constexpr bool kWide = sizeof(T) == 8;
  using Type = std::conditional_t<kWide, std::uint64_t, std::uint32_t>;
  static constexpr int kBits = static_cast<int>(sizeof(T)) * 8;
  static constexpr Type kMask =
      kBits >= 64 ? ~Type{0} : static_cast<Type>((std::uint64_t{1} << kBits) - 1);

  static Type of(T value, bool descending) {
    const Type key = rising(value);
    return descending ? static_cast<Type>(~key & kMask) : key;
  }

 private:
  static Type rising(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value ? 1 : 0;
    } else if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>) {
      return static_cast<Type>(value);
    } else if constexpr (std::is_integral_v<T>) {
      return (static_cast<Type>(value) ^ (Type{1} << (kBits - 1))) & kMask;
    } else {
      return of_float(value);
    }
  }
  static Type of_float(T value) {
    using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, Type>;
    const auto bits = static_cast<Type>(std::bit_cast<Bits>(value));
    constexpr Type kSign = Type{1} << (kBits - 1);
    if (value != value) return kMask;
    if ((bits & ~kSign) == 0) return kSign;  // both zeros
    return (bits & kSign) != 0 ? (~bits & kMask) : (bits | kSign);
  }
};

}  // namespace mycel::ops
