// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "include/api/raii.h"
#include "include/api/types.h"

namespace mindspore {
namespace {

MSTensor floats(std::vector<float> values) {
  return MSTensor("x", DataType::kNumberTypeFloat32, {static_cast<int64_t>(values.size())},
                  values.data(), values.size() * sizeof(float));
}

TEST(MSTensorTest, NullHandleAnswersWithNothing) {
  MSTensor none(nullptr);
  EXPECT_TRUE(none == nullptr);
  EXPECT_EQ(none.Name(), "");
  EXPECT_TRUE(none.Shape().empty());
  EXPECT_EQ(none.DataSize(), 0U);
  EXPECT_EQ(none.Data(), nullptr);
  EXPECT_EQ(none.MutableData(), nullptr);
  EXPECT_EQ(none.Clone(), nullptr);
  none.SetShape({3});
  none.SetData(nullptr);
}

TEST(MSTensorTest, ANewTensorIsEmptyButValid) {
  MSTensor tensor;
  EXPECT_TRUE(tensor != nullptr);
  EXPECT_EQ(tensor.Name(), "");
  EXPECT_EQ(tensor.DataType(), DataType::kTypeUnknown);
  EXPECT_EQ(tensor.ElementNum(), 1);
  EXPECT_EQ(tensor.DataSize(), 0U);
  EXPECT_EQ(tensor.MutableData(), nullptr);
  EXPECT_FALSE(tensor.IsDevice());
  EXPECT_EQ(tensor.GetDeviceId(), -1);
  EXPECT_EQ(tensor.GetDevice(), "");
}

TEST(MSTensorTest, CopiesShareAndClonesDoNot) {
  MSTensor first = floats({1, 2, 3});
  MSTensor second = first;
  const TensorPtr clone(first.Clone());
  EXPECT_TRUE(first == second);
  EXPECT_TRUE(first != *clone);
  static_cast<float*>(second.MutableData())[0] = 7;
  EXPECT_EQ(Span<float>(first)[0], 7);
  EXPECT_EQ(Span<float>(*clone)[0], 1);
}

TEST(MSTensorTest, DataOutlivesTheTensor) {
  const std::shared_ptr<const void> data = floats({5}).Data();
  EXPECT_EQ(*static_cast<const float*>(data.get()), 5);
}

TEST(MSTensorTest, NullDataGivesZerosToFill) {
  MSTensor tensor("zeros", DataType::kNumberTypeInt32, {2, 2}, nullptr, 16);
  EXPECT_EQ(tensor.DataSize(), 16U);
  for (const int32_t value : Span<int32_t>(tensor)) EXPECT_EQ(value, 0);
  EXPECT_TRUE(Span<float>(tensor).empty());  // of another type
}

TEST(MSTensorTest, LengthIsNotComparedWithTheShape) {
  const char bytes[] = {1, 2, 3};
  EXPECT_EQ(MSTensor("odd", DataType::kNumberTypeFloat32, {8}, bytes, 3).DataSize(), 3U);
}

TEST(MSTensorTest, ReferenceFollowsItsSourceAndNeverFreesIt) {
  std::vector<float> source = {1, 2};
  for (const bool own_data : {true, false}) {
    TensorPtr reference(MSTensor::CreateRefTensor("r", DataType::kNumberTypeFloat32, {2},
                                                  source.data(), 8, own_data));
    MSTensor copied = *reference;
    reference.reset();
    source[1] += 3;
    EXPECT_EQ(Span<float>(copied)[1], source[1]);
    EXPECT_EQ(copied.MutableData(), source.data());
    const TensorPtr clone(copied.Clone());
    EXPECT_NE(clone->MutableData(), source.data());
  }
  EXPECT_EQ(MSTensor::CreateRefTensor("r", DataType::kNumberTypeFloat32, {2}, nullptr, 8), nullptr);
}

TEST(MSTensorTest, ACopyUnderAnotherName) {
  const MSTensor source = floats({4});
  const TensorPtr copy(MSTensor::CreateTensor("other", source));
  EXPECT_EQ(copy->Name(), "other");
  EXPECT_EQ(Span<float>(*copy)[0], 4);
  EXPECT_TRUE(*copy != source);
  EXPECT_EQ(MSTensor::CreateTensor("other", MSTensor(nullptr)), nullptr);
}

TEST(MSTensorTest, SetDataTakesMemoryOfMalloc) {
  MSTensor tensor("x", DataType::kNumberTypeFloat32, {2}, nullptr, 8);
  auto* const memory = static_cast<float*>(std::calloc(2, sizeof(float)));
  memory[1] = 6;
  tensor.SetData(memory);
  EXPECT_EQ(tensor.MutableData(), memory);
  float mine[] = {8, 9};
  tensor.SetData(mine, false);
  EXPECT_EQ(Span<float>(tensor)[0], 8);
}

TEST(MSTensorTest, AnotherShapeHasItsOwnSize) {
  MSTensor tensor = floats({1, 2});
  tensor.SetShape({2, 2});
  EXPECT_EQ(tensor.DataSize(), 16U);
  EXPECT_EQ(Span<float>(tensor)[1], 2);
  EXPECT_EQ(Span<float>(tensor)[3], 0);
  tensor.SetDataType(DataType::kNumberTypeFloat64);
  EXPECT_EQ(tensor.DataSize(), 32U);
  tensor.SetTensorName("y");
  tensor.SetFormat(NHWC);
  EXPECT_EQ(tensor.Name(), "y");
  EXPECT_EQ(tensor.format(), NHWC);
}

TEST(MSTensorTest, DeviceTensorsKnowThatTheyAreSome) {
  int memory = 0;
  const MSTensor tensor =
      MSTensor::CreateDeviceTensor("d", DataType::kNumberTypeInt32, {1}, &memory, 4);
  EXPECT_TRUE(tensor.IsDevice());
  EXPECT_EQ(tensor.GetDevice(), "gpu");
  EXPECT_EQ(tensor.Data(), nullptr);
}

TEST(MSTensorTest, FilesAreBytes) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "ms_tensor_test.bin";
  std::ofstream(path, std::ios::binary) << "12345678";
  const TensorPtr bytes(MSTensor::CreateTensorFromFile(path.string()));
  EXPECT_EQ(bytes->Shape(), (std::vector<int64_t>{8}));
  EXPECT_EQ(bytes->Name(), path.string());
  EXPECT_EQ(Span<uint8_t>(*bytes)[7], '8');
  const TensorPtr pairs(
      MSTensor::CreateTensorFromFile(path.string(), DataType::kNumberTypeInt16, {2, 2}));
  EXPECT_EQ(pairs->ElementNum(), 4);
  EXPECT_EQ(MSTensor::CreateTensorFromFile(path.string(), DataType::kNumberTypeInt32, {3}),
            nullptr);
  EXPECT_EQ(MSTensor::CreateTensorFromFile("no/such/file"), nullptr);
  std::filesystem::remove(path);
}

TEST(MSTensorTest, StringsComeBack) {
  using Texts = std::vector<std::string>;
  for (const Texts& texts : {Texts{"", "a", "two words"}, Texts{""}, Texts{}}) {
    const TensorPtr tensor(MSTensor::StringsToTensor("texts", texts));
    EXPECT_EQ(tensor->DataType(), DataType::kObjectTypeString);
    EXPECT_EQ(static_cast<size_t>(tensor->Shape().at(0)), tensor->DataSize());
    EXPECT_EQ(MSTensor::TensorToStrings(*tensor), texts);
  }
}

TEST(MSTensorTest, DamagedStringsAreNone) {
  const TensorPtr tensor(MSTensor::StringsToTensor("texts", {"abc", "def"}));
  auto* const numbers = static_cast<int32_t*>(tensor->MutableData());
  for (const int32_t wrong : {-1, 3, 1000000}) {
    numbers[0] = wrong;
    EXPECT_TRUE(MSTensor::TensorToStrings(*tensor).empty()) << wrong;
  }
  numbers[0] = 2;
  for (const int32_t wrong : {-4, 0, 11, 100}) {
    numbers[2] = wrong;
    EXPECT_TRUE(MSTensor::TensorToStrings(*tensor).empty()) << wrong;
  }
  EXPECT_TRUE(MSTensor::TensorToStrings(floats({1})).empty());
}

TEST(BufferTest, CopiesShareAndClonesDoNot) {
  Buffer first("abc", 3);
  Buffer second = first;
  Buffer third = first.Clone();
  static_cast<char*>(first.MutableData())[0] = 'x';
  EXPECT_EQ(static_cast<const char*>(second.Data())[0], 'x');
  EXPECT_EQ(static_cast<const char*>(third.Data())[0], 'a');
}

TEST(BufferTest, SetDataRefusesWhatDoesNotFitTogether) {
  Buffer buffer("abc", 3);
  EXPECT_FALSE(buffer.SetData(nullptr, 2));
  EXPECT_FALSE(buffer.SetData("x", 0));
  EXPECT_EQ(buffer.DataSize(), 3U);
  EXPECT_TRUE(buffer.SetData(nullptr, 0));
  EXPECT_EQ(buffer.DataSize(), 0U);
  EXPECT_TRUE(buffer.ResizeData(4));
  EXPECT_EQ(static_cast<const char*>(buffer.Data())[3], 0);
  EXPECT_EQ(static_cast<const char*>(Buffer(nullptr, 2).Data())[1], 0);
}

TEST(KeyTest, HasUpToThirtyTwoBytes) {
  const std::string secret(32, 'k');
  EXPECT_EQ(Key(secret.data(), 32).len, 32U);
  EXPECT_EQ(Key(secret.data(), 16).key[15], 'k');
  EXPECT_EQ(Key((secret + "k").c_str(), 33).len, 0U);
  EXPECT_EQ(Key(nullptr, 4).len, 0U);
}

TEST(FormatTest, Names) {
  EXPECT_EQ(FormatEnumToString(DEFAULT_FORMAT), "DefaultFormat");
  EXPECT_EQ(FormatEnumToString(NHWC), "NHWC");
  EXPECT_EQ(FormatEnumToString(NCL), "NCL");
  EXPECT_EQ(FormatEnumToString(NUM_OF_FORMAT), "");
  EXPECT_EQ(GetFormatNames().size(), static_cast<size_t>(NUM_OF_FORMAT));
}

TEST(VersionTest, IsTheReal) { EXPECT_EQ(Version().rfind("2.3.0", 0), 0U) << Version(); }

}  // namespace
}  // namespace mindspore
