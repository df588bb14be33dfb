// SPDX-License-Identifier: Apache-2.0
#include "ops/nn/onnx_scan.h"

namespace mycel::ops {

using op::OperatorUse;
using op::onnx::Call;
using op::onnx::NamedList;
using op::onnx::Symbol;
using op::onnx::Table;
using tensor::DType;
using tensor::IntList;

namespace {

// Rows of gates in the order of ONNX.
Symbol reordered(const Symbol& x, const IntList& gates, std::int64_t units) {
  if (gates.size() == 1) return x;
  IntList rows;
  for (const std::int64_t gate : gates)
    for (std::int64_t i = 0; i < units; ++i) rows.push_back(gate * units + i);
  return x.take(rows, 0);
}

struct InputSide {
  Symbol x, weight, bias;
};

InputSide input_side(const Call& call, const IntList& gates, std::int64_t units) {
  const auto width = static_cast<std::int64_t>(gates.size()) * units;
  const auto zeros = call.filled({width}, 0);
  const std::unique_ptr<Call> source = call.producer(0);
  if (source != nullptr && source->definition().name == "dense" && source->rank_of(0) == 3 &&
      source->rank_of(1) == 2 && source->shape_of(0)[2] > 0) {
    const auto weight = reordered(source->input(1, call.dtype()), gates, units);
    const auto bias = source->input(2, call.dtype());
    return {source->input(0, call.dtype()), weight,
            bias.defined() ? reordered(bias, gates, units) : zeros};
  }
  const auto identity =
      Table::of(width * width, [&](std::int64_t i) { return i / width == i % width; });
  const auto weight = call.table({{width, width}, identity.values});
  return {call.input(), reordered(weight, gates, units), zeros};
}

Symbol with_direction(const Symbol& x) { return x.unsqueeze({0}); }

}  // namespace

WrittenScan written_scan(const Call& call, std::string_view kind, const IntList& gates,
                         const ScanOperands& operands, const NamedList& attributes) {
  const std::int64_t steps = call.shape()[0], rows = call.shape()[1], units = call.shape()[2];
  const auto [x, weight, bias] = input_side(call, gates, units);
  const auto hidden_weight = reordered(call.input(operands.weight), gates, units);
  const bool has_bias = operands.bias && call.has(*operands.bias);
  const auto hidden_bias = has_bias
                               ? reordered(call.input(*operands.bias), gates, units)
                               : call.filled({static_cast<std::int64_t>(gates.size()) * units}, 0);
  const auto lengths = call.input(operands.lengths, DType::Int32);
  const auto first = with_direction(call.input(operands.hidden));
  const auto both_biases = with_direction(op::onnx::joined({bias, hidden_bias}, 0));
  std::vector<op::onnx::Operand> others{with_direction(weight), with_direction(hidden_weight),
                                        both_biases, lengths, first};
  if (operands.cell) others.emplace_back(with_direction(call.input(*operands.cell)));
  const bool is_reversed = call.flag("reverse");
  NamedList all{{"hidden_size", units}, {"direction", is_reversed ? "reverse" : "forward"}};
  all.insert(all.end(), attributes.begin(), attributes.end());
  const std::vector<DType> types(operands.cell ? 3 : 2, x.dtype());
  const auto made = x.several(kind, others, types, all);

  auto hidden = made[0].squeeze({1});
  if (lengths.defined()) {  // ONNX has zeros after the end of a row, we the state it had
    const auto time = call.table(Table::positions(steps).shaped({steps, 1, 1}), DType::Int32);
    const auto has_ended = time >= lengths.reshape({1, rows, 1});
    hidden = has_ended.where(is_reversed ? first : made[1], hidden);
  }
  return {hidden, {made.begin() + 1, made.end()}};
}

bool only_last_is_read(const Call& call, std::size_t output) {
  const std::int64_t last = call.flag("reverse") ? 0 : call.shape()[0] - 1;
  return call.all_readers(output, [&](const OperatorUse& reader) {
    return reader.definition().name == "index_view" && reader.ints("begin")[0] == last &&
           reader.ints("length")[0] == 1;
  });
}

}  // namespace mycel::ops
