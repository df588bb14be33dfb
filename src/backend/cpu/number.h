// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/loops/loop_table.h"
#include "tensor/dtype.h"

namespace mycel::cpu {

// The type a dtype computes in.
constexpr Number number_of(tensor::DType dtype) {
  using tensor::DType;
  switch (dtype) {
    case DType::Bool: return Number::U8;
    case DType::Int8: return Number::I8;
    case DType::Int16: return Number::I16;
    case DType::Int32: return Number::I32;
    case DType::Int64: return Number::I64;
    case DType::UInt8: return Number::U8;
    case DType::UInt16: return Number::U16;
    case DType::UInt32: return Number::U32;
    case DType::UInt64: return Number::U64;
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32: return Number::F32;
    case DType::Float64: return Number::F64;
    case DType::Complex64: return Number::C64;
    case DType::Complex128: return Number::C128;
  }
  return Number::F32;
}

// The dtype stored the way the number is computed.
constexpr tensor::DType dtype_of(Number number) {
  using tensor::DType;
  constexpr DType kDTypes[] = {DType::Int8,    DType::Int16,   DType::Int32,     DType::Int64,
                               DType::UInt8,   DType::UInt16,  DType::UInt32,    DType::UInt64,
                               DType::Float32, DType::Float64, DType::Complex64, DType::Complex128};
  return kDTypes[static_cast<int>(number)];
}

constexpr int bytes_of(Number number) {
  constexpr int kBytes[] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16};
  return kBytes[static_cast<int>(number)];
}

inline ConvertFunction conversion(tensor::DType from, tensor::DType to) {
  return loop_table().convert[static_cast<int>(from)][static_cast<int>(to)];
}

}  // namespace mycel::cpu
