// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mycel::ops {

// Indices that count from the end, from the beginning, for rules for writing.
template <class Symbol, class Size>
Symbol from_zero(const Symbol& places, const Size& size) {
  const auto is_from_end = places < 0;
  return is_from_end.where(places + size, places);
}

}  // namespace mycel::ops
