// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/operator_use.h"

namespace mycel::ops {

// What no rule for writing files writes: they hold networks as they are after training.
[[noreturn]] inline void refuse_training(const op::OperatorUse& call) {
  call.refuse("it belongs to training; call 'set_train(False)' before exporting");
}

}  // namespace mycel::ops
