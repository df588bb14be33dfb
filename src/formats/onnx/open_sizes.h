// SPDX-License-Identifier: Apache-2.0
// ONNX models of networks whose inputs have axes of unknown size. The network is written for three
// sizes. Whole numbers in which the models differ, sizes in shapes or ends of slices, are explained
// by the sizes of the inputs from two of them, checked with the third, and computed in the model;
// whatever else differs cannot be written for all sizes.
#pragma once

#include <vector>

#include "formats/onnx/written_model.h"

namespace mycel::formats::onnx {

// The first of some models, for all sizes. RuntimeError: what the network does depends on the size.
WrittenModel::Parts with_open_sizes(std::vector<WrittenModel::Parts> models,
                                    const std::vector<OpenAxis>& axes);

}  // namespace mycel::formats::onnx
