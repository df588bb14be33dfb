// SPDX-License-Identifier: Apache-2.0
// What a capture can tell about a gradient that is recorded in it and walked in another one.
#include <algorithm>

#include "capture/recorder.h"

namespace mycel::capture {

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

Recorder* current_recorder() { return dynamic_cast<Recorder*>(eager::interceptor()); }

}  // namespace mycel::capture
