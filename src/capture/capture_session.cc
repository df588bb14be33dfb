// SPDX-License-Identifier: Apache-2.0
#include "capture/capture_session.h"

#include "capture/recipe.h"
#include "passes/passes.h"
#include "platform/error/error.h"
#include "runtime/compile.h"

namespace mycel::capture {

namespace {

constexpr std::size_t kRunsWorthKeeping = 8;

}  // namespace

CaptureSession::CaptureSession(TraceCache& cache, std::shared_ptr<const Specialization> known,
                               Run run, std::span<const Tensor> inputs)
    : cache_(cache),
      known_(std::move(known)),
      was_known_(run.ways != nullptr),
      begun_at_(change_count()),
      fingerprint_(known_->fingerprint),
      recorder_(
          std::move(run), inputs,
          [this](std::unique_ptr<ir::Graph> graph) {
            if (fingerprint_ == 0) fingerprint_ = fingerprint_of(*graph);
            return runtime::compile(std::move(graph));
          },
          [&interpreter = cache.interpreter()] { return interpreter.position(); }, cache.name()) {
  if (known_->runs->get() >= kRunsWorthKeeping) recorder_.keep_when_crowded();
}

void CaptureSession::take_conditions(Specialization& version) const {
  version.guards = united(std::move(version.guards), guards_);
  if (verify_) version.verify = verify_;
  version.verified_at.set(begun_at_);
}

void CaptureSession::publish_refused(std::string reason) {
  const auto amended = [&](Specialization& version) {
    take_conditions(version);
    version.refuse(reason);
  };
  if (was_known_) {
    known_ = cache_.amend(known_, amended);
    return;
  }
  const auto version = std::make_shared<Specialization>(*known_);
  amended(*version);
  cache_.add(version);
  known_ = version;
}

bool CaptureSession::finish(const std::function<Returned()>& take_apart) {
  if (recorder_.has_left()) return false;
  if (!recorder_.is_active()) {
    publish_refused(recorder_.refusal());
    return false;
  }
  Returned returned = take_apart();
  if (!returned.refusal.empty()) {
    recorder_.abandon(returned.refusal);
    publish_refused(std::move(returned.refusal));
    return false;
  }
  const auto learn = [&](Specialization& version) {
    take_conditions(version);
    version.take_layout(recorder_);
    version.references = recorder_.references();
  };
  const auto first = std::make_shared<Specialization>(*known_);
  // What a way relies on is known to everybody before the way is.
  if (was_known_) {
    known_ = cache_.amend(known_, learn);
  } else {
    learn(*first);
  }
  recorder_.finish(returned.tensors, std::move(returned.epilogue), known_->publication);
  if (!recorder_.refusal().empty()) {
    publish_refused(recorder_.refusal());
    return false;
  }
  if (was_known_) return true;
  first->ways = recorder_.run().ways;
  first->fingerprint = fingerprint_;
  cache_.add(first);
  known_ = first;
  return true;
}

void CaptureSession::refuse(std::string reason) {
  known_ = cache_.amend(known_, [&](Specialization& version) { version.refuse(reason); });
}

std::string CaptureSession::new_way() const {
  if (!was_known_ || !recorder_.has_seen_new()) return {};
  const ir::Position& position = recorder_.first_new();
  return position.file.empty() ? "code without a file"
                               : platform::join(position.file, ":", position.line);
}

std::unique_ptr<ir::Graph> CaptureSession::take_draft() {
  std::unique_ptr<ir::Graph> graph = recorder_.take_draft();
  // Each side of a decision was recorded from the beginning of the function.
  if (graph->has_inner_regions()) {
    passes::skip_idle_choices(*graph);
    passes::merge_equal_nodes(*graph);
    passes::erase_dead_nodes(*graph);
  }
  return graph;
}

}  // namespace mycel::capture
