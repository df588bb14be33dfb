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
    if (entry.kind == Kind::Parameter) found.push_back(&entry);
  }
  std::sort(found.begin(), found.end(),
            [](const Entry* a, const Entry* b) { return a->order < b->order; });
  std::vector<std::pair<Tensor, std::string>> references;
  references.reserve(found.size());
  for (const Entry* entry : found) references.emplace_back(entry->tensor, entry->name);
  return references;
}

Tensor Recorder::computed(const Tensor& constant) {
  const bool is_made_here =
      constant.storage().birth() == Storage::birth_mark && find(constant.storage()) == nullptr;
  platform::require(is_made_here, platform::ErrorKind::Runtime,
                    "a result is something from outside");
  Tensor copy = Tensor::empty(constant.shape(), constant.dtype());
  tensor::copy_elements(constant, copy);
  prepare_write(copy);
  return copy;
}

const ir::Graph& Recorder::draft() {
  std::vector<ir::Output> results;
  for (const Entry* entry : live_entries()) results.push_back(entry->output);
  graph_->body().set_results(std::move(results));
  return *graph_;
}

}  // namespace mycel::capture
