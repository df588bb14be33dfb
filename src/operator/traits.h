// SPDX-License-Identifier: Apache-2.0
// What passes may ask an operator, so that they need to know none by its name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "operator/reduction.h"

namespace mycel::op {

class BlockPlan;
struct OpDef;

// What passes need an operator for when they write nodes of their own.
enum class Purpose : std::uint8_t {
  None,
  NewShape,    // attribute `shape`
  IntoBlocks,  // attribute `block`; see operator/blocking.h
  OutOfBlocks,
};

// An input or output of an operator.
struct ValueRef {
  bool is_output = false;
  int index = 0;
};

// What the operator can do in its own walk of what follows it: operands that it has for that,
// absent otherwise.
struct Absorption {
  int scale = -1, shift = -1;        // a factor and an addend per channel
  int addend = -1;                   // of the result's shape
  std::string_view activation = {};  // an attribute; its choices name the operators it may be
  // The operator that computes its gradient, from that of the result and these values; it has the
  // attribute too, and needs this input with it.
  std::string_view gradient = {};
  std::vector<ValueRef> gradient_reads = {};
  int bias = -1, bias_of_gradient = -1;
};

struct Traits {
  bool is_same_if_types_agree = false;  // then the result is the first input
  bool converts = false;                // the first input in another type
  bool is_own_inverse = false;          // f(f(x)) = x
  bool only_last_counts = false;        // f(f(x, a), b) = f(x, b)
  bool copies = false;                  // the first input in memory of its own
  bool chooses = false;                 // among the last two inputs, by the first
  bool adds = false;                    // the sum of two inputs
  bool communicates = false;            // with other processes, which all have to call it
  bool slope_follows_result = false;    // the derivative at x is that at f(x)
  std::string_view axis_order = {};     // an attribute: where each axis of the result comes from
  // A normalisation by known statistics is a factor and an addend per channel, which this operator
  // computes from the inputs behind the first and the attributes of the same names.
  std::string_view factors = {};
  // The operator that takes one more input, added per channel to the result in the same walk.
  std::string_view with_bias = {};
  Absorption absorbs = {};
  Reduction reduces = {};
  // Whether, and how, it works on activations in blocks (operator/blocking.h).
  bool (*plan_blocks)(BlockPlan& plan) = nullptr;
  Purpose purpose = Purpose::None;
};

// The operator that serves a purpose.
const OpDef& find(Purpose purpose);

}  // namespace mycel::op
