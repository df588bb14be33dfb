// SPDX-License-Identifier: Apache-2.0
// If, Loop and Scan. Values decide at once, or loops and choices are made by whoever writes the
// network down.
#include <algorithm>
#include <optional>

#include "formats/onnx/runner.h"
#include "platform/error/error.h"
#include "tensor/tensor.h"

namespace mycel::formats::onnx {

using op::Value;
using platform::ErrorKind;
using tensor::DType;
using tensor::Tensor;

namespace {

std::string place_of(const Step& step) {
  return "the node '" + step.name + "' of the ONNX network:0";
}

// Numbers for those who write a network down; anything else as it is.
Datum plain(const Held& held) {
  std::int64_t whole = 0;
  const bool is_flag = held.value.is_tensor() && held.value.tensor().dtype() == DType::Bool;
  if (!held.is_known || !op::to_integer(held.value, whole)) return held.value;
  return is_flag ? Datum(whole != 0) : Datum(whole);
}

std::int64_t whole_number(const Step& step, const Datum& datum) {
  std::int64_t value = 0;
  platform::require(op::to_integer(datum, value), ErrorKind::Value, "Node '", step.name,
                    "' of the ONNX network takes one whole number as its count.");
  return value;
}

const Value& tensor_in(const Step& step, const Datum& datum) {
  platform::require(datum.is_tensor(), ErrorKind::Value, "The body of node '", step.name,
                    "' of the ONNX network gives ", datum.type_name(),
                    " where a tensor is needed.");
  return datum.tensor();
}

}  // namespace

Held Runner::number(std::int64_t value) const {
  Tensor made = Tensor::empty({}, DType::Int64);
  *made.data<std::int64_t>() = value;
  return {Datum(Value(&host_.emitter(), std::move(made))), true};
}

Held Runner::flag(bool value) const {
  Tensor made = Tensor::empty({}, DType::Bool);
  *made.data<bool>() = value;
  return {Datum(Value(&host_.emitter(), std::move(made))), true};
}

std::vector<Held> Runner::body(const Step& step, std::vector<Held> inputs, Frame& frame) {
  const Graph& graph = *step.graphs[0];
  platform::require(inputs.size() == graph.input_count, ErrorKind::Value, "The body of node '",
                    step.name, "' of the ONNX network has ", graph.input_count,
                    " inputs, but the node gives it ", inputs.size(), ".");
  return run(graph, std::move(inputs), &frame);
}

// ---- If -----------------------------------------------------------------------------------------

std::vector<Held> Runner::choose(const Step& step, Inputs inputs, Frame& frame) {
  platform::require(inputs.size() == 1 && !inputs[0].value.is_none(), ErrorKind::Value, "Node '",
                    step.name, "' (If) of the ONNX network needs a condition.");
  const Held& condition = inputs[0];
  const auto branch = [&](bool holds) { return run(*step.graphs[holds ? 0 : 1], {}, &frame); };
  if (condition.is_known) return branch(op::truth_of(condition.value));
  LoopMaker* const maker = host_.loop_maker();
  if (maker == nullptr || !maker->wants_choices()) return branch(host_.truth_of(condition.value));
  const Datum made = maker->make_choice(place_of(step), [&] {
    std::vector<Datum> values;
    for (const Held& held : branch(host_.truth_of(condition.value))) values.push_back(held.value);
    return Datum::tuple(std::move(values));
  });
  std::vector<Held> outputs;
  for (const Datum& item : made.items()) outputs.push_back({item, false});
  return outputs;
}

// ---- Loop ---------------------------------------------------------------------------------------

std::vector<Held> Runner::with_rows(const Step& step, std::vector<Held> states,
                                    const std::vector<op::ValueList>& rows) {
  for (const op::ValueList& row : rows) {
    platform::require(!row.empty(), ErrorKind::Value, "The loop '", step.name,
                      "' of the ONNX network did not run: its results have no shape.");
    states.push_back({Datum(host_.emitter().call_all("stack", row, {}).front()), false});
  }
  return states;
}

namespace {

// What a Loop begins with: the most turns, whether there is a first one, and the states.
struct LoopInputs {
  LoopInputs(const Step& step, std::span<const Held> inputs)
      : limit(inputs.empty() ? Held() : inputs[0]),
        goes_on(inputs.size() < 2 ? Held() : inputs[1]),
        states(
            inputs.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(inputs.size(), 2)),
            inputs.end()) {
    const std::size_t given = step.graphs[0]->outputs.size();
    platform::require(given >= 1 + states.size(), ErrorKind::Value, "The body of node '", step.name,
                      "' of the ONNX network gives ", given, " values, but ", 1 + states.size(),
                      " are needed.");
    row_count = given - 1 - states.size();
  }
  Held limit, goes_on;
  std::vector<Held> states;
  std::size_t row_count;  // what every turn gives besides
};

}  // namespace

