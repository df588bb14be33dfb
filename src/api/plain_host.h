// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "api/region_loops.h"
#include "capture/recorder.h"
#include "eager/dispatch.h"
#include "eager/immediate.h"
#include "formats/program/host.h"
#include "runtime/attend.h"

namespace mycel::api {

// Runs stored networks where there is no Python. Without a recorder, loops and decisions go by
// values.
class PlainHost final : public formats::Host {
 public:
  PlainHost() : recorder_(capture::current_recorder()) {
    if (recorder_ != nullptr) loops_.emplace(*recorder_);
  }
  op::Emitter& emitter() override { return eager::emitter(); }
  formats::LoopMaker* loop_maker() override { return loops_ ? &*loops_ : nullptr; }
  bool keeps_shapes() const override { return false; }  // Model::Resize
  op::Datum compute_now(const std::function<op::Datum()>& work) override {
    const eager::Immediate now;
    return work();
  }
  // While a network is written down, every call of a graph takes memory.
  void attend() override {
    const bool is_written = recorder_ != nullptr && recorder_->is_active();
    platform::require(!is_written || ++written_calls_ <= kMostWrittenCalls,
                      platform::ErrorKind::Value, "The network calls its graphs more than ",
                      kMostWrittenCalls, " times outside of loops.");
    runtime::attend_between_turns();
  }

 private:
  static constexpr int kMostWrittenCalls = 100'000;

  capture::Recorder* recorder_;  // null: nobody writes down what is computed
  int written_calls_ = 0;
  std::optional<RegionLoops> loops_;
};

}  // namespace mycel::api
