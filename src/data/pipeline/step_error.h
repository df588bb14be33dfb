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
  // Throws the same failure with a note at its end.
  [[noreturn]] virtual void rethrow_with(const std::string& note) const = 0;
};

// "This is row 3 of its source, in pass 1 over it."
std::string place_of(const Row& row);
// "The corresponding data file is: F. ", when the row has one.
std::string file_of(const Row& row);

// Inside a catch block: throws the failure again, with what was going on in front of it and the row
// behind it. What is no Error (a stop) goes on as it is.
[[noreturn]] void rethrow_located(const std::string& operation, const Row& row);

// The same for a failure that was kept.
std::exception_ptr located(const std::exception_ptr& failure, const std::string& operation,
                           const Row& row);

}  // namespace mycel::data
