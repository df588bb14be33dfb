// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "api/region_loops.h"
#include "capture/recorder.h"
#include "eager/dispatch.h"
#include "eager/immediate.h"
#include "formats/program/host.h"

namespace mycel::api {

// Runs stored networks where there is no Python. Without a recorder, loops and decisions go by
// values.
class PlainHost final : public formats::Host {
 public:
  PlainHost() {
    if (capture::Recorder* const recorder = capture::current_recorder()) loops_.emplace(*recorder);
  }
  op::Emitter& emitter() override { return eager::emitter(); }
  formats::LoopMaker* loop_maker() override { return loops_ ? &*loops_ : nullptr; }
  bool keeps_shapes() const override { return false; }  // Model::Resize
  op::Datum compute_now(const std::function<op::Datum()>& work) override {
    const eager::Immediate now;
    return work();
  }

 private:
  std::optional<RegionLoops> loops_;
};

}  // namespace mycel::api
