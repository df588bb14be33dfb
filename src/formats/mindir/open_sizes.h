// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "formats/message/written_message.h"

namespace mycel::formats::mindir {

// One model of a network whose inputs have axes of unknown size, from what was written for several
// sizes: what all say, and sizes in which they differ only are left open. RuntimeError that names
// the network where they say different things.
WrittenMessage with_open_sizes(const std::string& network,
                               std::span<const WrittenMessage* const> models);

}  // namespace mycel::formats::mindir
