// SPDX-License-Identifier: Apache-2.0
// Networks as MindIR files: writing what was recorded.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "formats/mindir/graph_writer.h"
#include "formats/writing/network.h"
#include "formats/writing/written_file.h"

namespace mycel::formats::mindir {

struct WritingOptions {
  std::vector<std::string> input_names = {};  // of all tensors of the inputs
  std::optional<std::set<std::string>> own_parameters =
      {};                         // of the network; none: any may be used
  bool is_for_all_sizes = false;  // sizes should not be named where it can be avoided
  std::string version = {};       // of the release that writes
};

class WrittenModel final : public writing::WrittenFile {
 public:
  // TypeError for an operator that has no primitive, ValueError for a parameter that does not
  // belong to the network.
  WrittenModel(const writing::Network& network, const WritingOptions& options,
               op::Emitter& emitter);
  // What was written for several sizes, as one model for all. RuntimeError: what the network does
  // depends on the size.
  static WrittenModel for_all_sizes(std::span<const WrittenModel* const> models);

  const std::string& name() const { return name_; }  // of the network
  std::vector<writing::Weight> weights() const override;
  WrittenMessage message(const writing::Places& places) const override;

 private:
  std::string name_;
  WrittenMessage model_;  // without weights
  std::vector<Weight> weights_;
};

}  // namespace mycel::formats::mindir
