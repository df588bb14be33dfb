// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data/pipeline/batch_stage.h"

namespace mycel::data {

struct BucketOptions {
  std::vector<std::string> length_columns;
  // Of the length columns; empty: the first axis of the only one.
  std::function<std::int64_t(const std::vector<const Item*>&)> length;
  std::vector<std::int64_t> boundaries;  // rising; bucket i holds lengths below boundary i
  std::vector<std::int64_t> sizes;       // one more than boundaries
  bool pad_to_boundary = false;
  BatchOptions batch;  // padding and remainder
};

// Batches of rows of similar length.
StagePtr bucket_stage(StagePtr child, BucketOptions options);

}  // namespace mycel::data
