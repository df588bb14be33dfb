// SPDX-License-Identifier: Apache-2.0
#include "formats/torch/torch_call.h"

#include <gtest/gtest.h>

#include "platform/error/error.h"

namespace mycel::formats {
namespace {

using Kind = TorchCall::Kind;

PickleValue value_of(PickleValue::Kind kind, std::string text,
                     std::vector<const PickleValue*> items = {}) {
  PickleValue value;
  value.kind = kind;
  value.text = std::move(text);
  value.items = std::move(items);
  return value;
}

PickleValue call_of(std::string name, std::vector<const PickleValue*> items) {
  return value_of(PickleValue::Kind::Call, std::move(name), std::move(items));
}

const PickleValue kNumber = value_of(PickleValue::Kind::Int, "");
const PickleValue kText = value_of(PickleValue::Kind::Text, "f4");
const PickleValue kWrapper =
    value_of(PickleValue::Kind::Global, "torch._tensor._rebuild_from_type_v2");

TEST(TorchCallTest, WrappersThatHoldThemselvesAreRefused) {
  PickleValue list = value_of(PickleValue::Kind::List, "");
  list.items = {&kWrapper, &kNumber, &list};
  EXPECT_THROW(torch_call(call_of(kWrapper.text, list.items)), platform::Error);
}

TEST(TorchCallTest, MissingArgumentsAreRefused) {
  EXPECT_THROW(torch_call(call_of(kWrapper.text, {&kWrapper, &kNumber})), platform::Error);
  EXPECT_THROW(torch_call(call_of("builtins.complex", {&kNumber})), platform::Error);
  EXPECT_THROW(torch_call(call_of("torch.Size", {})), platform::Error);
}

TEST(TorchCallTest, TypesAreNotCalled) {
  EXPECT_THROW(torch_call(call_of("torch.FloatStorage", {&kNumber})), platform::Error);
}

TEST(TorchCallTest, ByteArraysAreMadeOfBytesAlone) {
  EXPECT_THROW(torch_call(call_of("builtins.bytearray", {&kNumber})), platform::Error);
  EXPECT_EQ(torch_call(call_of("builtins.bytearray", {&kText})).kind, Kind::ByteArray);
  EXPECT_TRUE(torch_call(call_of("builtins.bytearray", {})).arguments.empty());
}

TEST(TorchCallTest, TypesOfNumpyAreThoseOfPlainNumbers) {
  EXPECT_THROW(torch_call(call_of("numpy.dtype", {&kNumber})), platform::Error);
  EXPECT_EQ(torch_call(call_of("numpy.dtype", {&kText})).kind, Kind::NumpyType);
}

TEST(TorchCallTest, WrappersGiveWayToWhatTheyWrap) {
  const PickleValue maker = value_of(PickleValue::Kind::Global, "torch._utils._rebuild_tensor_v2");
  const PickleValue arguments = value_of(PickleValue::Kind::Tuple, "", {&kNumber, &kText});
  const PickleValue wrapper = call_of(kWrapper.text, {&maker, &kNumber, &arguments, &kNumber});
  const TorchCall call = torch_call(wrapper);
  EXPECT_EQ(call.kind, Kind::Tensor);
  EXPECT_EQ(call.maker, maker.text);
  EXPECT_EQ(call.arguments.size(), 2U);
}

}  // namespace
}  // namespace mycel::formats
