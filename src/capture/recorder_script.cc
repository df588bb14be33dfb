// SPDX-License-Identifier: Apache-2.0
// What a recorder tells those who write a run down or make it again.
#include <algorithm>

#include "capture/recorder.h"
#include "platform/error/error.h"

namespace mycel::capture {

std::optional<Recorder::Identity> Recorder::identify(const Tensor& tensor) const {
  const Entry* entry = find(tensor.storage());
  if (entry == nullptr) return std::nullopt;
  return Identity{entry->order, entry->tensor, entry->name};
}

void Recorder::require_may_run(std::string_view why) const {
  platform::require(may_run_, platform::ErrorKind::Runtime, why);
}

std::vector<std::pair<Tensor, std::string>> Recorder::references() const {
  std::vector<const Entry*> found;
  for (const auto& [key, entry] : entries_) {
    if (entry.kind == Kind::Reference) found.push_back(&entry);
  }
  std::sort(found.begin(), found.end(),
            [](const Entry* a, const Entry* b) { return a->order < b->order; });
  std::vector<std::pair<Tensor, std::string>> references;
  references.reserve(found.size());
  for (const Entry* entry : found) references.emplace_back(entry->tensor, entry->name);
  return references;
}

ir::Graph& Recorder::draft() {
  std::vector<ir::Output> results;
  for (Entry* entry : live_entries()) results.push_back(content(*entry));
  graph_->body().set_results(std::move(results));
  return *graph_;
}

std::unique_ptr<ir::Graph> Recorder::take_draft() {
  draft();
  return std::move(graph_);
}

}  // namespace mycel::capture
