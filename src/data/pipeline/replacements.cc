// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/replacements.h"

namespace mycel::data {

void Replacements::clear() {
  held_.clear();
  used_.clear();
  owed_ = 0;
}

void Replacements::stand_in(std::deque<Row>& out) {
  out.push_back(held_.front());
  used_.push_back(std::move(held_.front()));
  held_.pop_front();
}

void Replacements::good(Row row, std::deque<Row>& out) {
  if (owed_ > 0 && held_.size() == kHeld) {
    stand_in(out);
    --owed_;
  }
  if (held_.size() < kHeld) {
    held_.push_back(row);
    held_.back().charge.release();  // it is held whatever the reader does
    if (!used_.empty()) used_.pop_front();
  }
  out.push_back(std::move(row));
}

void Replacements::bad(std::deque<Row>& out) {
  if (held_.size() == kHeld)
    stand_in(out);
  else
    ++owed_;
}

void Replacements::end(std::deque<Row>& out) {
  if (owed_ > 0 && held_.empty() && used_.empty())
    platform::fail(ErrorKind::Runtime, "All data is garbage and cannot be replaced.");
  held_.insert(held_.end(), used_.begin(), used_.end());
  for (std::size_t i = 0; i < owed_; ++i) out.push_back(held_[i % held_.size()]);
  clear();
}

}  // namespace mycel::data
