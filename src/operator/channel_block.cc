// SPDX-License-Identifier: Apache-2.0
#include "operator/channel_block.h"

#include <array>

#include "device/backend.h"

namespace mycel::op {
namespace {

std::array<std::int64_t, device::kMaxBackends>& blocks() {
  static std::array<std::int64_t, device::kMaxBackends> instance{};
  return instance;
}

}  // namespace

std::int64_t channel_block(int backend) { return blocks()[static_cast<std::size_t>(backend)]; }

void set_channel_block(int backend, std::int64_t block) {
  blocks()[static_cast<std::size_t>(backend)] = block;
}

}  // namespace mycel::op
