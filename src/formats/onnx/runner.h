// SPDX-License-Identifier: Apache-2.0
// Runs graphs of ONNX files.
#pragma once

#include <span>
#include <vector>

#include "formats/onnx/graph.h"
#include "formats/program/host.h"

namespace mycel::formats::onnx {

// A value, and whether it is known before the network runs: it comes from the file or from shapes.
struct Held {
  Datum value;
  bool is_known = false;
};

class Runner {
 public:
  Runner(int opset, std::span<const op::Value> parameters, Host& host)
      : opset_(opset), parameters_(parameters), host_(host) {}

  std::vector<Held> run(const Graph& graph, std::vector<Held> inputs) {
    return run(graph, std::move(inputs), nullptr);
  }

 private:
  // Values of one run of a graph.
  struct Frame {
    Frame* around;
    std::vector<Held> values;
  };
  class WrittenLoop;
  using Inputs = std::span<const Held>;

  std::vector<Held> run(const Graph& graph, std::vector<Held> inputs, Frame* around);
  Held fetch(const Source& source, Frame& frame) const;
  std::vector<Held> results(const Step& step, Inputs inputs, Frame& frame);
  std::vector<Held> call(const Step& step, Inputs inputs);
  Datum computed(const Step& step, std::span<const Datum> arguments, bool is_known);

  std::vector<Held> choose(const Step& step, Inputs inputs, Frame& frame);
  std::vector<Held> loop(const Step& step, Inputs inputs, Frame& frame);
  std::vector<Held> turns(const Step& step, Inputs inputs, Frame& frame);
  std::vector<Held> scan(const Step& step, Inputs inputs, Frame& frame);
  std::vector<Held> function(const Step& step, Inputs inputs);

  Held number(std::int64_t value) const;
  Held flag(bool value) const;
  // The body of a loop with these inputs.
  std::vector<Held> body(const Step& step, std::vector<Held> inputs, Frame& frame);
  std::vector<Held> with_rows(const Step& step, std::vector<Held> states,
                              const std::vector<op::ValueList>& rows);

  int opset_;
  std::span<const op::Value> parameters_;
  Host& host_;
};

}  // namespace mycel::formats::onnx
