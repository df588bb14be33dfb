// SPDX-License-Identifier: Apache-2.0
// Comfort over the plain interface: tensors that delete themselves, typed views of their elements.
#ifndef MINDSPORE_INCLUDE_API_RAII_H_
#define MINDSPORE_INCLUDE_API_RAII_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "include/api/types.h"

namespace mindspore {

struct TensorDeleter {
  void operator()(MSTensor* tensor) const { MSTensor::DestroyTensorPtr(tensor); }
};

// Owns what MSTensor::CreateTensor and its kin, and Clone, give:
//   TensorPtr image(MSTensor::CreateTensorFromFile("cat.jpg"));
using TensorPtr = std::unique_ptr<MSTensor, TensorDeleter>;

template <class T>
struct DataTypeOf;
template <>
struct DataTypeOf<bool> : std::integral_constant<DataType, DataType::kNumberTypeBool> {};
template <>
struct DataTypeOf<int8_t> : std::integral_constant<DataType, DataType::kNumberTypeInt8> {};
template <>
struct DataTypeOf<int16_t> : std::integral_constant<DataType, DataType::kNumberTypeInt16> {};
template <>
struct DataTypeOf<int32_t> : std::integral_constant<DataType, DataType::kNumberTypeInt32> {};
template <>
struct DataTypeOf<int64_t> : std::integral_constant<DataType, DataType::kNumberTypeInt64> {};
template <>
struct DataTypeOf<uint8_t> : std::integral_constant<DataType, DataType::kNumberTypeUInt8> {};
template <>
struct DataTypeOf<uint16_t> : std::integral_constant<DataType, DataType::kNumberTypeUInt16> {};
template <>
struct DataTypeOf<uint32_t> : std::integral_constant<DataType, DataType::kNumberTypeUInt32> {};
template <>
struct DataTypeOf<uint64_t> : std::integral_constant<DataType, DataType::kNumberTypeUInt64> {};
template <>
struct DataTypeOf<float> : std::integral_constant<DataType, DataType::kNumberTypeFloat32> {};
template <>
struct DataTypeOf<double> : std::integral_constant<DataType, DataType::kNumberTypeFloat64> {};

// The elements of a tensor, readable as long as the view lives. A tensor of another type, or one
// without data, gives an empty view.
template <class T>
class Span {
 public:
  explicit Span(const MSTensor& tensor) {
    if (tensor == nullptr || tensor.DataType() != DataTypeOf<T>::value) return;
    memory_ = tensor.Data();
    if (memory_ != nullptr) size_ = tensor.DataSize() / sizeof(T);
  }
  const T* begin() const { return static_cast<const T*>(memory_.get()); }
  const T* end() const { return begin() + size_; }
  const T* data() const { return begin(); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](size_t i) const { return begin()[i]; }

 private:
  std::shared_ptr<const void> memory_;
  size_t size_ = 0;
};

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_RAII_H_
