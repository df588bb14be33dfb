// SPDX-License-Identifier: Apache-2.0
#include "formats/torch/element_types.h"

namespace mycel::formats {

using tensor::DType;

namespace {

constexpr TorchElement kElements[] = {
    {"BoolStorage", "torch.bool", 1, DType::Bool},
    {"ByteStorage", "torch.uint8", 1, DType::UInt8},
    {"CharStorage", "torch.int8", 1, DType::Int8},
    {"ShortStorage", "torch.int16", 2, DType::Int16},
    {"IntStorage", "torch.int32", 4, DType::Int32},
    {"LongStorage", "torch.int64", 8, DType::Int64},
    {"", "torch.uint16", 2, DType::UInt16},
    {"", "torch.uint32", 4, DType::UInt32},
    {"", "torch.uint64", 8, DType::UInt64},
    {"HalfStorage", "torch.float16", 2, DType::Float16},
    {"BFloat16Storage", "torch.bfloat16", 2, DType::BFloat16},
    {"FloatStorage", "torch.float32", 4, DType::Float32},
    {"DoubleStorage", "torch.float64", 8, DType::Float64},
    {"ComplexFloatStorage", "torch.complex64", 8, DType::Complex64},
    {"ComplexDoubleStorage", "torch.complex128", 16, DType::Complex128},
    {"", "torch.float8_e4m3fn", 1, DType::Float32, Float8::E4M3},
    {"", "torch.float8_e5m2", 1, DType::Float32, Float8::E5M2},
};

}  // namespace

const TorchElement* torch_element_of_storage(std::string_view name) {
  for (const TorchElement& element : kElements) {
    if (!element.storage.empty() && element.storage == name) return &element;
  }
  return nullptr;
}

const TorchElement* torch_element_of_dtype(std::string_view name) {
  for (const TorchElement& element : kElements) {
    if (element.dtype == name) return &element;
  }
  return nullptr;
}

}  // namespace mycel::formats
