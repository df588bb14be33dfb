// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "operator/attribute.h"

namespace mycel::bindings {

// An attribute as Python sees it: a number, a text, a dtype, a tuple of numbers or None.
nanobind::object attribute_object(const op::AttributeValue& value);

}  // namespace mycel::bindings
