// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "operator/datum.h"

namespace mycel::formats {

op::Datum copied(const op::Datum& tensor);

// What somebody gets must not change when a parameter does: of a parameter, a copy.
op::Datum without_parameters(const op::Datum& result, std::span<const op::Value> parameters);

}  // namespace mycel::formats
