// SPDX-License-Identifier: Apache-2.0
// Loops over the rows of tensors, whose turns make rows of others.
#include <cstring>

#include "capture/declined.h"
#include "capture/recorder.h"
#include "capture/region_values.h"
#include "eager/dispatch.h"
#include "eager/tape.h"
#include "operator/registry.h"
#include "platform/error/error.h"

namespace mycel::capture {

using op::TensorSpec;

namespace {

Tensor number(std::int64_t number) {
  Tensor tensor = Tensor::empty({}, tensor::DType::Int64);
  *tensor.data<std::int64_t>() = number;
  return tensor;
}

TensorSpec rows_like(const Tensor& row, std::int64_t count) {
  TensorSpec spec{row.dtype(), row.shape(), false};
  spec.shape.insert(0, count);
  return spec;
}

}  // namespace

// Zeros, which are computed when the graph runs: it need not hold them.
Tensor Recorder::blank(const TensorSpec& spec) {
  const op::OpDef& stretch = op::find("broadcast_to");
  const Tensor zero = Tensor::empty({}, spec.dtype);
  std::memset(zero.raw(), 0, zero.bytes());
  op::AttributeList attributes(stretch.attributes.size());
  attributes[static_cast<std::size_t>(stretch.find_attribute("shape"))] = spec.shape;
  return promise(spec, add(stretch, {constant(zero)}, std::move(attributes), {spec}).output());
}

std::vector<Tensor> Recorder::begin_scan(std::int64_t count, std::span<const Tensor> initial,
                                         std::span<const Tensor> rows,
                                         std::span<const Tensor> made) {
  require_can_open();
  std::vector<Tensor> first{number(0)};
  first.insert(first.end(), initial.begin(), initial.end());
  for (const Tensor& row : made) first.push_back(blank(rows_like(row, count)));
  std::vector<Tensor> state = begin_loop(first);
  state = begin_turn(called("less", {value_of(state[0]), eager::emitter().integer(count)}));
  regions_.back().state = state;
  std::vector<Tensor> given(state.begin() + 1,
                            state.begin() + 1 + static_cast<std::ptrdiff_t>(initial.size()));
  TurnTape* const tape = regions_.back().tape.get();
  for (const Tensor& all : rows) {
    {
      const eager::RecordingSwitch off(false);
      given.push_back(row_at(all, state[0]));
    }
    const bool is_watched =
        tape != nullptr && has_gradient(all.dtype()) && eager::node_of(all) != nullptr;
    if (!is_watched) continue;
    tape->call->watch_stand_in(given.back(), eager::detach(given.back()));
    tape->scanned.push_back({all, given.back()});
  }
  return given;
}

std::vector<Tensor> Recorder::end_scan(std::span<const Tensor> next, std::span<const Tensor> made) {
  innermost(ir::NodeKind::While, 1);
  const std::vector<Tensor> state = regions_.back().state;
  if (state.size() != next.size() + made.size() + 1)
    throw Declined("gives another number of tensors than in its first turn");
  const Tensor one = eager::number_tensor(std::int64_t{1});
  std::vector<Tensor> after{called("add", {value_of(state[0]), value_of(one)})};
  after.insert(after.end(), next.begin(), next.end());
  TurnTape* const tape = regions_.back().tape.get();
  for (std::size_t i = 0; i < made.size(); ++i) {
    const Tensor& all = state[after.size()];
    const TensorSpec expected = rows_like(made[i], all.shape()[0]);
    if (expected.dtype != all.dtype() || expected.shape != all.shape())
      throw Declined("makes a result of another type or shape in another turn");
    if (tape != nullptr) tape->made.push_back({after.size(), made[i]});
    const eager::RecordingSwitch off(false);
    after.push_back(with_row(all, made[i], state[0], true));
  }
  std::vector<Tensor> results = end_loop(after);
  results.erase(results.begin());
  return results;
}

}  // namespace mycel::capture