// States after the last turn, then what every turn gave, stacked.
std::vector<Held> Runner::turns(const Step& step, Inputs inputs, Frame& frame) {
  LoopInputs start(step, inputs);
  std::optional<std::int64_t> limit;
  if (!start.limit.value.is_none()) limit = whole_number(step, start.limit.value);
  std::vector<op::ValueList> rows(start.row_count);
  Held goes_on = start.goes_on.value.is_none() ? flag(true) : start.goes_on;
  for (std::int64_t turn = 0;
       (!limit || turn < *limit) &&
       (goes_on.is_known ? op::truth_of(goes_on.value) : host_.truth_of(goes_on.value));
       ++turn) {
    host_.attend();
    std::vector<Held> arguments{number(turn), goes_on};
    std::ranges::move(start.states, std::back_inserter(arguments));
    std::vector<Held> found = body(step, std::move(arguments), frame);
    goes_on = found[0];
    const auto first_row = found.begin() + 1 + static_cast<std::ptrdiff_t>(start.states.size());
    start.states.assign(found.begin() + 1, first_row);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i].push_back(tensor_in(step, (first_row + static_cast<std::ptrdiff_t>(i))->value));
  }
  return with_rows(step, std::move(start.states), rows);
}

// The same by somebody who writes the network down, and gives values back in another form: numbers,
// or tensors of which it is not told whether they are known.
class Runner::WrittenLoop {
 public:
  WrittenLoop(Runner& runner, const Step& step, Inputs inputs, Frame& frame)
      : runner_(runner), step_(step), frame_(frame), start_(step, inputs) {
    if (start_.goes_on.value.is_none()) start_.goes_on = runner.flag(true);
  }

  std::vector<Held> made(LoopMaker& maker) {
    counts_with_tensors_ = maker.counts_with_tensors();
    std::vector<Datum> initial{own(runner_.number(0)), own(start_.goes_on)};
    for (const Held& state : start_.states) initial.push_back(noted(state));
    for (std::size_t i = 0; i < start_.row_count; ++i) initial.push_back(Datum::list({}));
    const LoopMaker::Outcome outcome = maker.make_loop(
        place_of(step_), initial, [&](std::span<const Datum> values) { return test(values); },
        [&](std::span<const Datum> values) { return turn(values); });
    std::vector<op::ValueList> rows(start_.row_count);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const Datum& item : outcome.last[2 + start_.states.size() + i].items())
        rows[i].push_back(tensor_in(step_, item));
    return runner_.with_rows(step_, states_of(outcome.last), rows);
  }

 private:
  // Only those of the last turns are asked for again.
  Datum noted(const Held& held) {
    if (!held.is_known || !held.value.is_tensor()) return held.value;
    const std::size_t kept = 128 * (1 + start_.states.size());
    if (known_.size() > 2 * kept)
      known_.erase(known_.begin(), known_.end() - static_cast<std::ptrdiff_t>(kept));
    known_.push_back(held.value);
    return held.value;
  }

  // The number of a turn, or whether there is one.
  Datum own(const Held& held) { return counts_with_tensors_ ? noted(held) : plain(held); }

  Held held(const Datum& datum) const {
    const auto is_it = [&](const Datum& one) { return one.is_same_object(datum); };
    return {datum, std::any_of(known_.rbegin(), known_.rend(), is_it)};
  }

  std::vector<Held> states_of(std::span<const Datum> values) const {
    std::vector<Held> states;
    for (std::size_t i = 0; i < start_.states.size(); ++i) states.push_back(held(values[2 + i]));
    return states;
  }

  // Whether there is a further turn: a truth, or a tensor where it depends on values.
  Datum test(std::span<const Datum> values) const {
    const Datum in_time = is_in_time(plain(held(values[0])));
    const Datum goes_on = plain(held(values[1]));
    if (in_time.is_bool()) return in_time.flag() ? goes_on : in_time;
    if (goes_on.is_bool()) return goes_on.flag() ? in_time : goes_on;
    op::Emitter& emitter = runner_.host_.emitter();
    const auto scalar = [&](const Datum& datum) {
      return emitter.call("reshape", {datum.tensor()}, {{"shape", op::IntList{}}});
    };
    return Datum(emitter.call("logical_and", {scalar(in_time), scalar(goes_on)}));
  }

  Datum is_in_time(const Datum& turn) const {
    const Datum limit = plain(start_.limit);
    if (limit.is_none()) return Datum(true);
    if (turn.is_int() && limit.is_int()) return Datum(turn.integer() < limit.integer());
    op::Emitter& emitter = runner_.host_.emitter();
    return Datum(
        emitter.call("less", {op::operand_of(turn, emitter), op::operand_of(limit, emitter)}));
  }

  LoopMaker::TurnEnd turn(std::span<const Datum> values) {
    runner_.host_.attend();
    const Held number = values[0].is_int() ? runner_.number(values[0].integer()) : held(values[0]);
    const Held goes_on = values[1].is_bool() ? runner_.flag(values[1].flag()) : held(values[1]);
    std::vector<Held> arguments{number, goes_on};
    std::ranges::move(states_of(values), std::back_inserter(arguments));
    const std::vector<Held> found = runner_.body(step_, std::move(arguments), frame_);
    op::Emitter& emitter = runner_.host_.emitter();
    LoopMaker::TurnEnd end;
    end.next.push_back(number.is_known ? own(runner_.number(whole_number(step_, number.value) + 1))
                                       : Datum(values[0].tensor() + emitter.integer(1)));
    end.next.push_back(own(found[0]));
    for (std::size_t i = 0; i < start_.states.size(); ++i) end.next.push_back(noted(found[1 + i]));
    for (std::size_t i = 0; i < start_.row_count; ++i) {
      const std::size_t place = start_.states.size() + i;
      std::vector<Datum> row = values[2 + place].items();
      row.push_back(found[1 + place].value);
      end.next.push_back(Datum::list(std::move(row)));
    }
    return end;
  }

  Runner& runner_;
  const Step& step_;
  Frame& frame_;
  LoopInputs start_;
  bool counts_with_tensors_ = false;
  std::vector<Datum> known_;  // states of which that is known
};

