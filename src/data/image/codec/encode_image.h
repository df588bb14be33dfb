// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/item.h"

namespace mycel::data {

// <height, width>, <height, width, 1> or <height, width, 3> of bytes to a file in memory, one axis.
Item encode_jpeg(const Item& image, int quality);           // 1 to 100
Item encode_png(const Item& image, int compression_level);  // 0 to 9

}  // namespace mycel::data
