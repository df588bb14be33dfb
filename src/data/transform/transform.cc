// SPDX-License-Identifier: Apache-2.0
#include "data/transform/transform.h"

namespace mycel::data {

RowStreams::RowStreams(const RowRandom& outer) : seed_(outer.seed_), row_(outer.row()) {
  // Bits apart from all seeds that differ by a place.
  seed_ ^= seed_ >> 31;
  seed_ *= 0xBF58476D1CE4E5B9U;
  seed_ ^= seed_ >> 29;
}

ListedTransforms listed(const std::vector<TransformPtr>& list) {
  ListedTransforms places;
  for (const TransformPtr& transform : list) places.push_back({transform, places.size()});
  return places;
}

void run_list(const ListedTransforms& list, const RowStreams& streams, Items& items,
              TransformContext& context) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    RowRandom random = streams.at(list[i].place);
    TransformContext own{random, i + 1 == list.size() ? context.memory : nullptr, context.file,
                         &streams};
    list[i].transform->apply(items, own);
  }
}

}  // namespace mycel::data
