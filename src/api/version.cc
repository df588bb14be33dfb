// SPDX-License-Identifier: Apache-2.0
#include "include/api/types.h"

namespace mindspore {

std::vector<char> CharVersion() { return StringToChar(MYCEL_VERSION); }

}  // namespace mindspore
