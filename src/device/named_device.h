// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "device/backend.h"

namespace mycel::device {

// A device as users name it. RuntimeError when there is none of that kind.
// Of several devices of a kind, the one that is current.
Device named_device(std::string_view backend);
// RuntimeError that says how many there are when there is no such one.
Device named_device(std::string_view backend, int index);

}  // namespace mycel::device
