// SPDX-License-Identifier: Apache-2.0
// Primitives that compute with numbers as Python does, or with tensors that stand for them.
#pragma once

#include "formats/mindir/primitive.h"

namespace mycel::formats::mindir {

StructuralWork number_work(std::string_view name);  // null: no such primitive

// As Python's ==, without looking into tensors.
bool is_equal(const Datum& one, const Datum& other);

}  // namespace mycel::formats::mindir
