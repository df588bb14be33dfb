// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/executable.h"
#include "tensor/tensor.h"

namespace mycel::capture {

using tensor::Tensor;

// A look at a value that Python took while it ran: everything after it may depend on what was seen.
struct Reading {
  int value = -1;           // place in the table of values; -1: none
  Tensor parameter;         // or a parameter, read where it is
  bool only_shape = false;  // of a result whose shape its kernel decides
};

// What is computed until Python next looks at a value, or returns.
struct Step {
  enum class End { Open, Read, Return };

  std::shared_ptr<runtime::Executable> executable;  // null: nothing to compute
  std::vector<int> arguments;                       // places in the table of values
  std::size_t first_result = 0;                     // the results' place in it
  std::size_t result_count = 0;
  End end = End::Open;
  Reading reading;
  std::vector<std::pair<std::string, std::unique_ptr<Step>>> next;  // by what was seen
  std::vector<int> returned;                                        // places in the table
  std::shared_ptr<void> epilogue;  // what the front end needs to build its result

  Step* find(const std::string& seen) const;
  Step& grow(std::string seen);
};

// Every way a function has gone so far, for one kind of arguments: a tree whose forks are the
// values Python looked at. Running it again needs no Python until a look shows something new.
class Trace {
 public:
  Step root;

  struct Run {
    std::vector<Tensor> values;  // the table: arguments, then what the steps computed
    Step* last = nullptr;        // where it ended
  };
  // Runs from the root; `last` is a Return, or a Read that saw something new.
  void replay(std::vector<Tensor> arguments, Run& run, const runtime::Observer& observer = {});

  std::size_t step_count() const;
  std::size_t work() const;
};

// What a reading sees now, as comparable bytes.
std::string seen_by(const Reading& reading, std::span<const Tensor> values);

}  // namespace mycel::capture
