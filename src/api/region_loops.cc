// SPDX-License-Identifier: Apache-2.0
#include "api/region_loops.h"

#include <algorithm>

#include "capture/declined.h"
#include "eager/dispatch.h"
#include "platform/error/error.h"

namespace mycel::api {

using capture::Declined;
using op::Datum;
using tensor::Tensor;

namespace {

constexpr std::size_t kFewTurns = 64;     // after these, a loop had better be one of the graph
constexpr std::size_t kMostTurns = 4096;  // of a program, one by one

// The tensors of a value, one after the other. Numbers stay what they are: a loop over them is
// another one for each.
void add_tensors(const Datum& value, std::vector<Tensor>& tensors) {
  if (value.is_tensor()) tensors.push_back(value.tensor().tensor());
  if (!value.is_sequence()) return;
  for (const Datum& item : value.items()) add_tensors(item, tensors);
}

std::vector<Tensor> tensors_of(std::span<const Datum> values) {
  std::vector<Tensor> tensors;
  for (const Datum& value : values) add_tensors(value, tensors);
  return tensors;
}

// The same with other tensors.
Datum with_tensors(const Datum& value, std::span<const Tensor> tensors, std::size_t& next) {
  if (value.is_tensor()) return Datum(op::Value(&eager::emitter(), tensors[next++]));
  if (!value.is_sequence()) return value;
  std::vector<Datum> items;
  for (const Datum& item : value.items()) items.push_back(with_tensors(item, tensors, next));
  return value.is_list() ? Datum::list(std::move(items)) : Datum::tuple(std::move(items));
}

std::vector<Datum> with_tensors(std::span<const Datum> values, std::span<const Tensor> tensors) {
  std::vector<Datum> made;
  std::size_t next = 0;
  for (const Datum& value : values) made.push_back(with_tensors(value, tensors, next));
  return made;
}

bool are_alike(const Datum& one, const Datum& other) {
  if (one.is_tensor() && other.is_tensor()) return true;
  if (!one.is_sequence() || !other.is_sequence()) return one.is_same_object(other);
  return one.is_list() == other.is_list() &&
         std::ranges::equal(one.items(), other.items(), are_alike);
}

bool is_recorded(const Datum& value) {
  return value.is_tensor() && value.tensor().tensor().storage().is_promise();
}

Tensor mask_of(const Datum& condition) {
  if (!condition.is_tensor()) throw Declined("does not ask a tensor whether to go on");
  const op::Value& value = condition.tensor();
  if (value.dtype() == tensor::DType::Bool) return value.tensor();
  return value.emitter().call("cast", {value}, {{"dtype", tensor::DType::Bool}}).tensor();
}

// Forgets what was recorded of a loop unless it was finished.
class Attempt {
 public:
  explicit Attempt(capture::Recorder& recorder)
      : recorder_(recorder), depth_(recorder.region_depth()) {}
  ~Attempt() {
    if (recorder_.region_depth() > depth_) recorder_.drop_regions(depth_);
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

 private:
  capture::Recorder& recorder_;
  std::size_t depth_;
};

}  // namespace

std::vector<Datum> RegionLoops::recorded(std::span<const Datum> values, const Test& test,
                                         const Turn& turn) {
  const Attempt attempt(recorder_);
  const std::vector<Tensor> before = recorder_.begin_loop(tensors_of(values));
  const Datum holds = test(with_tensors(values, before));
  const std::vector<Tensor> in_turn = recorder_.begin_turn(mask_of(holds));
  const TurnEnd end = turn(with_tensors(values, in_turn));
  if (end.has_returned) throw Declined("ends within a turn");
  if (!std::ranges::equal(values, end.next, are_alike))
    throw Declined("has a variable that is something else after a turn");
  return with_tensors(values, recorder_.end_loop(tensors_of(end.next)));
}

formats::LoopMaker::Outcome RegionLoops::make_loop(const std::string&,
                                                   std::span<const Datum> initial, const Test& test,
                                                   const Turn& turn) {
  std::vector<Datum> values(initial.begin(), initial.end());
  bool may_record = recorder_.is_active();
  for (std::size_t turns = 0;; ++turns, ++turns_) {
    if (turns_ > kMostTurns)
      recorder_.abandon(platform::join("it has loops of more than ", kMostTurns, " turns"));
    const Datum holds = test(values);
    if (may_record && (is_recorded(holds) || turns == kFewTurns)) {
      may_record = false;
      try {
        return {false, {}, recorded(values, test, turn)};
      } catch (const Declined&) {  // inside another region that is told as well
        if (recorder_.region_depth() > 0) throw;
      }
    }
    if (!op::truth_of(holds)) return {false, {}, std::move(values)};
    TurnEnd end = turn(values);
    if (end.has_returned) return {true, std::move(end.value), {}};
    values = std::move(end.next);
  }
}

Datum RegionLoops::make_choice(const std::string&, const std::function<Datum()>& body) {
  return body();
}

}  // namespace mycel::api
