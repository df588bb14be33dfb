// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mycel::op {

// A blocked activation is a dense (N, C / block, H, W, block). The block a backend's kernels are
// written for, or 0 when it has none and activations are better left as they are.
std::int64_t channel_block(int backend);
void set_channel_block(int backend, std::int64_t block);

}  // namespace mycel::op
