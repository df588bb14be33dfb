// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of ONNX files.
#include <cctype>
#include <functional>

#include "operator/define.h"
#include "ops/onnx_arguments.h"

namespace mycel::ops {
namespace {

// Weights of one direction, with the rows of gates in our order.
struct Direction {
  Value weight, hidden_weight, bias, hidden_bias;  // the biases may be absent
  std::int64_t units = 0;

  // Of input and state together.
  Value joint_bias() const { return bias.defined() ? bias + hidden_bias : Value(); }
};

struct Scan {
  Value input;      // (steps, rows, features)
  ValueList first;  // states
  Value lengths;    // of the rows; may be absent
  bool is_backward = false;
};

// What a layer does with one direction: the states of all steps, one list for each kind of state.
using Run = std::function<ValueList(const Direction& direction, const Scan& scan)>;

class Layer {
 public:
  // `gates`: where our gates stand among those of the file; `states`: names of the first ones.
  Layer(const StoredCall& call, IntList gates, std::vector<std::string_view> states,
        std::vector<std::string> activations)
      : call_(call), gates_(std::move(gates)), states_(std::move(states)) {
    const std::string direction = call.text("direction", "forward");
    const bool is_known =
        direction == "forward" || direction == "reverse" || direction == "bidirectional";
    call.require(is_known, ErrorKind::Value, "the direction '", direction, "' is not known.");
    if (direction != "reverse") is_backward_.push_back(false);
    if (direction != "forward") is_backward_.push_back(true);
    check_activations(activations);
    if (call.has("clip") || call.flag("input_forget", false))
      call.refuse("clipping, or joining input and forget gates,");
  }

  ValueList operator()(const Run& run) const {
    const bool is_by_rows = call_.integer("layout", 0) != 0;
    const auto turned = [&](const Value& value) {
      if (!is_by_rows || !value.defined()) return value;
      return call_.call("swapaxes", {value}, {{"axis0", 0}, {"axis1", 1}});
    };
    const Value x = turned(call_.tensor("X"));
    call_.require(x.rank() == 3 && x.shape()[0] > 0, ErrorKind::Value,
                  "the input must have steps, rows and features, but has the shape ", x.shape(),
                  ".");
    ValueList firsts;
    for (const std::string_view state : states_)
      firsts.push_back(turned(call_.optional_tensor(state)));
    ValueList sequences;
    std::vector<ValueList> lasts(states_.size());
    for (std::size_t i = 0; i < is_backward_.size(); ++i) {
      const Direction direction = weights(static_cast<std::int64_t>(i));
      Scan scan{x, {}, call_.optional_tensor("sequence_lens"), is_backward_[i]};
      for (const Value& first : firsts)
        scan.first.push_back(first.defined() ? row(first, static_cast<std::int64_t>(i))
                                             : zeros(x, direction.units));
      const ValueList states = run(direction, scan);
      for (std::size_t kind = 0; kind < lasts.size(); ++kind)
        lasts[kind].push_back(row(states[kind], scan.is_backward ? 0 : x.shape()[0] - 1));
      sequences.push_back(without_ends(states[0], scan.lengths));
    }
    ValueList results{call_.call("stack", sequences, {{"axis", 1}})};
    if (is_by_rows) results[0] = call_.call("transpose", results, {{"perm", IntList{2, 0, 1, 3}}});
    for (const ValueList& last : lasts) results.push_back(turned(call_.call("stack", last)));
    return results;
  }

 private:
  // All directions must have the usual ones.
  void check_activations(const std::vector<std::string>& usual) const {
    if (!call_.has("activations") || call_["activations"].items().empty()) return;
    const std::vector<Datum>& given = call_["activations"].items();
    call_.require(given.size() == usual.size() * is_backward_.size(), ErrorKind::Value,
                  "there must be ", usual.size() * is_backward_.size(), " activations, but got ",
                  given.size(), ".");
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::string name = lower(given[i]);
      const std::string& expected = usual[i % usual.size()];
      if (name != expected) call_.refuse("the activation '", name, "'");
    }
  }

 public:
  static std::string lower(const Datum& datum) {
    std::string name = datum.is_text() ? datum.text() : "";
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name;
  }

 private:
  Value zeros(const Value& x, std::int64_t units) const {
    return call_.call(
        "fill", {}, {{"dtype", x.dtype()}, {"shape", IntList{x.shape()[1], units}}, {"value", 0}});
  }

  Direction weights(std::int64_t number) const {
    Direction direction;
    const Value hidden = row(call_.tensor("R"), number);
    direction.units = hidden.shape().back();
    direction.hidden_weight = ordered(hidden, direction.units);
    direction.weight = ordered(row(call_.tensor("W"), number), direction.units);
    if (!call_.has("B")) return direction;
    const Value bias = row(call_.tensor("B"), number);
    const std::int64_t half = static_cast<std::int64_t>(gates_.size()) * direction.units;
    direction.bias = ordered(positions(bias, 0, 0, half), direction.units);
    direction.hidden_bias = ordered(positions(bias, 0, half, half), direction.units);
    return direction;
  }

