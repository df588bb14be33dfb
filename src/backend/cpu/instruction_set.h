// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mycel::backend {

// Whether the machine runs the loops compiled for AVX-512 (x86-64-v4); otherwise those for AVX2.
inline bool has_avx512() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  return has;
}

}  // namespace mycel::backend
