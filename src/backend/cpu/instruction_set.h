// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/processor/processor.h"

namespace mycel::backend {

// Whether the machine runs the loops compiled for AVX-512 (x86-64-v4); otherwise those for AVX2.
inline bool has_avx512() {
  static const bool has = platform::processor().has_avx512();
  return has;
}

}  // namespace mycel::backend
