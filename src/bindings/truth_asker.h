// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

namespace mycel::bindings {

// Asked whether a recorded tensor is true, on the thread that set it, so that nobody has to look at
// the value. Null: the value is looked at.
inline thread_local PyObject* truth_asker = nullptr;

}  // namespace mycel::bindings
