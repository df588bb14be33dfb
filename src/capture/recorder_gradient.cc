// SPDX-License-Identifier: Apache-2.0
// What a capture can tell about a gradient that is recorded in it and walked in another one, and
// what gradients of loops and of decisions have in common.
#include <algorithm>

#include "capture/declined.h"
#include "capture/recorder.h"
#include "eager/dispatch.h"
#include "eager/tape.h"
#include "operator/written_input.h"
#include "platform/error/error.h"

namespace mycel::capture {

using eager::GradientCall;
using eager::Saved;

bool Recorder::adopt(const Tensor& stand_in, const Tensor& value) {
  const Entry* known = active_ ? find(value.storage()) : nullptr;
  const bool is_value = known != nullptr &&
                        (known->kind == Kind::Value || known->kind == Kind::Argument) &&
                        !part_of(*known, value);
  if (!is_value) return false;
  Entry entry;
  entry.storage = stand_in.body().storage;
  entry.kind = Kind::Value;
  entry.place = known->place;
  entry.spec = known->spec;
  const Tensor& given = run_.values[static_cast<std::size_t>(entry.place)];
  if (!(given.body().storage == entry.storage)) {
    const std::size_t skipped =
        static_cast<std::size_t>(given.body().offset) * tensor::size_of(given.dtype());
    entry.storage->fulfil(given.body().storage, skipped);
  }
  entry.storage->set_watcher(this);
  enter(std::move(entry));
  return true;
}

Tensor Recorder::reference(const Storage& storage) const {
  const Entry* entry = find(storage);
  return entry != nullptr && entry->kind == Kind::Reference ? entry->tensor : Tensor();
}

std::vector<Tensor> Recorder::live() const {
  std::vector<const Entry*> found;
  for (const auto& [key, entry] : entries_) {
    if (entry.kind != Kind::Reference && entry.storage->owner_count() > 1) found.push_back(&entry);
  }
  std::sort(found.begin(), found.end(),
            [](const Entry* a, const Entry* b) { return a->order < b->order; });
  std::vector<Tensor> tensors;
  tensors.reserve(found.size());
  for (const Entry* entry : found)
    tensors.push_back(Tensor::from_storage(entry->storage, entry->spec.shape, entry->spec.dtype));
  return tensors;
}

// ---- regions -----------------------------------------------------------------------------------

bool Recorder::has_gradient(tensor::DType dtype) {
  return tensor::is_floating(dtype) || tensor::is_complex(dtype);
}

eager::Edge Recorder::edge_of(const Tensor& tensor) {
  return {Ref<eager::Node>(eager::node_of(tensor)), tensor.body().output_index};
}

void Recorder::require_can_keep() const {
  if (eager::gradient_order() > 1)
    throw Declined("is part of a gradient that is itself differentiated");
}

Recorder::WritesBefore Recorder::recorded_writes() const {
  WritesBefore writes;
  for (const auto& [storage, entry] : entries_) {
    if (entry.is_memory()) writes[storage] = storage->recorded_version();
  }
  return writes;
}

void Recorder::require_no_recorded_writes(const WritesBefore& before) const {
  for (const auto& [storage, entry] : entries_) {
    if (!entry.is_memory()) continue;
    const auto known = before.find(storage);
    const bool is_written_here = entry.output && entry.output.node->parent().owner() != nullptr;
    const bool is_recorded = known == before.end()
                                 ? is_written_here && storage->recorded_version() > 0
                                 : storage->recorded_version() != known->second;
    if (is_recorded) throw Declined("writes what a gradient goes to into a tensor from outside");
  }
}

std::vector<Recorder::SavedValue> Recorder::saved_here(const GradientCall& call,
                                                       std::span<const Tensor> results) {
  const std::size_t first_order = regions_.back().first_order;
  std::vector<SavedValue> values;
  call.visit_saved(results, [&](Saved& saved) {
    const Tensor content = saved.content();  // as it was: a copy where it has been written since
    saved = Saved(content);
    Entry* entry = find(content.storage());
    if (entry == nullptr) return;
    if (entry->is_memory()) {
      const bool is_written = entry->output && entry->output.node->parent().owner() != nullptr;
      if (is_written) throw Declined("writes memory that its gradient reads");
      return;
    }
    const bool is_known = std::any_of(values.begin(), values.end(), [&](const SavedValue& one) {
      return one.tensor.body().storage == content.body().storage;
    });
    if (entry->order < first_order || is_known) return;
    values.push_back({Tensor::from_storage(entry->storage, entry->spec.shape, entry->spec.dtype),
                      this->content(*entry)});
  });
  return values;
}

namespace {

bool is_copy(const ir::Node& node) {
  return node.kind() == ir::NodeKind::Operator && node.definition()->traits.copies;
}

// Whether a node leaves more behind than its results; writes into copies do not.
bool has_lasting_effects(const ir::Node& node) {
  if (!node.has_effects()) return false;
  if (!node.regions().empty()) {
    return std::any_of(node.regions().begin(), node.regions().end(), [](const auto& region) {
      return std::any_of(region->nodes().begin(), region->nodes().end(),
                         [](const ir::Node* inner) { return has_lasting_effects(*inner); });
    });
  }
  if (node.kind() != ir::NodeKind::Operator || node.definition()->is_random) return true;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const int target = op::written_input(*node.definition(), i);
    if (target >= 0 && !is_copy(*node.operands()[static_cast<std::size_t>(target)].node))
      return true;
  }
  return false;
}

}  // namespace

void Recorder::try_walk(GradientCall& call, std::span<const Tensor> results,
                        std::span<const WantedGradient> wanted) {
  const std::size_t depth = regions_.size();
  open(graph_->add_if(region(), constant(eager::number_tensor(true))));
  const ir::Region& region = regions_.back().region();
  std::vector<GradientCall::Start> starts(call.watched_count());
  for (const WantedGradient& one : wanted) starts[one.watched].is_wanted = true;
  std::vector<Tensor> found;
  try {
    found = call.walk(results, results, starts);
  } catch (const platform::Error& error) {
    throw Declined(platform::join("has no gradient that can be recorded: ", error.message()));
  }
  for (const WantedGradient& one : wanted) {
    const Tensor& gradient = found[one.watched];
    const bool fits = !gradient.defined() ||
                      (gradient.dtype() == one.spec.dtype && gradient.shape() == one.spec.shape);
    if (!fits) throw Declined("has a gradient of another type than its value");
  }
  for (const ir::Node* node : region.nodes()) {
    if (has_lasting_effects(*node)) throw Declined("has a gradient with effects");
  }
  drop_regions(depth);
}

Recorder* current_recorder() { return dynamic_cast<Recorder*>(eager::interceptor()); }

}  // namespace mycel::capture
