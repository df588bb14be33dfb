// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eager/tape.h"

namespace mycel::eager {

class GradientCall;

// What this thread records. Private to eager/.
struct TapeState {
  Ref<Scope> scope;
  int level = 0;                      // gradient calls under way
  int parts = 0;                      // those among them that only belong to another one
  GradientCall* innermost = nullptr;  // of those
  bool recording = false;
  std::uint64_t next_sequence = 1;
};

extern thread_local TapeState tape_state;

// Bit per input whose value the gradient of a call reads.
std::uint32_t inputs_to_keep(const Node& node);

// Remembers where an output lies that is not its whole storage.
void note_layout(Node& node, std::uint32_t output, const Tensor& tensor);

}  // namespace mycel::eager
