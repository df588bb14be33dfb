// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "operator/op_def.h"

namespace mycel::op {

// Calls of elementwise operators on single elements, one after the other, made ready once: what is
// left of a call is the arithmetic. Gives the bits that the operators give.
//
// What steps read and write has numbers, its places. Whoever runs the steps says where each place
// lies: an operand of the program, a constant from here, or room for what a step leaves for the
// next ones of its call.
class SingleCalls {
 public:
  using Place = std::uint32_t;
  // Of operands and a number of elements, which is 1; operands that it does not have are anything.
  using Function = void (*)(const void*, const void*, const void*, const void*, void*,
                            std::int64_t);
  // From elements a step apart to others, likewise.
  using Conversion = void (*)(const void* from, std::int64_t from_step, void* to,
                              std::int64_t to_step, std::int64_t count);
  struct Step {
    Function compute = nullptr;
    Conversion convert = nullptr;  // instead of that, of the first operand
    std::array<Place, 4> operands = {0, 0, 0, 0};
    Place result = 0;
  };
  struct Calls {
    std::uint32_t first = 0, last = 0;  // steps
  };
  static constexpr std::size_t kBytes = 16;  // that a constant or a room has

  enum class PlaceKind : std::uint8_t { Operand, Constant, Room };
  struct PlaceSource {
    PlaceKind kind = PlaceKind::Operand;
    std::size_t index = 0;  // of an operand: as its owner counts; of a constant or room: which
  };

  Place operand(std::size_t index) { return add(PlaceKind::Operand, index); }
  Place constant(std::span<const char> value);  // at most kBytes of them
  // Room that steps of one call need at a time; the next call may use it again.
  Place room(std::size_t index);
  void add_step(const Step& step) { steps_.push_back(step); }

  std::uint32_t step_count() const { return static_cast<std::uint32_t>(steps_.size()); }
  std::span<const PlaceSource> places() const { return places_; }
  std::size_t rooms() const { return rooms_; }
  const char* constant_at(std::size_t index) const { return constants_[index].bytes.data(); }

  void run(Calls calls, char* const* places) const {
    const Step* const end = steps_.data() + calls.last;
    for (const Step* step = steps_.data() + calls.first; step != end; ++step) {
      const auto at = [&](std::size_t i) { return places[step->operands[i]]; };
      if (step->compute != nullptr)
        step->compute(at(0), at(1), at(2), at(3), places[step->result], 1);
      else
        step->convert(at(0), 1, places[step->result], 1, 1);
    }
  }

 private:
  Place add(PlaceKind kind, std::size_t index) {
    places_.push_back({kind, index});
    return static_cast<Place>(places_.size() - 1);
  }

  struct Constant {
    alignas(kBytes) std::array<char, kBytes> bytes;
  };
  std::vector<Step> steps_;
  std::vector<PlaceSource> places_;
  std::deque<Constant> constants_;  // stay where they are
  std::size_t rooms_ = 0;
};

// What a call is made of, and where its operands are among those of its owner: inputs from `first`
// on, the output behind them.
struct SingleCall {
  const OpDef& definition;
  std::span<const AttributeValue> attributes;
  std::span<const tensor::Tensor> inputs;
  const tensor::Tensor& output;
  std::size_t first = 0;
};

// How a backend adds one; false: it does not.
using SingleCallMaker = bool (*)(const SingleCall& call, SingleCalls& calls);
void set_single_call_maker(SingleCallMaker maker);  // of the host

// Adds a call on tensors of one element each with these types; no steps: such calls are made as
// others are.
SingleCalls::Calls add_single_call(const SingleCall& call, SingleCalls& calls);

}  // namespace mycel::op
