// SPDX-License-Identifier: Apache-2.0
#include "formats/program/interpreter.h"

#include <algorithm>
#include <utility>

#include "platform/error/error.h"

namespace mycel::formats {

using platform::ErrorKind;

Datum Closure::bind(std::span<const Datum> arguments) const {
  std::vector<Datum> bound = bound_;
  bound.insert(bound.end(), arguments.begin(), arguments.end());
  return Datum(std::make_shared<Closure>(graph_, frame_, std::move(bound)));
}

FrameRef Closure::enter(std::span<const Datum> arguments) const {
  const std::size_t given = bound_.size() + arguments.size();
  platform::require(given == graph_.input_count, ErrorKind::Runtime, "The graph '", graph_.name,
                    "' takes ", graph_.input_count, " arguments, but got ", given, ".");
  auto frame = std::make_shared<Frame>(graph_, frame_);
  std::copy(bound_.begin(), bound_.end(), frame->values.begin());
  std::copy(arguments.begin(), arguments.end(),
            frame->values.begin() + static_cast<std::ptrdiff_t>(bound_.size()));
  return frame;
}

Interpreter::~Interpreter() {
  std::vector<Datum> values;  // go when no frame is looked at any more
  for (const std::weak_ptr<Frame>& weak : frames_) {
    if (const FrameRef frame = weak.lock()) {
      std::move(frame->values.begin(), frame->values.end(), std::back_inserter(values));
      frame->values.clear();
    }
  }
}

FrameRef Interpreter::noted(FrameRef frame) {
  frames_.push_back(frame);
  if (frames_.size() > 2 * frames_after_cleaning_ + 64) {
    std::erase_if(frames_, [](const std::weak_ptr<Frame>& one) { return one.expired(); });
    frames_after_cleaning_ = frames_.size();
  }
  return frame;
}

FrameRef Interpreter::make_frame(const Graph& graph, FrameRef parent) {
  return noted(std::make_shared<Frame>(graph, std::move(parent)));
}

namespace {

const FrameRef& above(const FrameRef& frame, int distance) {
  const FrameRef* found = &frame;
  for (; distance > 0; --distance) found = &(*found)->parent;
  return *found;
}

}  // namespace

Datum Interpreter::fetch(const Source& source, const FrameRef& frame) const {
  switch (source.kind) {
    case Source::Kind::Local: return frame->values[source.index];
    case Source::Kind::Constant: return source.value;
    case Source::Kind::Parameter: return Datum(parameters_[source.index]);
    case Source::Kind::Outer: return above(frame, source.distance)->values[source.index];
    case Source::Kind::Closure: break;
  }
  return Datum(std::make_shared<Closure>(
      *source.graph, source.distance < 0 ? FrameRef() : above(frame, source.distance)));
}

namespace {

// The same error, which also tells where it was.
[[noreturn]] void name_the_node(const platform::Error& error, const Step& step,
                                const Graph& graph) {
  platform::fail(error.kind(), error.message(), "\nIn the node '", step.name, "' of the graph '",
                 graph.name, "'.");
}

}  // namespace

// Runs a frame until it calls a graph, whose frame is given, or is at its end.
FrameRef Interpreter::next_frame(const FrameRef& frame, std::vector<Caller>& callers) {
  const Graph& graph = *frame->graph;
  std::vector<Datum> arguments;
  while (frame->position < frame->end) {
    const Step& step = graph.steps[frame->position++];
    const Datum callee = fetch(step.callee, frame);
    arguments.clear();
    for (const Source& source : step.operands) arguments.push_back(fetch(source, frame));
    for (const std::size_t slot : step.released) frame->values[slot] = Datum();
    if (const auto closure = callee.opaque<Closure>()) {
      if (!step.is_last) callers.push_back({frame, step.slot});
      return noted(closure->enter(arguments));
    }
    const auto function = callee.opaque<Function>();
    platform::require(function != nullptr, ErrorKind::Runtime, "The node '", step.name,
                      "' of the graph '", graph.name, "' calls ", callee.type_name(),
                      ", which is no function.");
    try {
      frame->values[step.slot] = function->call(arguments, host_);
    } catch (const platform::Error& error) {
      name_the_node(error, step, graph);
    }
  }
  return nullptr;
}

Datum Interpreter::result_of(const FrameRef& frame) const {
  const Graph& graph = *frame->graph;
  if (frame->end < graph.steps.size()) return {};
  if (graph.result.empty()) return frame->values[graph.steps.back().slot];
  if (graph.result.size() == 1) return fetch(graph.result[0], frame);
  std::vector<Datum> parts;
  parts.reserve(graph.result.size());
  for (const Source& source : graph.result) parts.push_back(fetch(source, frame));
  return Datum::tuple(std::move(parts));
}

void Interpreter::require_depth(std::size_t depth, const Graph& graph) const {
  platform::require(depth <= host_.deepest_call(), ErrorKind::Runtime,
                    "Exceed function call depth limit ", host_.deepest_call(), " in the graph '",
                    graph.name, "'; the limit is 'max_call_depth' of the context.");
}

namespace {

// What graphs inside read stays; everything else has been used.
void let_go(Frame& frame) {
  const std::vector<std::size_t>& kept = frame.graph->kept_by_inner;
  if (kept.empty()) {
    frame.values.clear();
    return;
  }
  for (std::size_t slot = 0; slot < frame.values.size(); ++slot)
    if (!std::ranges::binary_search(kept, slot)) frame.values[slot] = Datum();
}

}  // namespace

Datum Interpreter::run(FrameRef frame, Watcher* watcher) {
  std::vector<Caller> callers;
  FrameRef following = std::move(frame);
  FrameRef current;
  bool is_inner = false;
  while (true) {
    Datum result;
    if (following != nullptr) {
      host_.attend();
      require_depth(callers.size(), *following->graph);
      current = std::move(following);
      if (watcher != nullptr) {
        Watcher::Instead instead = watcher->enter(std::move(current), callers, is_inner);
        current = std::move(instead.frame);
        result = std::move(instead.result);
      }
    }
    const std::size_t depth = callers.size();
    following = current == nullptr ? nullptr : next_frame(current, callers);
    is_inner = callers.size() > depth;
    if (following != nullptr) continue;
    if (current != nullptr) {
      result = result_of(current);
      if (current->end == current->graph->steps.size()) let_go(*current);
    }
    if (callers.empty()) return result;
    current = std::move(callers.back().frame);
    current->values[callers.back().slot] = std::move(result);
    callers.pop_back();
  }
}

Datum Interpreter::run(const Graph& graph, std::span<const Datum> arguments, Watcher* watcher) {
  return run(noted(Closure(graph, nullptr).enter(arguments)), watcher);
}

Datum Host::call_foreign(const ForeignCall& call) {
  platform::fail(ErrorKind::NotImplemented, "The operator '", call.name,
                 "', which the file uses, is not available here.");
}

}  // namespace mycel::formats
