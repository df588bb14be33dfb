// SPDX-License-Identifier: Apache-2.0
// Lanes of vectors in another order, in the words that GCC and Clang share.
#pragma once

#include <utility>

namespace mycel::backend::MYCEL_ISA {

// Lane i is the one with the number `Choose{}(i)`; those of `second` are counted after those of
// `first`.
template <class V, class Choose>
V shuffled(const V& first, const V& second, Choose /*choose*/) {
  constexpr int kCount = sizeof(V) / sizeof(first[0]);
  return [&]<int... kLane>(std::integer_sequence<int, kLane...>)->V {
    return __builtin_shufflevector(first, second, Choose{}(kLane)...);
  }
  (std::make_integer_sequence<int, kCount>());
}

}  // namespace mycel::backend::MYCEL_ISA
