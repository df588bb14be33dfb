// SPDX-License-Identifier: Apache-2.0
#include "bindings/data/array_layout.h"

#include <cstring>

namespace mycel::bindings {

using tensor::DType;
using tensor::Tensor;

namespace {

struct DescriptionHead {
  PyObject_HEAD PyTypeObject* type_object;
  char kind;
  char type;
  char byte_order;
  char flags;
  int type_number;
};

struct ArrayHead {
  PyObject_HEAD char* data;
  int rank;
  Py_ssize_t* lengths;
  Py_ssize_t* strides;
  PyObject* base;
  DescriptionHead* description;
  int flags;
};

constexpr int kContiguous = 1;
constexpr int kHalf = 23;
bool known = false;

std::optional<DType> dtype_of(const DescriptionHead& description) {
  if (description.byte_order == '>') return std::nullopt;
  constexpr DType kNumbers[] = {DType::Bool,   DType::Int8,  DType::UInt8,  DType::Int16,
                                DType::UInt16, DType::Int32, DType::UInt32, DType::Int64,
                                DType::UInt64, DType::Int64, DType::UInt64, DType::Float32,
                                DType::Float64};
  if (description.type_number == kHalf) return DType::Float16;
  if (description.type_number < 0 ||
      description.type_number >= static_cast<int>(std::size(kNumbers)))
    return std::nullopt;
  return kNumbers[description.type_number];
}

}  // namespace

void probe_array_layout(PyObject* array) {
  const auto& head = *reinterpret_cast<const ArrayHead*>(array);
  known = head.rank == 2 && head.lengths[0] == 2 && head.lengths[1] == 3 && head.strides[0] == 12 &&
          head.strides[1] == 4 && (head.flags & kContiguous) != 0 &&
          head.description->type_number == 11 && head.description->kind == 'f' &&
          reinterpret_cast<const float*>(head.data)[5] == 5.0F;
}

namespace {

// Type and shape of an array that can be copied as it lies in memory.
std::optional<DType> plain_dtype(const ArrayHead& head, tensor::Shape& shape) {
  if (!known || (head.flags & kContiguous) == 0) return std::nullopt;
  for (int axis = 0; axis < head.rank; ++axis) shape.push_back(head.lengths[axis]);
  return dtype_of(*head.description);
}

}  // namespace

bool write_plain_array(PyObject* array, std::size_t column, data::RowSink& sink) {
  const auto& head = *reinterpret_cast<const ArrayHead*>(array);
  tensor::Shape shape;
  const std::optional<DType> dtype = plain_dtype(head, shape);
  void* place = dtype ? sink.place(column, *dtype, shape) : nullptr;
  if (place == nullptr) return false;
  const auto bytes = static_cast<std::size_t>(tensor::element_count(shape)) * size_of(*dtype);
  if (bytes > 0) std::memcpy(place, head.data, bytes);
  return true;
}

std::optional<Tensor> copy_plain_array(PyObject* array) {
  const auto& head = *reinterpret_cast<const ArrayHead*>(array);
  tensor::Shape shape;
  const std::optional<DType> dtype = plain_dtype(head, shape);
  if (!dtype) return std::nullopt;
  Tensor tensor = Tensor::empty(shape, *dtype);
  if (tensor.bytes() > 0) std::memcpy(tensor.raw(), head.data, tensor.bytes());
  return tensor;
}

}  // namespace mycel::bindings
