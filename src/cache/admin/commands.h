// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "cache/admin/arguments.h"

namespace mycel::cache {

// Runs the command; success is printed to `out`. The error is what to print and the command failed.
platform::Result<platform::Done> run_command(const Arguments& arguments, std::ostream& out);

}  // namespace mycel::cache
