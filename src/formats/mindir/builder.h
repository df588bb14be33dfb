// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "formats/message/message_view.h"
#include "formats/mindir/model.h"
#include "formats/mindir/values.h"

namespace mycel::formats::mindir {

// From the message of a file to graphs whose names are all resolved. `parameters`: those of the
// main graph, or of files beside it, with whoever reads their data.
struct StoredParameters {
  MessageView graph;
  TensorReader* tensors;
};
std::shared_ptr<const Model> build(const MessageView& model,
                                   std::span<const StoredParameters> parameters,
                                   const ValueReader& values);

}  // namespace mycel::formats::mindir
