// SPDX-License-Identifier: Apache-2.0
// Values of stored programs as Python has them, in both directions.
#pragma once

#include <nanobind/nanobind.h>

#include "operator/datum.h"

namespace mycel::bindings {

op::Datum datum_from(nanobind::handle object);
std::vector<op::Datum> datums_from(nanobind::handle sequence);
nanobind::object object_from(const op::Datum& datum);
void bind_datums(nanobind::module_& module);

}  // namespace mycel::bindings
