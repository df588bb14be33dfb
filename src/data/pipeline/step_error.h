// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/error/error.h"

namespace mycel::data {

// A failure inside a step that knows more than a text. Whoever knows the row adds it.
class StepError : public platform::Error {
 public:
  using Error::Error;
  // Throws the same failure with a note at its end.
  [[noreturn]] virtual void rethrow_with(const std::string& note) const = 0;
};

}  // namespace mycel::data
