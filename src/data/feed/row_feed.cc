// SPDX-License-Identifier: Apache-2.0
#include "data/feed/row_feed.h"

#include "data/lent_array.h"
#include "tensor/transit.h"

namespace mycel::data {

bool RowFeed::next(std::vector<Tensor>& row) {
  Row made;
  const Pulled pulled = ended_ ? Pulled::EndOfData : stream_->next(made);
  ended_ = pulled == Pulled::EndOfData;
  if (pulled != Pulled::Row) return false;
  row.clear();
  for (std::size_t i = 0; i < made.items.size(); ++i) {
    if (!made.items[i].is_array())
      platform::fail(ErrorKind::Runtime, "The column '", stream_->columns()[i], "' holds ",
                     made.items[i].type_name(),
                     ", which cannot be fed to a network: leave it out with ",
                     "'project', or turn it into numbers.");
    row.push_back(tensor::handed_over(own_array(made.items[i].array())));
  }
  return true;
}

}  // namespace mycel::data
