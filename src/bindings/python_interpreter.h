// SPDX-License-Identifier: Apache-2.0
// Python as captured functions know it.
#pragma once

#include "capture/interpreter.h"

namespace mycel::bindings {

capture::Interpreter& python_interpreter();

}  // namespace mycel::bindings
