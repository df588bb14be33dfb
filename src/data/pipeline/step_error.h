// SPDX-License-Identifier: Apache-2.0
// Failures on their way to the reader learn which row they are about.
#pragma once

#include <exception>
#include <string>

#include "data/pipeline/row.h"
#include "platform/error/error.h"

namespace mycel::data {

// A failure inside a step that knows more than a text. Whoever knows the row adds it.
class StepError : public platform::Error {
 public:
  using Error::Error;
  // The same failure with a note at its end.
  virtual std::exception_ptr with(const std::string& note) const = 0;
};

// "This is row 3 of its source, in pass 1 over it."
std::string place_of(const Row& row);
// "The corresponding data file is: F. ", when the row has one.
std::string file_of(const Row& row);

// The failure with what was going on in front of it and the row behind it. What is no Error (a
// stop) stays as it is.
std::exception_ptr located(const std::exception_ptr& failure, const std::string& operation,
                           const Row& row);
// Inside a catch block: throws it again like that.
[[noreturn]] void rethrow_located(const std::string& operation, const Row& row);

// A failure that knows what was going on, with a note at its end. Others are left as they are.
std::exception_ptr noted(const std::exception_ptr& failure, const std::string& note);

}  // namespace mycel::data
