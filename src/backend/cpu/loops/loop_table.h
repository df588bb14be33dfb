// SPDX-License-Identifier: Apache-2.0
// The vector loops of the CPU. Every file of this folder is compiled once per instruction set into
// a namespace of its own; loop_table() gives the set that fits the processor.
#pragma once

#include <cstdint>

#include "operator/scalar_expr.h"

namespace mycel::cpu {

// The types arithmetic happens in. Bool computes as U8, the 16-bit floats as F32.
enum class Number : std::uint8_t { I8, I16, I32, I64, U8, U16, U32, U64, F32, F64, C64, C128 };
constexpr int kNumberCount = 12;
constexpr int kScalarOpCount = static_cast<int>(op::ScalarOp::ToMask) + 1;

// One step of a program over n elements. An operand is a dense array or, in the variants below, one
// element. The output may be one of the operands.
using StepFunction = void (*)(const void* a, const void* b, const void* c, const void* d, void* out,
                              std::int64_t n);

// Two operands: which of them is a single element. Select: the same for its second and third.
enum Variant : std::uint8_t { kVectors = 0, kSecondSingle = 1, kFirstSingle = 2, kBothSingle = 3 };
constexpr int kVariantCount = 4;
using StepVariants = StepFunction[kVariantCount];

// Conversion between any two dtypes; strides in elements.
using ConvertFunction = void (*)(const void* source, std::int64_t source_stride, void* target,
                                 std::int64_t target_stride, std::int64_t n);

enum class Fold : std::uint8_t { Sum, Prod, Max, Min, And, Or };
constexpr int kFoldCount = 6;

// What reductions are made of; accumulators have the type of the elements.
struct FoldLoops {
  // out[r] = fold of row r, for `rows` rows of `length` dense elements, `stride` apart.
  void (*rows)(const void* x, std::int64_t stride, std::int64_t rows, std::int64_t length,
               void* out);
  // into[i] = fold(into[i], x[i])
  void (*accumulate)(void* into, const void* x, std::int64_t n);
  // into[i] = fold of into[i] and column i of `rows` rows, `stride` apart
  void (*columns)(void* into, const void* x, std::int64_t stride, std::int64_t rows,
                  std::int64_t n);
};

// Mean and sum of squared distances from it.
struct MomentLoops {
  void (*row)(const void* x, std::int64_t n, double* mean, double* m2);
  // Adds observation number `count` (from 1) to n columns.
  void (*add_row)(const void* x, std::int64_t n, std::int64_t count, void* mean, void* m2);
};

// A whole operator of dense or single numbers in one loop, by the operator's name.
struct FusedLoop {
  const char* name;  // null: no more
  int arity;
  StepVariants variants[2];  // F32, F64
};
constexpr int kFusedCount = 16;

struct LoopTable {
  StepVariants steps[kNumberCount][kScalarOpCount];
  // select(compare(a, scalar b), c, d): variants over c and d; only for F32 and F64.
  StepVariants compare_select[2][6];
  ConvertFunction convert[15][15];
  FoldLoops folds[kNumberCount][kFoldCount];
  MomentLoops moments[2];  // F32, F64
  FusedLoop fused[kFusedCount];
  // Add, Sub, Mul, Div of Float16 and BFloat16 as they lie in memory.
  StepVariants half_steps[2][4];
};

const LoopTable& loop_table();

namespace avx2 {
constexpr int kVectorBytes = 32;
void fill_float_steps(LoopTable& table);
void fill_double_steps(LoopTable& table);
void fill_integer_steps(LoopTable& table);
void fill_wide_integer_steps(LoopTable& table);
void fill_complex_steps(LoopTable& table);
void fill_conversions(LoopTable& table);
void fill_folds(LoopTable& table);
void fill_fused(LoopTable& table);
void fill_erf_family(LoopTable& table);
void fill_half_steps(LoopTable& table);
}  // namespace avx2
namespace avx512 {
constexpr int kVectorBytes = 64;
void fill_float_steps(LoopTable& table);
void fill_double_steps(LoopTable& table);
void fill_integer_steps(LoopTable& table);
void fill_wide_integer_steps(LoopTable& table);
void fill_complex_steps(LoopTable& table);
void fill_conversions(LoopTable& table);
void fill_folds(LoopTable& table);
void fill_fused(LoopTable& table);
void fill_erf_family(LoopTable& table);
void fill_half_steps(LoopTable& table);
}  // namespace avx512

}  // namespace mycel::cpu
