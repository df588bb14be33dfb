// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>

#include "data/pipeline/row.h"

namespace mycel::data {

// Keeps the number of rows equal when some cannot be made: good rows stand in for them. Up to 16
// good rows that have not stood in yet are held. While 16 are held, a bad row is replaced at once
// by the oldest of them; otherwise the replacement is owed. Debts are paid one at a time in front
// of later good rows as soon as 16 are held, the rest at the end of the pass, going round through
// the held.
class Replacements {
 public:
  void clear();
  // A row came: what goes out now is appended to `out`.
  void good(Row row, std::deque<Row>& out);
  void bad(std::deque<Row>& out);
  // The pass is over.
  void end(std::deque<Row>& out);

 private:
  static constexpr std::size_t kHeld = 16;
  void stand_in(std::deque<Row>& out);

  std::deque<Row> held_;
  std::deque<Row> used_;
  std::size_t owed_ = 0;
};

}  // namespace mycel::data
