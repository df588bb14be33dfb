// SPDX-License-Identifier: Apache-2.0
// The messages of MindIR files.
#pragma once

#include "formats/message/message_spec.h"

namespace mycel::formats {

const MessageSpec& mindir_model();
const MessageSpec& mindir_graph();

}  // namespace mycel::formats
