// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mycel::bindings {

// Sets the Python error for what a pipeline threw: call inside a catch block. The text has blocks
// (the user's traceback, the pipeline's message), as users know them.
void set_pipeline_error();

}  // namespace mycel::bindings
