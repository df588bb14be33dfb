// SPDX-License-Identifier: Apache-2.0
// Runs stored programs. Calls do not nest, and a call that ends a graph leaves nothing behind.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "formats/program/graph.h"

namespace mycel::formats {

// Values of one run of a graph.
struct Frame {
  Frame(const Graph& of, std::shared_ptr<Frame> around)
      : graph(&of), parent(std::move(around)), values(of.slot_count), end(of.steps.size()) {}
  const Graph* graph;
  std::shared_ptr<Frame> parent;
  std::vector<Datum> values;
  std::size_t position = 0;
  std::size_t end;  // step before which it stops
};
using FrameRef = std::shared_ptr<Frame>;

// A graph with the frame it lies in and arguments it has already.
class Closure final : public op::Opaque {
 public:
  Closure(const Graph& graph, FrameRef frame, std::vector<Datum> bound = {})
      : graph_(graph), frame_(std::move(frame)), bound_(std::move(bound)) {}
  std::string_view kind() const override { return "function"; }
  Datum bind(std::span<const Datum> arguments) const;  // the same with more arguments
  FrameRef enter(std::span<const Datum> arguments) const;

 private:
  const Graph& graph_;
  FrameRef frame_;
  std::vector<Datum> bound_;
};

class Interpreter {
 public:
  // A frame that goes on after another, and where it wants the result.
  struct Caller {
    FrameRef frame;
    std::size_t slot;
  };
  // Looks at frames before they run.
  class Watcher {
   public:
    virtual ~Watcher() = default;
    // The frame that runs instead; or none, and what it gives. `is_inner`: the last caller goes on
    // after this frame alone.
    struct Instead {
      FrameRef frame;
      Datum result;
    };
    virtual Instead enter(FrameRef frame, const std::vector<Caller>& callers, bool is_inner) = 0;
  };

  Interpreter(Host& host, std::span<const op::Value> parameters)
      : host_(host), parameters_(parameters) {}
  // Frames and what they hold may refer to each other; nothing of them outlives the run.
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  Host& host() const { return host_; }
  Datum run(const Graph& graph, std::span<const Datum> arguments, Watcher* watcher);
  // None for a frame that is to stop earlier.
  Datum run(FrameRef frame, Watcher* watcher);
  Datum fetch(const Source& source, const FrameRef& frame) const;
  FrameRef make_frame(const Graph& graph, FrameRef parent);
  FrameRef noted(FrameRef frame);

 private:
  FrameRef next_frame(const FrameRef& frame, std::vector<Caller>& callers);
  Datum result_of(const FrameRef& frame) const;
  void require_depth(std::size_t depth, const Graph& graph) const;

  Host& host_;
  std::span<const op::Value> parameters_;
  std::vector<std::weak_ptr<Frame>> frames_;
  std::size_t frames_after_cleaning_ = 0;
};

}  // namespace mycel::formats
