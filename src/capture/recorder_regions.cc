// SPDX-License-Identifier: Apache-2.0
// Branches and loops that are written down as such: what Python computes while a region is open
// becomes nodes of the region.
#include <algorithm>

#include "capture/declined.h"
#include "capture/recorder.h"
#include "eager/tape.h"
#include "platform/error/error.h"

namespace mycel::capture {

using ir::Output;
using op::TensorSpec;

namespace {

bool same_type(const TensorSpec& a, const TensorSpec& b) {
  return a.dtype == b.dtype && a.shape == b.shape;
}

std::string type_text(const TensorSpec& type) {
  return platform::join(tensor::name_of(type.dtype), type.shape);
}

}  // namespace

ir::Region& Recorder::region() const {
  return regions_.empty() ? graph_->body() : regions_.back().region();
}

ir::Node* Recorder::outermost_owner() const {
  return regions_.empty() ? nullptr : regions_.front().owner;
}

void Recorder::decline_in_region(std::string_view why) const {
  if (!regions_.empty()) throw Declined(std::string(why));
}

void Recorder::require_not_gone(const Entry& entry) {
  if (entry.kind == Kind::Gone)
    throw Declined("computes a value that is used outside of it without being a variable of it");
}

// A write gives a value to memory that was there before. On one side of a decision that is a value
// of this side; a turn of a loop would have to hand it on to the next.
void Recorder::require_writable_here(const Entry& entry) const {
  if (entry.own_memory) {
    require_made_in_turn(*entry.storage);
    return;
  }
  for (const OpenRegion& region : regions_) {
    if (region.owner->kind() == ir::NodeKind::While && entry.order < region.first_order)
      throw Declined("writes into a tensor from outside");
  }
}

void Recorder::require_made_in_turn(const Storage& storage) const {
  const auto is_older = [&](const OpenRegion& region) {
    return std::none_of(regions_.begin(), regions_.end(), [&](const OpenRegion& other) {
      return other.mark == storage.birth() && other.first_order >= region.first_order;
    });
  };
  for (const OpenRegion& region : regions_) {
    if (region.owner->kind() == ir::NodeKind::While && is_older(region))
      throw Declined("writes into a tensor from outside");
  }
}

void Recorder::note_shared(std::span<const Tensor> tensors) {
  SharedMemory& shared = regions_.empty() ? shared_ : regions_.back().shared;
  for (const Tensor& tensor : tensors) shared.emplace(&tensor.storage(), tensor.body().storage);
}

void Recorder::require_not_shared(const Storage& storage) {
  constexpr std::string_view kWhat = "writes into a tensor that a loop was given or has left";
  for (const OpenRegion& region : regions_) {
    if (region.shared.contains(&storage)) throw Declined(std::string(kWhat));
  }
  if (!shared_.contains(&storage)) return;
  decline_in_region(kWhat);
  try {
    platform::fail(platform::ErrorKind::Runtime, "'", name_, "' ", kWhat,
                   ", after something has happened that cannot be undone. Let the loop work on a "
                   "copy(), or write into one.");
  } catch (...) {
    failure_ = std::current_exception();
    throw;
  }
}

std::vector<Output> Recorder::region_operands(std::span<const Tensor> tensors) {
  std::vector<Output> outputs;
  outputs.reserve(tensors.size());
  tensor::settle_on(device_, tensors);
  for (const Tensor& tensor : tensors) {
    outputs.push_back(operand(tensor));
    if (!active_) throw Declined(refusal_);
  }
  return outputs;
}

void Recorder::open(ir::Node& owner) {
  owner.set_origin(origin_here());
  fingerprint_ = fingerprint_ * 31 + owner.id();
  const std::uint32_t before = Storage::birth_mark;
  begin_mark();
  regions_.push_back({&owner, 0, next_order_, before, Storage::birth_mark, {}, nullptr, nullptr});
}

// Whoever calls may be wrong about what is open, not least after an error.
Recorder::OpenRegion& Recorder::innermost(ir::NodeKind kind, std::size_t part) {
  if (!active_) throw Declined("stands in a function that is not recorded");
  if (regions_.empty() || regions_.back().owner->kind() != kind || regions_.back().part != part)
    throw Declined("goes on or ends where no such part of it has begun");
  return regions_.back();
}

void Recorder::require_can_open() const {
  if (!active_) throw Declined("stands in a function that is not recorded");
  if (log != nullptr) throw Declined("stands in a run that is written down for other sizes");
}

// Values of a part that has ended are nobody's business any more, and memory that it wrote is read
// from where it lies.
void Recorder::leave_part() {
  const OpenRegion& left = regions_.back();
  for (auto it = entries_.begin(); it != entries_.end();) {
    Entry& entry = it->second;
    const bool is_own = entry.order >= left.first_order && !entry.is_memory();
    if (is_own && entry.storage->owner_count() == 1) {
      it = entries_.erase(it);
      continue;
    }
    if (is_own) entry.kind = Kind::Gone;
    const auto is_inside = [&](const Output& output) {
      return output && &output.node->parent() == &left.region();
    };
    if (!entry.is_memory() && is_inside(entry.output)) entry.kind = Kind::Gone;
    std::erase_if(entry.parts, [&](const auto& part) { return is_inside(part.second.first); });
    if (entry.is_memory() && is_inside(entry.output)) {
      entry.output = entry.memory;
      ++entry.writes;
    }
    ++it;
  }
}

std::vector<Tensor> Recorder::stand_ins(ir::Region& region, std::span<const TensorSpec> types) {
  std::vector<Tensor> tensors;
  for (const TensorSpec& type : types)
    tensors.push_back(promise(type, graph_->add_argument(region, type, "").output()));
  return tensors;
}

std::vector<Tensor> Recorder::close_region() {
  leave_part();
  const OpenRegion closed = std::move(regions_.back());
  regions_.pop_back();
  Storage::birth_mark = closed.mark_before;
  std::vector<Tensor> results;
  for (std::uint32_t i = 0; i < closed.owner->output_count(); ++i)
    results.push_back(promise(closed.owner->type(i), closed.owner->output(i)));
  return results;
}

// ---- loops -------------------------------------------------------------------------------------

std::vector<Tensor> Recorder::begin_loop(std::span<const Tensor> initial) {
  require_can_open();
  std::vector<Output> operands = region_operands(initial);
  std::vector<TensorSpec> types;
  for (const Tensor& tensor : initial) types.push_back({tensor.dtype(), tensor.shape(), false});
  ir::Node& owner = graph_->add_while(region(), std::move(operands));
  graph_->set_types(owner, types);
  open(owner);
  if (eager::is_recording()) {
    regions_.back().tape = std::make_unique<TurnTape>();
    regions_.back().tape->initial.assign(initial.begin(), initial.end());
  }
  return stand_ins(owner.region(0), types);
}

std::vector<Tensor> Recorder::begin_turn(const Tensor& condition) {
  ir::Node& owner = *innermost(ir::NodeKind::While, 0).owner;
  if (condition.size() != 1)
    throw Declined(platform::join("has a condition of shape ", condition.shape()));
  owner.region(0).set_results(region_operands({&condition, 1}));
  leave_part();
  regions_.back().part = 1;
  std::vector<TensorSpec> types;
  for (std::size_t i = 0; i < owner.output_count(); ++i) types.push_back(owner.type(i));
  std::vector<Tensor> given = stand_ins(owner.region(1), types);
  begin_tape(given);
  return given;
}

std::vector<Tensor> Recorder::end_loop(std::span<const Tensor> next) {
  ir::Node& owner = *innermost(ir::NodeKind::While, 1).owner;
  std::vector<Output> results = region_operands(next);
  if (results.size() != owner.output_count())
    throw Declined(platform::join("has ", owner.output_count(), " variables before a turn and ",
                                  results.size(), " after it"));
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!same_type(results[i].type(), owner.type(i)))
      throw Declined(platform::join("has a variable that is ", type_text(owner.type(i)),
                                    " before a turn and ", type_text(results[i].type()),
                                    " after it"));
  }
  const std::shared_ptr<TurnGradient> gradient = settle_tape(next, results);
  owner.region(1).set_results(std::move(results));
  std::vector<Tensor> after = close_region();
  if (gradient) attach(*gradient, after);
  return after;
}

