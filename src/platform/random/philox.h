// SPDX-License-Identifier: Apache-2.0
// Philox 4x32-10: random numbers as a pure function of (seed, stream, offset), so that any number
// of threads, on any device, draw the same sequence without sharing state. J. Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <cmath>
#include <cstdint>

#ifdef __CUDACC__
#define MYCEL_ANY_DEVICE __host__ __device__
#else
#define MYCEL_ANY_DEVICE
#endif

namespace mycel::platform {

// Four independent words, all that one counter value gives.
struct RandomBlock {
  std::uint32_t word[4];
  MYCEL_ANY_DEVICE std::uint64_t pair(int i) const {  // i in {0, 1}
    return (static_cast<std::uint64_t>(word[2 * i + 1]) << 32) | word[2 * i];
  }
};

struct RandomPair {
  double first;
  double second;
};

MYCEL_ANY_DEVICE inline RandomBlock philox_round(const RandomBlock& in, std::uint32_t key0,
                                                 std::uint32_t key1) {
  const std::uint64_t a = std::uint64_t{0xD2511F53U} * in.word[0];
  const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * in.word[2];
  return {{static_cast<std::uint32_t>(b >> 32) ^ in.word[1] ^ key0, static_cast<std::uint32_t>(b),
           static_cast<std::uint32_t>(a >> 32) ^ in.word[3] ^ key1, static_cast<std::uint32_t>(a)}};
}

// The generator itself, on the 128-bit counter and 64-bit key of the publication.
MYCEL_ANY_DEVICE inline RandomBlock philox(RandomBlock counter, std::uint64_t key) {
  auto key0 = static_cast<std::uint32_t>(key);
  auto key1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    counter = philox_round(counter, key0, key1);
    key0 += 0x9E3779B9U;  // golden ratio
    key1 += 0xBB67AE85U;  // sqrt(3) - 1
  }
  return counter;
}

// Block number `offset` of the sequence that (seed, stream) names.
MYCEL_ANY_DEVICE inline RandomBlock random_block(std::uint64_t seed, std::uint64_t offset,
                                                 std::uint64_t stream = 0) {
  return philox({{static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(offset >> 32),
                  static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)}},
                seed);
}

// Uniform in [0, 1): every multiple of 2^-24, never 1.
MYCEL_ANY_DEVICE inline float uniform_float(std::uint32_t word) {
  return static_cast<float>(word >> 8) * 0x1p-24F;
}

// Uniform in [0, 1): every multiple of 2^-53, never 1.
MYCEL_ANY_DEVICE inline double uniform_double(std::uint64_t word) {
  return static_cast<double>(word >> 11) * 0x1p-53;
}

// Two independent standard normal numbers (Box-Muller). The first argument is moved from [0, 1) to
// (0, 1], where the logarithm is finite.
MYCEL_ANY_DEVICE inline RandomPair normal_pair(double u, double v) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - u));
  const double angle = 6.283185307179586476925 * v;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

// Two float normals from two words: 24 bits each.
MYCEL_ANY_DEVICE inline void normal_floats(std::uint32_t a, std::uint32_t b, float& first,
                                           float& second) {
  const float radius = std::sqrt(-2.0F * std::log(1.0F - uniform_float(a)));
  const float angle = 6.2831853F * uniform_float(b);
  first = radius * std::cos(angle);
  second = radius * std::sin(angle);
}

// A whole number in [0, bound), bound > 0. Multiply and shift: the bias is below bound / 2^64.
MYCEL_ANY_DEVICE inline std::uint64_t uniform_below(std::uint64_t word, std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(word) * bound) >> 64);
}

}  // namespace mycel::platform
