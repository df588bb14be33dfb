// SPDX-License-Identifier: Apache-2.0
// Networks as ONNX files: writing what was recorded.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "formats/onnx/graph_writer.h"
#include "formats/writing/network.h"
#include "formats/writing/written_file.h"

namespace mycel::formats::onnx {

struct WritingOptions {
  std::vector<std::string> input_names = {};  // of all tensors of the inputs
  bool is_for_all_sizes = false;  // equal constants may be different for inputs of other sizes
  std::string version = {};       // of the release that writes
};

// An axis of unknown size, and the sizes it has in some models.
struct OpenAxis {
  std::size_t input = 0, axis = 0;
  std::vector<std::int64_t> sizes;
};

class WrittenModel final : public writing::WrittenFile {
 public:
  // TypeError for an operator that ONNX has no counterpart of.
  WrittenModel(const writing::Network& network, const WritingOptions& options,
               op::Emitter& emitter);
  // What was written for three sizes, as one model for all. RuntimeError: what the network does
  // depends on the size.
  static WrittenModel for_all_sizes(std::span<const WrittenModel* const> models,
                                    const std::vector<OpenAxis>& axes);

  std::vector<writing::Weight> weights() const override { return parts_.tensors; }
  WrittenMessage message(const writing::Places& places) const override;

  struct Parts {
    WrittenGraph graph;
    std::vector<writing::Weight> tensors;
    NameGiver names;
  };

 private:
  Parts parts_;
  std::string version_;
};

}  // namespace mycel::formats::onnx
