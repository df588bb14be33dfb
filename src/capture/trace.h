// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capture/interpreter.h"
#include "runtime/executable.h"
#include "tensor/tensor.h"

namespace mycel::capture {

using tensor::Tensor;

// Part of a dense tensor's memory, seen with a shape of its own; places count from its first
// element.
struct Window {
  tensor::Shape shape;
  tensor::Strides strides;
  std::int64_t offset = 0;
  bool operator==(const Window&) const = default;
};
Tensor seen_through(const Window& window, const Tensor& dense);

// A tensor of one run: a value of its table, or a tensor from outside that is read where it is, or
// a part of either.
struct Place {
  int value = -1;              // place in the table of values; -1: none
  Tensor reference;            // then this tensor
  std::optional<Window> part;  // nothing: all of it
  int argument = -1;           // of results: the argument that was handed back as it is
  Tensor in(std::span<const Tensor> values) const;
  bool operator==(const Place& other) const = default;
};

// A look at a value that Python took while it ran: everything after it may depend on what was seen.
struct Reading {
  Place place;
  bool only_shape = false;  // of a result whose shape its kernel decides
};

// What is computed until Python next looks at a value, or returns. Once others can reach it, only
// `next` changes.
struct Step {
  enum class End { Open, Read, Return };

  std::shared_ptr<runtime::Executable> executable;  // null: nothing to compute
  std::vector<int> arguments;                       // places in the table of values
  std::size_t first_result = 0;                     // the results' place in it
  std::size_t result_count = 0;
  std::size_t fingerprint = 0;  // of what was recorded
  End end = End::Open;
  Reading reading;
  std::vector<std::pair<std::string, std::unique_ptr<Step>>> next;  // by what was seen
  std::vector<Place> returned;
  std::shared_ptr<const Epilogue> epilogue;  // makes the result of these
  // The first publication of what its way relies on (specialization.h).
  std::uint64_t since = 0;
};

// Every way a function has gone so far, for one kind of arguments: a tree whose forks are the
// values Python looked at. Ways are added while others are gone on other threads, and none is ever
// taken away.
class Ways {
 public:
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  Step root;

  // The step after `step` for what was seen there; null: nobody has seen that yet, or only since a
  // later publication than `until`.
  Step* find(const Step& step, const std::string& seen, std::uint64_t until = kAll) const;
  // False: somebody has added such a step in the meantime, and `further` stays the caller's.
  bool add(Step& step, const std::string& seen, std::unique_ptr<Step>& further);
  std::size_t forks(const Step& step) const;
  std::size_t step_count() const;
  void visit(const std::function<void(const Step&)>& look) const;

 private:
  mutable std::shared_mutex mutex_;  // guards `next` of all steps
};

// One run through the ways: by a replay, which needs no Python, or by Python under a recorder, or
// by one after the other.
struct Run {
  std::shared_ptr<Ways> ways;
  std::uint64_t until = Ways::kAll;  // the publication of which the conditions have been checked
  std::vector<Tensor> values;        // the table: arguments, then what the steps computed
  std::vector<std::string> seen;     // by the looks on its way
  std::size_t steps = 0;             // that were computed
  Step* last = nullptr;              // where it ended
  bool has_effects = false;          // something has happened that cannot happen again

  // Goes as far as the ways are known: `last` is a Return, or a Read that saw something new.
  void replay(const runtime::Observer& observer = {});
  // Computes a step on the table, which gets the results.
  void compute(const Step& step, const runtime::Observer& observer = {});
};

// Memory that runs write: those of the arguments, by number, and tensors from outside. Whoever
// calls with other memory behind them must not mix it up.
struct WrittenMemory {
  std::vector<std::size_t> written_arguments;
  std::vector<Tensor> written_references, references;
  // Whether nothing that is written is also reached by another name.
  bool is_apart(std::span<const Tensor> arguments) const;
  void add(const WrittenMemory& other);
};

// An argument as a value of the table: dense, whatever strides it has.
Tensor argument_memory(const Tensor& argument);
// Where the argument lies in that; nothing: it is all of it.
std::optional<Window> argument_window(const Tensor& argument);

// What a reading sees now, as comparable bytes.
std::string seen_by(const Reading& reading, std::span<const Tensor> values);

}  // namespace mycel::capture
