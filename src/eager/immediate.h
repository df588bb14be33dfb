// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eager/dispatch.h"
#include "eager/interceptor.h"
#include "eager/tape.h"

namespace mycel::eager {

// While it lives, operators called on this thread are executed as they are: nobody keeps them for
// later, differentiates them or computes them in another type.
class Immediate {
 public:
  Immediate() : interceptor_before_(interceptor()) { set_interceptor(nullptr); }
  ~Immediate() { set_interceptor(interceptor_before_); }
  Immediate(const Immediate&) = delete;
  Immediate& operator=(const Immediate&) = delete;

 private:
  Interceptor* interceptor_before_;
  RecordingSwitch recording_{false};
  ComputeTypeSwitch type_{std::nullopt};
};

}  // namespace mycel::eager
