// SPDX-License-Identifier: Apache-2.0
// Python looks at values while a function is recorded: every look is a fork of the ways.
#include <algorithm>
#include <cstring>
#include <utility>

#include "capture/recorder.h"
#include "platform/error/error.h"
#include "tensor/overlap.h"

namespace mycel::capture {
namespace {

// What Python may look at and still be repeated without it.
constexpr std::size_t kMostBytesSeen = 256;
constexpr std::size_t kMostForks = 8;
constexpr std::size_t kMostValues = 1U << 20;
// Pieces that one run may add: every turn of a loop that values decide is one. More of them cost
// more memory, and more time to replay, than they save.
constexpr std::size_t kMostNewSteps = 2048;

Reading reading_of(const Tensor& tensor) {
  Reading reading;
  reading.place.reference = tensor;
  return reading;
}

}  // namespace

Place Recorder::place_of(const Tensor& tensor) const {
  const Entry* entry = find(tensor.storage());
  Place place;
  if (entry == nullptr || entry->kind == Kind::Promise || entry->kind == Kind::Stale) return place;
  require_not_gone(*entry);
  place.value = entry->place;
  if (entry->kind == Kind::Reference) place.reference = entry->tensor;
  place.part = part_of(*entry, tensor);
  return place;
}

// Whether something new is the end of the capture: for good, or for this run alone.
bool Recorder::leaves_for(const Reading& reading) {
  const bool is_first = fork_ == nullptr && !begins_ways_;
  if (is_first) first_new_ = position_();
  if (new_steps_ >= kMostNewSteps) {
    // What is known of other calls stays; and where falling back is an error, this is none.
    has_left_ = !begins_ways_ || on_look;
    if (!has_left_)
      note_refusal(platform::join("it looks at values ", new_steps_,
                                  " times in one call, as a loop that they decide does; "
                                  "ops.WhileLoop makes such a loop one step of the graph"));
    return true;
  }
  const bool is_crowded =
      run_.ways->forks(*step_) >= kMostForks || run_.values.size() > kMostValues;
  has_left_ =
      is_first && (!may_grow_ || (is_crowded && (reading.only_shape || keeps_when_crowded_)));
  if (is_crowded && !has_left_) note_refusal("Python reads a value that differs from call to call");
  return has_left_ || is_crowded;
}

void Recorder::look(const Reading& reading) {
  const Tensor looked_at = reading.place.in(run_.values);
  if (!reading.only_shape && looked_at.bytes() > kMostBytesSeen) {
    note_refusal(
        platform::join("Python reads the values of a tensor of shape ", looked_at.shape()));
    release();  // nothing is pending: a look comes after everything was computed
    return;
  }
  // Memory that a replay has gone on to write holds something else by now.
  if (looks_done_ >= run_.seen.size()) run_.seen.push_back(seen_by(reading, run_.values));
  seen_ = run_.seen[looks_done_++];
  if (!is_own_step()) {
    require_as_before(step_->end == Step::End::Read && step_->reading.place == reading.place);
    if (Step* known = run_.ways->find(*step_, seen_)) {
      step_ = known;
      return;
    }
  }
  if (leaves_for(reading)) {
    release();
    return;
  }
  grow(reading);
}

void Recorder::grow(Reading reading) {
  ++new_steps_;
  auto further = std::make_unique<Step>();
  further->first_result = run_.values.size();
  Step* const following = further.get();
  if (is_own_step()) {
    step_->end = Step::End::Read;
    step_->reading = std::move(reading);
    step_->next.emplace_back(seen_, std::move(further));
  } else {
    fork_ = step_;
    fork_seen_ = seen_;
    branch_ = std::move(further);
  }
  step_ = following;
  if (on_growth) on_growth();
}

void Recorder::before_read(Storage& storage, const tensor::TensorBody* window) {
  if (busy_ || !active_ || eager::interceptor() != this) return;
  const Entry* entry = find(storage);
  if (entry == nullptr && (log == nullptr || log->is_inside_call())) return;
  if (!may_run_ && on_look) on_look();
  require_may_run("Python reads the values of a tensor");
  require_sound();
  if (entry == nullptr || settle_lent()) return;
  require_not_gone(*entry);
  if (entry->kind == Kind::Value && entry->is_seen) return;
  if (on_look) on_look();
  decline_in_region("reads the values of a tensor");
  close();
  entry = find(storage);
  if (entry == nullptr) return;
  const Tensor all = whole(Tensor::from_storage(Ref<Storage>(&storage), {}, entry->spec.dtype));
  Reading reading;
  reading.place = place_of(all);
  if (window != nullptr)
    reading.place.part =
        part_of(*entry, Tensor(Ref<tensor::TensorBody>(const_cast<tensor::TensorBody*>(window))));
  look(reading);
  // What was seen is part of the way: it need not be asked for again.
  if (active_ && !reading.place.part) find(storage)->is_seen = true;
}

Tensor Recorder::readable(const Tensor& tensor) {
  if (busy_ || !active_ || eager::interceptor() != this || find(tensor.storage()) == nullptr)
    return tensor;
  const bool is_memory = find(tensor.storage())->is_memory();
  const bool is_past = is_memory && looks_done_ < run_.seen.size();
  before_read(tensor.storage(), &tensor.body());
  if (!active_) return tensor;
  if (!is_past) {
    // The same bytes under another name: whoever reads them does not look once more.
    const Ref<Storage> storage = Storage::promise(tensor.device(), tensor.storage().bytes(), *this);
    storage->set_watcher(nullptr);
    storage->fulfil(tensor.body().storage);
    Tensor same = Tensor::from_storage(storage, tensor.shape(), tensor.dtype());
    same.body().strides = tensor.strides();
    same.body().offset = tensor.body().offset;
    // An array can only share memory that it can reach.
    if (tensor.device().backend == device::kHostBackend) lend(same, Tensor());
    return same;
  }
  // Memory that a replay has gone on to write: as it was then, with the strides it has, since in
  // which order others add elements up may depend on them.
  const Tensor dense = Tensor::empty(tensor.shape(), tensor.dtype());
  std::memcpy(dense.storage().data_unwatched(), seen_.data(), seen_.size());
  const tensor::ElementRange reach = tensor::reach_of(tensor);
  const Tensor row = Tensor::empty({reach.end - reach.begin}, tensor.dtype());
  Tensor copy =
      Tensor::view(row, tensor.shape(), tensor.strides(), tensor.body().offset - reach.begin);
  tensor::copy_elements(dense, copy);
  lend(copy, tensor);
  return copy;
}

void Recorder::lend(Tensor shown, Tensor copied_from) {
  Lent lent;
  lent.content = seen_by(reading_of(shown), {});
  lent.storage = copied_from.defined() ? &copied_from.storage() : shown.storage().lender();
  lent.shown = std::move(shown);
  lent.copied_from = std::move(copied_from);
  lent_.push_back(std::move(lent));
}

bool Recorder::is_lent(const Storage& storage) const {
  return std::any_of(lent_.begin(), lent_.end(), [&](const Lent& lent) {
    return lent.storage == &storage && lent.shown.storage().owner_count() > 1;
  });
}

bool Recorder::settle_lent() {
  std::erase_if(lent_, [](const Lent& lent) { return lent.shown.storage().owner_count() == 1; });
  const auto is_changed = [](const Lent& lent) {
    return seen_by(reading_of(lent.shown), {}) != lent.content;
  };
  if (!active_ || std::none_of(lent_.begin(), lent_.end(), is_changed)) return false;
  const std::vector<Lent> lent = std::exchange(lent_, {});
  const auto write = [](const std::string& content, const Tensor& target) {
    const Tensor dense = Tensor::empty(target.shape(), target.dtype());
    std::memcpy(dense.storage().data_unwatched(), content.data(), content.size());
    tensor::copy_elements(dense, target);
  };
  std::vector<std::string> now;
  for (const Lent& each : lent) {
    now.push_back(seen_by(reading_of(each.shown), {}));
    if (!each.copied_from.defined()) write(each.content, each.shown);
  }
  abandon("it writes into a NumPy array that shares memory with a tensor");
  for (std::size_t i = 0; i < lent.size(); ++i) {
    const Tensor& target = lent[i].copied_from.defined() ? lent[i].copied_from : lent[i].shown;
    if (now[i] != lent[i].content) write(now[i], target);
  }
  return true;
}

}  // namespace mycel::capture