  Value ordered(const Value& x, std::int64_t units) const {
    if (gates_.size() == 1) return x;
    IntList rows;
    for (const std::int64_t gate : gates_)
      for (std::int64_t i = 0; i < units; ++i) rows.push_back(gate * units + i);
    return call_.call("gather", {x, numbers(call_, rows)}, {{"axis", 0}});
  }

  // ONNX wants zeros after the end of a row.
  Value without_ends(const Value& states, const Value& lengths) const {
    if (!lengths.defined()) return states;
    const Value time = call_.reshape(
        call_.call("arange", {}, {{"end", states.shape()[0]}, {"dtype", DType::Int32}}),
        {-1, 1, 1});
    const Value ends = call_.reshape(call_.cast(lengths, DType::Int32), {1, -1, 1});
    return call_.call("where", {call_.call("greater_equal", {time, ends}),
                                call_.call("zeros_like", {states}), states});
  }

  const StoredCall& call_;
  IntList gates_;
  std::vector<std::string_view> states_;
  std::vector<bool> is_backward_;
};

// The form that resets the state before it is multiplied, step by step.
Value gru_with_early_reset(const StoredCall& call, const Direction& direction, const Value& given,
                           const Scan& scan) {
  const std::int64_t units = direction.units, steps = given.shape()[0];
  ValueList weights, biases;
  for (std::int64_t gate = 0; gate < 3; ++gate) {
    weights.push_back(positions(direction.hidden_weight, 0, gate * units, units));
    biases.push_back(direction.hidden_bias.defined()
                         ? positions(direction.hidden_bias, 0, gate * units, units)
                         : Value());
  }
  Value state = scan.first[0];
  ValueList found(static_cast<std::size_t>(steps));
  for (std::int64_t i = 0; i < steps; ++i) {
    const std::int64_t time = scan.is_backward ? steps - 1 - i : i;
    const Value now = row(given, time);
    const auto gate = [&](std::size_t number, const Value& from, std::string_view activation) {
      const Value part = positions(now, 1, static_cast<std::int64_t>(number) * units, units);
      const Value reached = call.call("dense", {from, weights[number], biases[number]});
      return call.call(activation, {part + reached});
    };
    const Value reset = gate(0, state, "sigmoid"), update = gate(1, state, "sigmoid");
    const Value fresh = gate(2, reset * state, "tanh");
    Value next = fresh + update * (state - fresh);
    if (scan.lengths.defined()) {
      const Value ends = call.cast(scan.lengths, DType::Int32);
      const Value goes_on = call.call("less", {call.emitter().integer(time), ends});
      next = call.call("where", {call.reshape(goes_on, {-1, 1}), next, state});
    }
    state = next;
    found[static_cast<std::size_t>(time)] = next;
  }
  return call.call("stack", found);
}

}  // namespace

MYCEL_ONNX(LSTM, "X W R B sequence_lens initial_h initial_c P") {
  if (call.has("P")) call.refuse("peepholes");
  const Layer layer(call, {0, 2, 3, 1}, {"initial_h", "initial_c"}, {"sigmoid", "tanh", "tanh"});
  return layer([&](const Direction& direction, const Scan& scan) {
    const Value given = call.call("dense", {scan.input, direction.weight, direction.joint_bias()});
    return call.call_all(
        "lstm_scan", {given, scan.first[0], scan.first[1], direction.hidden_weight, scan.lengths},
        {{"reverse", scan.is_backward}});
  });
}

MYCEL_ONNX(GRU, "X W R B sequence_lens initial_h") {
  const Layer layer(call, {1, 0, 2}, {"initial_h"}, {"sigmoid", "tanh"});
  return layer([&](const Direction& direction, const Scan& scan) {
    const Value given = call.call("dense", {scan.input, direction.weight, direction.bias});
    if (!call.flag("linear_before_reset", false))
      return ValueList{gru_with_early_reset(call, direction, given, scan)};
    return call.call_all(
        "gru_scan",
        {given, scan.first[0], direction.hidden_weight, direction.hidden_bias, scan.lengths},
        {{"reverse", scan.is_backward}});
  });
}

MYCEL_ONNX(RNN, "X W R B sequence_lens initial_h") {
  std::string activation = "tanh";
  if (call.has("activations") && !call["activations"].items().empty() &&
      Layer::lower(call["activations"].items()[0]) == "relu")
    activation = "relu";
  const Layer layer(call, {0}, {"initial_h"}, {activation});
  return layer([&](const Direction& direction, const Scan& scan) {
    const Value given = call.call("dense", {scan.input, direction.weight, direction.joint_bias()});
    return call.call_all("simple_scan",
                         {given, scan.first[0], direction.hidden_weight, scan.lengths},
                         {{"nonlinearity", activation}, {"reverse", scan.is_backward}});
  });
}

}  // namespace mycel::ops
