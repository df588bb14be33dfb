// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "formats/program/interpreter.h"
#include "formats/program/loop_heads.h"

namespace mycel::formats {

// Lets the one who writes a program down see its loops, which are calls of graphs there.
class WrittenLoops final : public Interpreter::Watcher {
 public:
  WrittenLoops(Interpreter& interpreter, LoopMaker& maker)
      : interpreter_(interpreter), maker_(maker) {}

  Instead enter(FrameRef frame, const std::vector<Interpreter::Caller>& callers,
                bool is_inner) override;

 private:
  struct Loop;
  Instead made(const Loop& loop, const std::vector<Interpreter::Caller>& callers);
  Datum decided(const FrameRef& frame);
  Datum run_inside(FrameRef frame, const Graph* around);

  FrameRef frame_with(const Loop& loop, std::span<const Datum> values);
  FrameRef asked(const Loop& loop, std::span<const Datum> values);
  FrameRef chosen(const FrameRef& frame, bool answer);
  Datum test(const Loop& loop, std::span<const Datum> values);
  LoopMaker::TurnEnd turn(const Loop& loop, std::span<const Datum> values);

  Interpreter& interpreter_;
  LoopMaker& maker_;
  std::vector<const Graph*> around_;  // null: something from which no turn can be ended
  FrameRef first_;                    // of a head, that a turn begins with
};

}  // namespace mycel::formats
