// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/types.h"

#include <algorithm>
#include <array>
#include <utility>

#include "operator/stored_call.h"

namespace mycel::formats::mindir {

namespace {

using Numbered = std::pair<std::int64_t, DType>;

constexpr std::int64_t kOwnFloat64 = 17;  // another type in ONNX files

constexpr std::array kArgumentTypes{
    Numbered{30, DType::Bool},     Numbered{32, DType::Int8},    Numbered{33, DType::Int16},
    Numbered{34, DType::Int32},    Numbered{35, DType::Int64},   Numbered{37, DType::UInt8},
    Numbered{38, DType::UInt16},   Numbered{39, DType::UInt32},  Numbered{40, DType::UInt64},
    Numbered{42, DType::Float16},  Numbered{43, DType::Float32}, Numbered{44, DType::Float64},
    Numbered{45, DType::BFloat16},
};
constexpr std::array kOldComplex{Numbered{48, DType::Complex64}, Numbered{49, DType::Complex128}};
constexpr std::array kNewComplex{Numbered{51, DType::Complex64}, Numbered{52, DType::Complex128}};
constexpr Version kNewComplexSince{2, 7};

template <class Table>
std::optional<DType> found(const Table& table, std::int64_t number) {
  for (const auto& [known, dtype] : table)
    if (known == number) return dtype;
  return std::nullopt;
}

template <class Table>
const Numbered* numbered(const Table& table, DType dtype) {
  const auto entry = std::find_if(table.begin(), table.end(),
                                  [&](const Numbered& one) { return one.second == dtype; });
  return entry == table.end() ? nullptr : &*entry;
}

}  // namespace

std::optional<DType> data_type(std::int64_t number) {
  return number == kOwnFloat64 ? DType::Float64 : op::stored_type(number);
}

std::optional<DType> argument_type(std::int64_t number, Version version) {
  if (const auto dtype = found(kArgumentTypes, number)) return dtype;
  return found(version >= kNewComplexSince ? kNewComplex : kOldComplex, number);
}

std::int64_t argument_number(DType dtype) {
  // Complex numbers as they were before; a file tells the release that wrote it.
  return (is_complex(dtype) ? numbered(kOldComplex, dtype) : numbered(kArgumentTypes, dtype))
      ->first;
}

}  // namespace mycel::formats::mindir
