// SPDX-License-Identifier: Apache-2.0
// Transforms made of transforms.
#pragma once

#include <vector>

#include "data/transform/transform.h"

namespace mycel::data {

using TransformList = std::vector<TransformPtr>;

TransformPtr compose(TransformList list);                           // one after the other
TransformPtr random_apply(TransformList list, double probability);  // all of them or none
TransformPtr random_choice(TransformList list);                     // one of them
TransformPtr random_order(TransformList list);                      // all of them, shuffled

}  // namespace mycel::data
