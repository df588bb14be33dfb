// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/cpu/instruction_set.h"
#include "backend/cpu/loops/pool_loops.h"

namespace mycel::backend {

// Channels of a blocked activation that lie side by side, one vector of them: "lanes" below.
inline std::int64_t blocked_lanes() { return has_avx512() ? 16 : 8; }

// What normalisation does to a lane: (x - mean) * scale + shift, kept inside [0, upper] when
// `clamps`; an upper bound of NaN is none.
struct BlockedFactors {
  const float *mean, *scale, *shift;
  bool clamps;
  float upper;
};

// Loops over `rows` vectors of float32 lanes; factors and sums hold a value per lane.
struct BlockedLoops {
  // Joins the moments of x to those of `have` rows seen before.
  void (*moments)(const float* x, std::int64_t rows, std::int64_t have, float* mean,
                  float* squares);
  // The residual, unless null, is added before values are clamped.
  void (*normalize)(const float* x, const float* residual, float* y, std::int64_t rows,
                    const BlockedFactors& factors);
  // Adds the sums of dy and of dy * (x - mean).
  void (*gradient_sums)(const float* dy, const float* x, std::int64_t rows, const float* mean,
                        float* sum, float* product);
  // dx = a * dy + b * (x - mean) + c
  void (*gradient_apply)(const float* dy, const float* x, float* dx, std::int64_t rows,
                         const float* mean, const float* a, const float* b, const float* c);
  // The same two with dy counted only where nothing was clamped.
  void (*clamped_gradient_sums)(const float* dy, const float* x, std::int64_t rows,
                                const BlockedFactors& factors, float* sum, float* product);
  void (*clamped_gradient_apply)(const float* dy, const float* x, float* dx, std::int64_t rows,
                                 const BlockedFactors& factors, const float* a, const float* b,
                                 const float* c);

  // Square tiles of lanes by lanes, one after the other, to rows that are `stride` floats apart;
  // each tile is transposed and stands to the right of the one before.
  void (*lay_out_tiles)(const float* tiles, std::int64_t count, float* rows, std::int64_t stride);

  // One plane of vectors each. indices: cell of the maximum, per lane.
  void (*max_pool)(const PoolWindow& window, const float* x, float* y, std::int32_t* indices);
  void (*scatter)(const float* values, const std::int32_t* cells, std::int64_t count, float* plane);
  void (*average_pool)(const PoolWindow& window, const float* x, float* y);
  void (*average_pool_gradient)(const PoolWindow& window, const float* dy, float* dx);
};

namespace avx2 {
extern const BlockedLoops blocked_loops;
}
namespace avx512 {
extern const BlockedLoops blocked_loops;
}

inline const BlockedLoops& blocked_loops() {
  return has_avx512() ? avx512::blocked_loops : avx2::blocked_loops;
}

}  // namespace mycel::backend
