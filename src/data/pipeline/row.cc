// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/row.h"

#include <algorithm>

#include "data/pipeline/collate.h"

namespace mycel::data {

void note_bytes(Row& row, std::size_t before) {
  row.bytes = bytes_of(row.items);
  row.peak_bytes = std::max(row.peak_bytes, before + row.bytes);
}

void RowStep::run_all(std::span<Row> rows, std::span<OutputMemory* const> memories) const {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].failure) continue;
    try {
      run(rows[i], memories.empty() ? nullptr : memories[i]);
    } catch (...) {
      rows[i].failure = std::current_exception();
    }
  }
}

namespace {

bool same_work(const Row& a, const Row& b) {
  return std::equal(a.pending.begin(), a.pending.end(), b.pending.begin(), b.pending.end());
}

}  // namespace

void evaluate(std::span<Row> rows, std::span<OutputMemory* const> memories) {
  std::size_t begin = 0;
  while (begin < rows.size()) {
    std::size_t end = begin + 1;
    while (end < rows.size() && same_work(rows[begin], rows[end])) ++end;
    const std::span<Row> group = rows.subspan(begin, end - begin);
    const auto steps = group[0].pending;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const bool last = k + 1 == steps.size() && !memories.empty();
      steps[k]->run_all(
          group, last ? memories.subspan(begin, end - begin) : std::span<OutputMemory* const>());
      for (Row& row : group) note_bytes(row, row.bytes);
    }
    for (Row& row : group) row.pending.clear();
    begin = end;
  }
}

}  // namespace mycel::data
