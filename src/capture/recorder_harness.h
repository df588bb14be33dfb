// SPDX-License-Identifier: Apache-2.0
// What tests of the recorder share: calls, and runs of a function under a recorder.
#pragma once

#include "capture/recorder.h"
#include "eager/dispatch.h"
#include "platform/error/error.h"
#include "tensor/test_tensors.h"

namespace mycel::capture::testing {

using op::Value;
using tensor::DType;

using tensor::testing::floats;
using tensor::testing::values_of;

inline Tensor call(const char* name, std::initializer_list<Tensor> inputs) {
  std::vector<Value> values;
  for (const Tensor& input : inputs) values.emplace_back(&eager::emitter(), input);
  return eager::emitter().call_all(name, values, {}).front().tensor();
}

inline std::shared_ptr<runtime::Executable> compile(std::unique_ptr<ir::Graph> graph) {
  ir::verify(*graph);
  return std::make_shared<runtime::Executable>(std::move(graph));
}

inline ir::Position somewhere() { return {"test.py", 1}; }

// The ways through one function.
struct Trace {
  std::shared_ptr<Ways> ways;

  Run run(const std::vector<Tensor>& inputs) const {
    Run run;
    for (const Tensor& input : inputs) run.values.push_back(argument_memory(input));
    run.ways = ways;
    if (ways) run.replay();
    return run;
  }
};

// Runs `function` under a recorder, going on from what a replay has done.
template <class Function>
std::vector<Tensor> record(Trace& trace, const std::vector<Tensor>& inputs,
                           const Function& function) {
  Recorder recorder(trace.run(inputs), inputs, compile, somewhere, "f");
  std::vector<Tensor> stand_ins;
  for (std::size_t i = 0; i < inputs.size(); ++i) stand_ins.push_back(recorder.argument(i));
  std::vector<Tensor> results = function(stand_ins);
  recorder.finish(results, nullptr);
  trace.ways = recorder.run().ways;
  return results;
}

inline std::vector<Tensor> replay(Trace& trace, const std::vector<Tensor>& inputs) {
  const Run run = trace.run(inputs);
  platform::require(run.last->end == Step::End::Return, platform::ErrorKind::Internal,
                    "the replay met something new");
  std::vector<Tensor> results;
  for (const Place& place : run.last->returned) results.push_back(place.in(run.values));
  return results;
}

}  // namespace mycel::capture::testing
