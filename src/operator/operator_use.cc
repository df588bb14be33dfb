// SPDX-License-Identifier: Apache-2.0
#include "operator/operator_use.h"

#include <algorithm>
#include <array>

namespace mycel::op {

namespace {

std::size_t width_of(DType dtype) { return dtype == DType::Bool ? 0 : tensor::size_of(dtype); }

DType widest(std::span<const DType> dtypes) {
  return *std::max_element(dtypes.begin(), dtypes.end(),
                           [](DType a, DType b) { return width_of(a) < width_of(b); });
}

std::vector<DType> those(std::span<const DType> dtypes, bool (*is_such)(DType)) {
  std::vector<DType> kept;
  std::copy_if(dtypes.begin(), dtypes.end(), std::back_inserter(kept), is_such);
  return kept;
}

}  // namespace

std::size_t OperatorUse::wanted() const {
  for (std::size_t i = facts_.is_read.size(); i > 1; --i)
    if (facts_.is_read[i - 1]) return i;
  return 1;
}

DType OperatorUse::common_type() const {
  std::vector<DType> known, present;
  for (std::size_t i = 0; i < operand_count(); ++i) {
    if (!has(i)) continue;
    present.push_back(dtype_of(i));
    if (!is_number(i)) known.push_back(dtype_of(i));
  }
  if (known.empty()) known = present;
  if (const auto complex = those(known, tensor::is_complex); !complex.empty())
    return widest(complex);
  const auto is_float = [](DType dtype) { return tensor::is_floating(dtype); };
  if (const auto floats = those(known, is_float); !floats.empty()) {
    const bool is_one =
        std::all_of(floats.begin(), floats.end(), [&](DType dtype) { return dtype == floats[0]; });
    return is_one ? floats[0] : widest(std::array{floats[0], DType::Float32});
  }
  if (std::any_of(present.begin(), present.end(), is_float)) return DType::Float32;
  return widest(known);
}

std::int64_t OperatorUse::axis(std::string_view attribute, std::int64_t rank) const {
  const std::int64_t axis = integer(attribute);
  return axis < 0 ? axis + rank : axis;
}

IntList OperatorUse::axes(std::string_view attribute) const {
  const std::int64_t rank = rank_of();
  IntList axes = is_none(attribute) ? IntList() : ints(attribute);
  if (axes.empty()) {
    for (std::int64_t i = 0; i < rank; ++i) axes.push_back(i);
    return axes;
  }
  for (std::int64_t& axis : axes) {
    if (axis < 0) axis += std::max<std::int64_t>(rank, 1);
  }
  return axes;
}

}  // namespace mycel::op
