// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mycel::serving {

// A page that shows what /status says, and how it changes. It needs nothing from elsewhere.
std::string_view status_page();

}  // namespace mycel::serving
