// SPDX-License-Identifier: Apache-2.0
// Failures of a pipeline as users know them: texts in blocks.
#pragma once

#include <string>

namespace mycel::data {

// Something that a user wrote has raised; `traceback`: what was running, and where it was raised.
std::string user_failure_text(const std::string& traceback);
// Something else was wrong.
std::string pipeline_failure_text(const std::string& message);

}  // namespace mycel::data
