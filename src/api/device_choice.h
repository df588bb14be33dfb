// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "include/api/context.h"

namespace mycel::api {

// What a model is built for, as it was when it was built.
struct Target {
  std::string device = "CPU";
  int threads = 0;  // of one call; 0: as many as there are
};

bool is_available(enum mindspore::DeviceType type);
// The first device of the context that is there. Refuses an empty list, and one of which none is.
Target choose_target(mindspore::Context& context);

}  // namespace mycel::api
