// SPDX-License-Identifier: Apache-2.0
// Who answers a question: what only the interpreter of the user's program can say or do.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "ir/graph.h"
#include "ir/size_expression.h"

namespace mycel::capture {

using ir::SizeNumber;

// Makes what a function returns of the tensors that a run gives. The interpreter's own; here it is
// only kept with the way that ends with it. The last reference may be dropped on any thread.
class Epilogue {
 public:
  virtual ~Epilogue() = default;
  // The same where the numbers among the results that depend on sizes are these.
  virtual std::shared_ptr<const Epilogue> with_numbers(
      std::span<const SizeNumber> numbers) const = 0;
};

// Objects of the interpreter are known by their addresses and are opaque. A thread asks while it
// has the right to run the interpreter's code (in Python: the lock), and nothing here is locked
// while it asks: the answer may run code of the user's.
class Interpreter {
 public:
  virtual ~Interpreter() = default;

  // Keeps an object; the last reference may be dropped on any thread.
  virtual std::shared_ptr<const void> hold(const void* object) = 0;
  // Whether a number, a text or a key of a dict is the same, to the bit.
  virtual bool is_equal(const void* now, const void* before) = 0;
  virtual std::string describe(const void* object) = 0;  // for people
  virtual ir::Position position() = 0;                   // the user's line

  // Gives up the right to run its code until `resume`, which gets what `pause` has given.
  virtual void* pause() = 0;
  virtual void resume(void* paused) = 0;
  // From time to time in long work, with that right: throws when the user wants it to end.
  virtual void attend() = 0;
};

// While it lives others may use the interpreter.
class Pause {
 public:
  explicit Pause(Interpreter& interpreter, bool is_worth_it = true)
      : interpreter_(is_worth_it ? &interpreter : nullptr),
        paused_(is_worth_it ? interpreter.pause() : nullptr) {}
  ~Pause() {
    if (interpreter_ != nullptr) interpreter_->resume(paused_);
  }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  Interpreter* interpreter_;
  void* paused_;
};

}  // namespace mycel::capture
