// SPDX-License-Identifier: Apache-2.0
#include "capture/sink_loop.h"

#include <chrono>

namespace mycel::capture {

namespace {

constexpr std::chrono::milliseconds kLongestWait(50);  // until the user is heard

// False at the end of an epoch.
bool pull(Interpreter& interpreter, tensor::TensorStream& stream, std::vector<Tensor>& row) {
  bool is_ready = false;
  while (!is_ready) {
    {
      const Pause pause(interpreter);
      is_ready = stream.wait(kLongestWait);
    }
    interpreter.attend();
  }
  const Pause pause(interpreter);
  return stream.next(row);
}

}  // namespace

SinkResult run_stream(TraceCache& cache, tensor::TensorStream& stream, std::size_t steps) {
  SinkResult result;
  std::vector<Tensor> row;
  for (; result.steps < steps && pull(cache.interpreter(), stream, row); ++result.steps) {
    Outcome outcome = cache.run_row(row);
    if (outcome.kind != Outcome::Kind::Done) {
      result.left = std::move(row);
      if (outcome.kind == Outcome::Kind::Paused) result.paused = std::move(outcome);
      break;
    }
    result.last = std::move(outcome.run);
    cache.interpreter().attend();
  }
  return result;
}

}  // namespace mycel::capture
