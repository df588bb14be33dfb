// SPDX-License-Identifier: Apache-2.0
// Values of requests to and from Python. The interpreter lock is held in all of these.
#pragma once

#include <nanobind/nanobind.h>

#include "serving/worker/frame.h"

namespace mycel::bindings {

// One element of text is str, one of bytes an array of uint8, several of either an array of
// objects; everything else an array that refers to the value's bytes.
nanobind::object python_from_value(const serving::Value& value);

// bytes, str, bool, int, float, or what lends its elements in C order: an array or a NumPy scalar.
// TypeError for anything else. An array's bytes are not copied: it has to live as long as the
// value.
serving::Value value_from_python(nanobind::handle object);

nanobind::tuple python_from_instance(const serving::Instance& instance);
serving::Instance instance_from_python(nanobind::handle values);

}  // namespace mycel::bindings
