// SPDX-License-Identifier: Apache-2.0
#include "operator/single_call.h"

#include <limits>

#include <gtest/gtest.h>

#include "eager/dispatch.h"
#include "operator/registry.h"

namespace mycel::runtime {
namespace {

using tensor::DType;
using tensor::Tensor;

Tensor single(double value, DType dtype) {
  Tensor tensor = Tensor::empty({}, dtype);
  tensor::with_real_type(dtype, [&]<class T>() { *tensor.data<T>() = static_cast<T>(value); });
  return tensor;
}

std::string bytes_of(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw()), tensor.bytes()};
}

// Zeros of both signs, what is no number, the smallest and the largest.
const double kValues[] = {0.75,
                          1.75,
                          0.0,
                          -0.0,
                          -2.5,
                          1e-7,
                          6e4,
                          std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::quiet_NaN()};
constexpr DType kTypes[] = {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16,
                            DType::Int32,   DType::Int64,   DType::UInt8,   DType::Bool};

struct Case {
  const op::OpDef& definition;
  std::vector<Tensor> inputs;
  op::AttributeList attributes;
};

Case make_case(const op::OpDef& definition, DType dtype, std::size_t first) {
  Case made{definition, {}, {}};
  for (std::size_t i = 0; i < definition.inputs.size(); ++i) {
    const bool mask = definition.inputs[i].is_mask;
    const bool whole = !tensor::is_floating(dtype);
    const double value = kValues[(first * (i + 1) + i) % std::size(kValues)];
    const double number = whole ? static_cast<double>((first + 3 * i) % 5) : value;
    made.inputs.push_back(
        single(mask ? static_cast<double>(first % 2) : number, mask ? DType::Bool : dtype));
  }
  for (const op::AttributeDef& known : definition.attributes)
    made.attributes.push_back(known.initial);
  return made;
}

// False: the operator takes no such elements, or is not called so.
bool agrees(Case& one) {
  Tensor expected;
  try {
    expected =
        eager::dispatch_one(one.definition, one.inputs, one.attributes);  // promotes in place
  } catch (const platform::Error&) {
    return false;
  }
  if (expected.size() != 1) return false;
  op::SingleCalls calls;
  const op::SingleCalls::Calls call =
      op::add_single_call({one.definition, one.attributes, one.inputs, expected, 0}, calls);
  if (call.first == call.last) return false;
  Tensor result = Tensor::empty({}, expected.dtype());
  alignas(16) std::vector<char> rooms(calls.rooms() * op::SingleCalls::kBytes);
  std::vector<char*> places;
  for (const op::SingleCalls::PlaceSource& source : calls.places()) {
    if (source.kind == op::SingleCalls::PlaceKind::Room)
      places.push_back(rooms.data() + source.index * op::SingleCalls::kBytes);
    else if (source.kind == op::SingleCalls::PlaceKind::Constant)
      places.push_back(const_cast<char*>(calls.constant_at(source.index)));
    else
      places.push_back(static_cast<char*>(
          source.index < one.inputs.size() ? one.inputs[source.index].raw() : result.raw()));
  }
  calls.run(call, places.data());
  EXPECT_EQ(bytes_of(result), bytes_of(expected))
      << one.definition.name << " " << tensor::name_of(one.inputs[0].dtype()) << " of "
      << one.inputs[0].as_double();
  return true;
}

// Every elementwise operator, on elements of several types: the same bits as an ordinary call.
TEST(SingleCallTest, GivesWhatTheOperatorGives) {
  int compared = 0;
  for (const op::OpDef* definition : op::all()) {
    if (!definition->is_elementwise() || definition->internal || definition->has_effects) continue;
    for (const DType dtype : kTypes) {
      for (std::size_t first = 0; first < std::size(kValues); ++first) {
        Case one = make_case(*definition, dtype, first);
        if (agrees(one)) ++compared;
      }
    }
  }
  EXPECT_GT(compared, 3000);
}

}  // namespace
}  // namespace mycel::runtime
