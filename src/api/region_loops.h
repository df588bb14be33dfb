// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "capture/recorder.h"
#include "formats/program/host.h"

namespace mycel::api {

// Loops of a stored program that is being recorded become loops of the graph: one turn is recorded,
// however many there will be. What cannot be recorded so is decided by looking at values, and a few
// turns of which everything is known are recorded one by one. A program of which that makes too
// many is not recorded at all.
class RegionLoops final : public formats::LoopMaker {
 public:
  explicit RegionLoops(capture::Recorder& recorder) : recorder_(recorder) {}

  Outcome make_loop(const std::string& place, std::span<const op::Datum> initial, const Test& test,
                    const Turn& turn) override;
  bool counts_with_tensors() const override { return true; }
  bool needs_loops() const override { return false; }
  op::Datum make_choice(const std::string& place, const std::function<op::Datum()>& body) override;

 private:
  // May throw Declined; then nothing of it is recorded.
  std::vector<op::Datum> recorded(std::span<const op::Datum> values, const Test& test,
                                  const Turn& turn);
  capture::Recorder& recorder_;
  std::size_t turns_ = 0;  // that were made one by one
};

}  // namespace mycel::api
