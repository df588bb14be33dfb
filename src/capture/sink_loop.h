// SPDX-License-Identifier: Apache-2.0
// Many calls of a captured function without the interpreter in between.
#pragma once

#include <optional>
#include <vector>

#include "capture/trace_cache.h"
#include "tensor/tensor_stream.h"

namespace mycel::capture {

struct SinkResult {
  std::size_t steps = 0;                    // that were done
  Run last;                                 // the run of the last of them
  std::optional<std::vector<Tensor>> left;  // a row that the interpreter has to run
  std::optional<Outcome> paused;            // what was computed of that already
};

// Runs a function for the rows of a stream as long as nothing new turns up, to the end of an epoch
// at most. Others may use the interpreter while a row is awaited; the user may end the loop then,
// and after every step.
SinkResult run_stream(TraceCache& cache, tensor::TensorStream& stream, std::size_t steps);

}  // namespace mycel::capture
