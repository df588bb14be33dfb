// SPDX-License-Identifier: Apache-2.0
// Rows from the cache in place of the work that makes them.
#pragma once

#include <memory>

#include "data/pipeline/evaluate_stage.h"
#include "data/pipeline/row_cache.h"
#include "data/pipeline/sampler.h"
#include "data/pipeline/stage.h"

namespace mycel::data {

struct CachedOptions {
  BadRows bad_rows = BadRows::Raise;  // of the work below, which is done when the cache has no row
  bool in_order = false;              // that work is done by whoever pulls, row after row
};

// For a source whose rows have numbers, and maps above it. What is pending in a row of `child`
// becomes one step: the cache is asked for the row's number, and what it does not have is made and
// offered. Rows of a batch go from the cache straight to their places.
StagePtr cached_stage(StagePtr child, std::shared_ptr<RowCache> cache,
                      const CachedOptions& options);

// For a source that is read from its beginning to its end. Before the first row comes, the cache
// gets one pass of `child`, unless it has one; `sampler` then chooses among the stored rows.
StagePtr cached_stream_stage(StagePtr child, std::shared_ptr<RowCache> cache, SamplerPtr sampler);

}  // namespace mycel::data