std::vector<Held> Runner::loop(const Step& step, Inputs inputs, Frame& frame) {
  return WrittenLoop(*this, step, inputs, frame).made(*host_.loop_maker());
}

// ---- Scan ---------------------------------------------------------------------------------------

namespace {

// Which of the inputs are walked along: the last ones, by their first axis.
std::size_t walked_count(const Step& step, std::size_t inputs) {
  for (const std::string_view other :
       {"scan_input_axes", "scan_output_axes", "scan_input_directions", "scan_output_directions"}) {
    const auto found = step.attributes.find(other);
    op::IntList values;
    if (found == step.attributes.end() || !op::to_integers(found->second, values)) continue;
    platform::require(std::ranges::all_of(values, [](std::int64_t one) { return one == 0; }),
                      ErrorKind::NotImplemented, "Node '", step.name,
                      "' (Scan) of the ONNX network: walking along another axis or backwards is "
                      "not supported.");
  }
  const auto count = step.attributes.find("num_scan_inputs");
  std::int64_t value = 0;
  const bool is_told = count != step.attributes.end() && op::to_integer(count->second, value);
  platform::require(is_told && value > 0 && static_cast<std::uint64_t>(value) <= inputs,
                    ErrorKind::Value, "Node '", step.name,
                    "' (Scan) of the ONNX network: its attribute 'num_scan_inputs' does not fit ",
                    inputs, " inputs.");
  return static_cast<std::size_t>(value);
}

}  // namespace

// A loop over the first axis of some inputs, whose length is known.
std::vector<Held> Runner::scan(const Step& step, Inputs inputs, Frame& frame) {
  const std::size_t split = inputs.size() - walked_count(step, inputs.size());
  std::vector<Held> states(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(split));
  const std::size_t given = step.graphs[0]->outputs.size();
  platform::require(given >= split, ErrorKind::Value, "The body of node '", step.name,
                    "' of the ONNX network gives ", given, " values, but ", split, " are needed.");
  std::vector<op::ValueList> rows(given - split);
  std::optional<std::int64_t> count;
  for (const Held& walked : inputs.subspan(split)) {
    const bool has_rows = walked.value.is_tensor() && walked.value.tensor().rank() > 0;
    platform::require(has_rows && (!count || *count == walked.value.tensor().shape()[0]),
                      ErrorKind::Value, "Node '", step.name,
                      "' (Scan) of the ONNX network walks along tensors of different lengths.");
    count = walked.value.tensor().shape()[0];
  }
  for (std::int64_t turn = 0; turn < *count; ++turn) {
    host_.attend();
    std::vector<Held> arguments = std::move(states);
    for (const Held& walked : inputs.subspan(split))
      arguments.push_back({Datum(op::row(walked.value.tensor(), turn)), false});
    std::vector<Held> found = body(step, std::move(arguments), frame);
    states.assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(split));
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i].push_back(tensor_in(step, found[split + i].value));
  }
  return with_rows(step, std::move(states), rows);
}

}  // namespace mycel::formats::onnx
