// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/message/written_message.h"

namespace mycel::formats::writing {

struct Weight {
  std::string name;
  tensor::Tensor tensor;
};

// Where in a file beside the model a weight lies.
struct DataPlace {
  std::string location;
  std::int64_t offset = 0, length = 0;
};
using Places = std::map<std::string, DataPlace>;  // by the weight's name

// A network that is ready to be written to a file.
class WrittenFile {
 public:
  virtual ~WrittenFile() = default;
  virtual std::vector<Weight> weights() const = 0;
  // The whole; weights are in it, or where `places` says.
  virtual WrittenMessage message(const Places& places) const = 0;
};

}  // namespace mycel::formats::writing