// ---- branches ----------------------------------------------------------------------------------

void Recorder::begin_branch(const Tensor& condition) {
  require_can_open();
  if (condition.size() != 1)
    throw Declined(platform::join("has a condition of shape ", condition.shape()));
  open(graph_->add_if(region(), region_operands({&condition, 1})[0]));
  if (eager::is_recording()) begin_branch_tape(condition);
}

void Recorder::begin_other_branch(std::span<const Tensor> results) {
  ir::Node& owner = *innermost(ir::NodeKind::If, 0).owner;
  std::vector<Output> outputs = region_operands(results);
  settle_side(results, outputs);
  std::vector<TensorSpec> types;
  for (const Output& output : outputs)
    types.push_back({output.type().dtype, output.type().shape, false});
  owner.region(0).set_results(std::move(outputs));
  graph_->set_types(owner, std::move(types));
  leave_part();
  regions_.back().part = 1;
}

std::vector<Tensor> Recorder::end_branch(std::span<const Tensor> results) {
  ir::Node& owner = *innermost(ir::NodeKind::If, 1).owner;
  std::vector<Output> outputs = region_operands(results);
  const std::shared_ptr<BranchTape> tape = regions_.back().branch;
  const std::size_t expected = owner.output_count() - (tape ? 1 : 0);
  if (outputs.size() != expected)
    throw Declined(platform::join("gives ", expected, " tensors, and ", outputs.size(),
                                  " when an 'if' is answered otherwise (", owner.position().file,
                                  ":", owner.position().line, ")"));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!same_type(outputs[i].type(), owner.type(i)))
      throw Declined(platform::join(
          "gives a value of another type or shape when an 'if' is answered otherwise: ",
          type_text(owner.type(i)), " or ", type_text(outputs[i].type()), " (",
          owner.position().file, ":", owner.position().line, ")"));
  }
  settle_side(results, outputs);
  owner.region(1).set_results(std::move(outputs));
  if (tape) drop_empty_log(owner);
  std::vector<Tensor> given = close_region();
  if (tape) attach(*tape, given);
  return given;
}

void Recorder::drop_regions(std::size_t depth) {
  while (regions_.size() > depth) {
    leave_part();
    const OpenRegion dropped = std::move(regions_.back());
    regions_.pop_back();
    Storage::birth_mark = dropped.mark_before;
    graph_->erase(*dropped.owner);
  }
}

}  // namespace mycel::capture
