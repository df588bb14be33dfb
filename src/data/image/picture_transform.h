// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "data/image/image.h"

namespace mycel::data {

using PictureFunction = std::function<Tensor(const Pictures&, TransformContext&)>;

// A transform that is one function of the picture and of the row's random numbers.
TransformPtr picture_transform(std::string name, PictureRank rank, bool is_random,
                               PictureFunction function);

// The same after a draw: with this probability, else the picture stays as it is.
TransformPtr picture_transform_sometimes(std::string name, PictureRank rank, double probability,
                                         PictureFunction function);

}  // namespace mycel::data
