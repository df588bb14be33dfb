// SPDX-License-Identifier: Apache-2.0
#include "ops/shape/mindir_windows.h"

namespace mycel::ops {

using op::Datum;
using op::mindir::Operand;
using op::mindir::Symbol;
using tensor::IntList;
using tensor::Shape;

Symbol window(const Symbol& x, IntList begin, const IntList& length, IntList step) {
  IntList turned;
  for (std::size_t i = 0; i < step.size(); ++i)
    if (step[i] < 0 && length[i] > 1) turned.push_back(static_cast<std::int64_t>(i));
  const Symbol source = turned.empty() ? x : x.add("ReverseV2", {}, {}, {{"axis", turned}});
  bool is_all = true;
  IntList end;
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (holds(turned, static_cast<std::int64_t>(i))) begin[i] = x.shape()[i] - 1 - begin[i];
    step[i] = std::abs(step[i]);
    is_all &= begin[i] == 0 && length[i] == x.shape()[i] && (step[i] == 1 || length[i] == 1);
    end.push_back(begin[i] + (length[i] - 1) * step[i] + 1);
  }
  if (is_all) return source;
  return source.add("StridedSlice", {begin, end, step}, {.shape = length},
                    {{"begin_mask", 0},
                     {"end_mask", 0},
                     {"ellipsis_mask", 0},
                     {"new_axis_mask", 0},
                     {"shrink_axis_mask", 0}});
}

namespace {

Symbol with_zeros(const Symbol& x, const Rims& rims) {
  Shape shape;
  std::vector<Datum> pairs;
  for (std::size_t i = 0; i < rims.size(); ++i) {
    shape.push_back(x.shape()[i] + rims[i].first + rims[i].second);
    pairs.push_back(Datum::tuple(IntList{rims[i].first, rims[i].second}));
  }
  return x.add("Pad", {}, {.shape = shape}, {{"paddings", Datum::tuple(std::move(pairs))}});
}

bool is_zero(const Datum& number) {
  return number.is_real() ? number.real() == 0 : number.is_int() && number.integer() == 0;
}

}  // namespace

Symbol padded(const Symbol& x, const Rims& rims, const Operand& value) {
  if (std::all_of(rims.begin(), rims.end(),
                  [](const auto& rim) { return rim.first == 0 && rim.second == 0; }))
    return x;
  if (is_zero(value.datum())) return with_zeros(x, rims);
  Symbol whole = x;
  for (std::size_t i = 0; i < rims.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    const auto rim = [&](std::int64_t width) {
      return whole.number(value.datum()).broadcast(with_size(whole.shape(), axis, width));
    };
    std::vector<Symbol> parts{whole};
    const auto [before, after] = rims[i];
    if (before > 0) parts.insert(parts.begin(), rim(before));
    if (after > 0) parts.push_back(rim(after));
    if (parts.size() == 1) continue;
    whole = joined("Concat", parts,
                   with_size(whole.shape(), axis, before + whole.size(axis) + after), axis);
  }
  return whole;
}

}  // namespace mycel::ops
