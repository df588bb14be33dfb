// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "formats/program/graph.h"

namespace mycel::formats::mindir {

// Files keep a convolution and its bias as two primitives. Operators that add a bias in their own
// walk are given it, so that a network computes, bit by bit, what the one it was written from does.
void join_biases(std::span<const std::unique_ptr<Graph>> graphs);

}  // namespace mycel::formats::mindir
