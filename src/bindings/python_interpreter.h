// SPDX-License-Identifier: Apache-2.0
// Python as captured functions know it.
#pragma once

#include <memory>

#include <nanobind/nanobind.h>

#include "capture/interpreter.h"

namespace mycel::bindings {

capture::Interpreter& python_interpreter();

// Shares something that holds Python objects: it is let go under the interpreter lock, whoever has
// it last. What outlives the interpreter is never freed.
template <class T>
std::shared_ptr<T> shared_under_lock(T value) {
  return std::shared_ptr<T>(new T(std::move(value)), [](T* held) {
    if (Py_IsInitialized() == 0) return;
    const nanobind::gil_scoped_acquire lock;
    delete held;
  });
}

}  // namespace mycel::bindings
