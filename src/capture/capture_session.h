// SPDX-License-Identifier: Apache-2.0
// One run of a function under a recorder, on the thread that runs it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/recorder.h"
#include "capture/specialization.h"
#include "capture/trace_cache.h"

namespace mycel::capture {

class CaptureSession {
 public:
  // Goes on with a kind of call whose `run` has met something new, or begins a kind that no cache
  // knows yet. `inputs`: the tensors of the call.
  CaptureSession(TraceCache& cache, std::shared_ptr<const Specialization> known, Run run,
                 std::span<const Tensor> inputs);

  Recorder& recorder() { return recorder_; }
  const Recorder& recorder() const { return recorder_; }

  // ---- what the run relies on ----
  void add_guard(std::shared_ptr<const Guard> guard) { guards_.push_back(std::move(guard)); }
  // What is asked when something has changed; null until the first run of this kind has set it.
  std::shared_ptr<const Guard> verify() const { return known_->verify; }
  void set_verify(std::shared_ptr<const Guard> verify) { verify_ = std::move(verify); }

  // ---- the end ----
  // What the function has returned, taken apart by the interpreter.
  struct Returned {
    std::vector<Tensor> tensors;
    std::shared_ptr<const Epilogue> epilogue;
    std::string refusal;  // not empty: no later call could give out the same
  };
  // True: the result is to be made of `recorder().last_step()`. False: such calls will not be
  // replayed, or not along this way, and what the function has returned is the result.
  bool finish(const std::function<Returned()>& take_apart);
  // Does not hold another time, though this run was right.
  void refuse(std::string reason);
  const std::string& refusal() const { return known_->refusal; }

  // A way that is not known yet is not recorded: from where it parts, this run is eager execution.
  // The first of a kind of call is recorded all the same.
  void follow_only() {
    if (was_known_) recorder_.follow_only();
  }
  // Where a run of a kind of call that was known has gone a new way; empty: it has not.
  std::string new_way() const;
  std::size_t segments() const { return known_->ways ? known_->ways->step_count() : 0; }
  // What was recorded, for writers of model files; nothing but `discard` comes after it.
  std::unique_ptr<ir::Graph> take_draft();

 private:
  void take_conditions(Specialization& version) const;
  void publish_refused(std::string reason);

  TraceCache& cache_;
  std::shared_ptr<const Specialization> known_;  // the version this run has published last
  const bool was_known_;
  const std::uint64_t begun_at_;
  std::uint64_t fingerprint_;  // of the first graph
  Guards guards_;
  std::shared_ptr<const Guard> verify_;
  Recorder recorder_;
};

}  // namespace mycel::capture
