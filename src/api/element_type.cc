// SPDX-License-Identifier: Apache-2.0
#include "api/element_type.h"

#include <algorithm>
#include <iterator>

namespace mycel::api {
namespace {

using mindspore::DataType;
using tensor::DType;

struct Row {
  DataType type;
  DType dtype;
};

// The interface has no names for complex numbers; these are the ones files use.
constexpr auto kComplex64 = static_cast<DataType>(48);
constexpr auto kComplex128 = static_cast<DataType>(49);

constexpr Row kRows[] = {
    {DataType::kNumberTypeBool, DType::Bool},
    {DataType::kNumberTypeInt8, DType::Int8},
    {DataType::kNumberTypeInt16, DType::Int16},
    {DataType::kNumberTypeInt32, DType::Int32},
    {DataType::kNumberTypeInt64, DType::Int64},
    {DataType::kNumberTypeUInt8, DType::UInt8},
    {DataType::kNumberTypeUInt16, DType::UInt16},
    {DataType::kNumberTypeUInt32, DType::UInt32},
    {DataType::kNumberTypeUInt64, DType::UInt64},
    {DataType::kNumberTypeFloat16, DType::Float16},
    {DataType::kNumberTypeFloat32, DType::Float32},
    {DataType::kNumberTypeFloat64, DType::Float64},
    {DataType::kNumberTypeBFloat16, DType::BFloat16},
    {kComplex64, DType::Complex64},
    {kComplex128, DType::Complex128},
};

}  // namespace

std::optional<DType> element_type(DataType type) {
  const auto* const found = std::find_if(std::begin(kRows), std::end(kRows),
                                         [&](const Row& row) { return row.type == type; });
  if (found == std::end(kRows)) return std::nullopt;
  return found->dtype;
}

DataType element_type(DType dtype) {
  const auto* const found = std::find_if(std::begin(kRows), std::end(kRows),
                                         [&](const Row& row) { return row.dtype == dtype; });
  return found == std::end(kRows) ? DataType::kTypeUnknown : found->type;
}

std::size_t element_bytes(DataType type) {
  if (type == DataType::kObjectTypeString) return 1;
  const std::optional<DType> dtype = element_type(type);
  return dtype ? tensor::size_of(*dtype) : 0;
}

}  // namespace mycel::api
