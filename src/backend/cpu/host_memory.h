// SPDX-License-Identifier: Apache-2.0
// Where tensors of the host lie. A core that streams through memory in pages of 4 KiB reaches about
// three quarters of what it reaches in pages of 2 MiB, so everything but small blocks goes there:
// large ones have pages of their own, middling ones share them.
#pragma once

#include <cstddef>

namespace mycel::backend {

void* allocate_host_memory(std::size_t bytes);            // null: none left
void release_host_memory(void* data, std::size_t bytes);  // with the size that was asked for

}  // namespace mycel::backend
