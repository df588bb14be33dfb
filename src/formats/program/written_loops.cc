// SPDX-License-Identifier: Apache-2.0
#include "formats/program/written_loops.h"

#include <algorithm>
#include <utility>

#include "platform/error/error.h"

namespace mycel::formats {

using platform::ErrorKind;

namespace {

// A turn has ended with a call of the loop's head.
class HeadCalled final : public op::Opaque {
 public:
  explicit HeadCalled(FrameRef called) : frame(std::move(called)) {}
  std::string_view kind() const override { return "end of a turn"; }
  const FrameRef frame;
};

// Puts things back when a part of the program has been run, also by an error.
template <class Restore>
class AtEnd {
 public:
  explicit AtEnd(Restore restore) : restore_(std::move(restore)) {}
  ~AtEnd() { restore_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  Restore restore_;
};

std::string place_of(const Graph& graph) { return "the graph '" + graph.name + "':0"; }

}  // namespace

// One run of a loop.
struct WrittenLoops::Loop {
  LoopHead head;
  FrameRef first;
};

Interpreter::Watcher::Instead WrittenLoops::enter(FrameRef frame,
                                                  const std::vector<Interpreter::Caller>& callers,
                                                  bool is_inner) {
  const Graph& graph = *frame->graph;
  if (frame == first_) return {std::move(frame), {}};
  if (std::ranges::find(around_, &graph) != around_.end()) {
    const bool ends_turn = callers.empty() && around_.back() == &graph;
    if (!ends_turn && !maker_.needs_loops()) return {std::move(frame), {}};
    platform::require(
        ends_turn, ErrorKind::Runtime, "The graph '", graph.name,
        "' of the MindIR file calls itself before it ends, or from an inner loop; only loops whose "
        "turns follow each other can be written. Export the network itself instead of its MindIR "
        "file, with 'while' loops in the place of such calls.");
    return {nullptr, Datum(std::make_shared<HeadCalled>(std::move(frame)))};
  }
  std::optional<LoopHead> head = head_of(graph, around_);
  if (!head && is_inner && maker_.wants_choices()) return {nullptr, decided(frame)};
  if (!head) return {std::move(frame), {}};
  return made(Loop{std::move(*head), std::move(frame)}, callers);
}

Interpreter::Watcher::Instead WrittenLoops::made(const Loop& loop,
                                                 const std::vector<Interpreter::Caller>& callers) {
  std::vector<Datum> initial;
  for (const std::size_t place : loop.head.varying) initial.push_back(loop.first->values[place]);
  LoopMaker::Outcome outcome = maker_.make_loop(
      place_of(*loop.head.graph), initial,
      [&](std::span<const Datum> values) { return test(loop, values); },
      [&](std::span<const Datum> values) { return turn(loop, values); });
  if (!loop.head.is_asking || outcome.has_returned) return {nullptr, std::move(outcome.value)};
  return enter(chosen(asked(loop, outcome.last), !loop.head.turn_if), callers, false);
}

// What a call gives whose decisions, if there are any, do not matter to what follows it.
Datum WrittenLoops::decided(const FrameRef& frame) {
  return maker_.make_choice(place_of(*frame->graph), [&] {
    const FrameRef again = interpreter_.make_frame(*frame->graph, frame->parent);
    again->values = frame->values;
    return run_inside(again, nullptr);
  });
}

Datum WrittenLoops::run_inside(FrameRef frame, const Graph* around) {
  around_.push_back(around);
  FrameRef before = std::exchange(first_, frame->graph == around ? frame : nullptr);
  const AtEnd restore([&] {
    around_.pop_back();
    first_ = std::move(before);
  });
  return interpreter_.run(std::move(frame), this);
}

// A frame of the head with these values of what changes.
FrameRef WrittenLoops::frame_with(const Loop& loop, std::span<const Datum> values) {
  const Graph& graph = *loop.head.graph;
  FrameRef frame = interpreter_.make_frame(graph, loop.first->parent);
  std::copy_n(loop.first->values.begin(), graph.input_count, frame->values.begin());
  for (std::size_t i = 0; i < values.size(); ++i) frame->values[loop.head.varying[i]] = values[i];
  return frame;
}

// The same, which has run up to its choice.
FrameRef WrittenLoops::asked(const Loop& loop, std::span<const Datum> values) {
  FrameRef frame = frame_with(loop, values);
  frame->end = frame->graph->steps.size() - 2;
  run_inside(frame, loop.head.graph);
  return frame;
}

// What follows on an answer.
FrameRef WrittenLoops::chosen(const FrameRef& frame, bool answer) {
  const std::vector<Step>& steps = frame->graph->steps;
  const Step& choice = steps[steps.size() - 2];
  const Datum branch = interpreter_.fetch(choice.operands[answer ? 1 : 2], frame);
  std::vector<Datum> arguments;
  for (const Source& source : steps.back().operands)
    arguments.push_back(interpreter_.fetch(source, frame));
  const auto closure = branch.opaque<Closure>();
  platform::require(closure != nullptr, ErrorKind::Runtime, "The loop '", frame->graph->name,
                    "' goes on with ", branch.type_name(), ", which is no function.");
  return interpreter_.noted(closure->enter(arguments));
}

Datum WrittenLoops::test(const Loop& loop, std::span<const Datum> values) {
  if (!loop.head.is_asking) return Datum(true);
  const FrameRef frame = asked(loop, values);
  const Step& choice = frame->graph->steps[frame->graph->steps.size() - 2];
  Datum holds = interpreter_.fetch(choice.operands[0], frame);
  if (loop.head.turn_if) return holds;
  if (!holds.is_tensor()) return Datum(!op::truth_of(holds));
  op::Emitter& emitter = interpreter_.host().emitter();
  const op::Value mask = emitter.call("cast", {holds.tensor()}, {{"dtype", op::DType::Bool}});
  return Datum(emitter.call("logical_not", {mask}));
}

LoopMaker::TurnEnd WrittenLoops::turn(const Loop& loop, std::span<const Datum> values) {
  FrameRef start = loop.head.is_asking ? chosen(asked(loop, values), loop.head.turn_if)
                                       : frame_with(loop, values);
  Datum result = run_inside(std::move(start), loop.head.graph);
  const auto called = result.opaque<HeadCalled>();
  if (called == nullptr) return {true, std::move(result), {}};
  LoopMaker::TurnEnd end;
  for (const std::size_t place : loop.head.varying)
    end.next.push_back(called->frame->values[place]);
  return end;
}

}  // namespace mycel::formats
