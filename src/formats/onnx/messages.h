// SPDX-License-Identifier: Apache-2.0
// The messages of ONNX files.
#pragma once

#include "formats/message/message_spec.h"

namespace mycel::formats {

const MessageSpec& onnx_model();

}  // namespace mycel::formats
