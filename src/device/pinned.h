// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/pool.h"

namespace mycel::device {

// Memory of the host that copies to and from a backend's devices reach without a detour. Buffers
// that are given back are kept, because pinning is slow. Null data: the backend has no such memory.
// Whoever gives a buffer back knows that no copy needs it any more. Thread-safe.
Block allocate_pinned(std::uint8_t backend, std::size_t bytes);
void release_pinned(std::uint8_t backend, const Block& block);
void empty_pinned_cache(std::uint8_t backend);

}  // namespace mycel::device
