// SPDX-License-Identifier: Apache-2.0
// What a stored program needs of whoever runs it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operator/datum.h"
#include "operator/stored_call.h"

namespace mycel::formats {

using op::Datum;

// Makes loops and choices where a program is written down: its turns are computed once, for all of
// them.
class LoopMaker {
 public:
  virtual ~LoopMaker() = default;

  struct TurnEnd {
    bool has_returned = false;  // the loop ends here, with this value
    Datum value;
    std::vector<Datum> next;  // otherwise: what the next turn begins with
  };
  struct Outcome {
    bool has_returned = false;
    Datum value;
    std::vector<Datum> last;  // otherwise: the values for which there was no further turn
  };
  using Test = std::function<Datum(std::span<const Datum> values)>;
  using Turn = std::function<TurnEnd(std::span<const Datum> values)>;

  virtual Outcome make_loop(const std::string& place, std::span<const Datum> initial,
                            const Test& test, const Turn& turn) = 0;
  // Whether numbers of the loop's own, which may change from turn to turn, are to be tensors.
  virtual bool counts_with_tensors() const { return false; }
  // Whether a graph that calls itself in another way than loops do is an error; otherwise it is
  // called.
  virtual bool needs_loops() const { return true; }
  // Whether calls that may decide something are to be made by `make_choice`.
  virtual bool wants_choices() const { return false; }
  virtual Datum make_choice(const std::string& place, const std::function<Datum()>& body) = 0;
};

// An operator of a file that the registry knows nothing about.
struct ForeignCall {
  std::string_view name;
  std::span<const Datum> arguments;
  const op::DatumMap& attributes;
  bool is_function;  // everything is among the arguments, in the order of the operator's definition
  // What an argument or attribute means for a parameter of this name, where the file has numbers
  // for types and texts; empty: what it is.
  std::function<Datum(std::string_view parameter, const Datum& datum)> meaning = {};
};

class Host {
 public:
  virtual ~Host() = default;
  virtual op::Emitter& emitter() = 0;
  virtual Datum call_foreign(const ForeignCall& call);  // raises, by default
  virtual Datum stop_gradient(const op::Value& value) { return Datum(value); }
  // What a decision is made by; whoever writes the program down may have another way to answer.
  virtual bool truth_of(const Datum& datum) { return op::truth_of(datum); }
  virtual LoopMaker* loop_maker() { return nullptr; }  // null: values decide at once
  virtual std::size_t deepest_call() const { return 1000; }
  // Whether inputs of other shapes than those of the export are an error.
  virtual bool keeps_shapes() const { return true; }
  // Computes something that is known before the network runs: operators are executed, and neither
  // recorded nor differentiated.
  virtual Datum compute_now(const std::function<Datum()>& work) { return work(); }
  // Called between the turns of loops and at calls of graphs; ends the run by throwing.
  virtual void attend() {}
};

}  // namespace mycel::formats
