// SPDX-License-Identifier: Apache-2.0
#include "operator/single_call.h"

#include <cstring>

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

// Every elementwise operator, on elements of several types: the same bits as an ordinary call.
TEST(SingleCallTest, GivesWhatTheOperatorGives) {
  int made = 0;
  for (const op::OpDef* definition : op::all()) {
    if (!definition->is_elementwise() || definition->internal || definition->has_effects) continue;
    for (const DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::Int32,
                              DType::Int64, DType::Bool}) {
      std::vector<Tensor> inputs;
      for (std::size_t i = 0; i < definition->inputs.size(); ++i) {
        const bool mask = definition->inputs[i].is_mask;
        inputs.push_back(
            single(mask ? 1 : 0.75 + static_cast<double>(i), mask ? DType::Bool : dtype));
      }
      op::AttributeList attributes;
      for (const op::AttributeDef& known : definition->attributes)
        attributes.push_back(known.initial);
      Tensor expected;
      std::vector<Tensor> given = inputs;  // dispatch promotes in place
      try {
        expected = eager::dispatch_one(*definition, given, attributes);
      } catch (const platform::Error&) {
        continue;  // takes no such type
      }
      if (expected.size() != 1) continue;
      const auto call = op::make_single_call(*definition, attributes, given, expected);
      if (call == nullptr) continue;
      Tensor result = Tensor::empty({}, expected.dtype());
      std::vector<const void*> pointers;
      for (const Tensor& input : given) pointers.push_back(input.raw());
      call->run(pointers, result.raw());
      EXPECT_EQ(bytes_of(result), bytes_of(expected))
          << definition->name << " " << tensor::name_of(dtype);
      ++made;
    }
  }
  EXPECT_GT(made, 300);
}

}  // namespace
}  // namespace mycel::runtime
