// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "serving/worker/channel.h"

namespace mycel::serving {

// Loads what the server says and runs models until it says stop or is gone. The exit status of the
// process.
int serve_models(Channel& channel);

}  // namespace mycel::serving
