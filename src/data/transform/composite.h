// SPDX-License-Identifier: Apache-2.0
// Transforms made of transforms.
#pragma once

#include <vector>

#include "data/transform/transform.h"

namespace mycel::data {

using TransformList = std::vector<TransformPtr>;

TransformPtr compose(const TransformList& list);                           // one after the other
TransformPtr random_apply(const TransformList& list, double probability);  // all of them or none
TransformPtr random_choice(const TransformList& list);                     // one of them
TransformPtr random_order(const TransformList& list);                      // all of them, shuffled

}  // namespace mycel::data
