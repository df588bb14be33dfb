// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/collate.h"

#include <algorithm>
#include <cstring>

#include "tensor/transit.h"

namespace mycel::data {

using platform::fail;

namespace {

void require_equal_types(const Item& first, const Item& other, const CollateColumn& column) {
  const bool same = first.is_array() == other.is_array() && first.is_text() == other.is_text() &&
                    first.type_name() == other.type_name();
  if (!same)
    fail(ErrorKind::Runtime,
         "Inconsistent batch type, batch operation expect same type for each data ",
         "row, but got inconsistent type in column ", column.number,
         ", expected type for this column ", "is:", first.type_name(),
         ", got type:", other.type_name(), ". Cannot batch tensors with different types in column ",
         column.number, " ('", column.name, "'). First element had type ", first.type_name(),
         " and this element had type ", other.type_name(), ".");
}

void require_equal_shapes(const Item& first, const Item& other, const CollateColumn& column) {
  if (std::ranges::equal(first.shape(), other.shape())) return;
  fail(ErrorKind::Runtime,
       "Inconsistent batch shapes, batch operation expects same shape for each ",
       "data row, but got inconsistent shape in column ", column.number,
       ", expected shape for this column is:", angled(first.shape()),
       ", got shape:", angled(other.shape()),
       ". Cannot batch tensors with different shapes in column ", column.number, " ('", column.name,
       "'). First element had shape ", angled(first.shape()), " and this element had shape ",
       angled(other.shape()),
       ". Give the rows one shape first (Resize, PadEnd), or use "
       "'padded_batch'.");
}

Shape with_rows(std::size_t rows, const Shape& shape) {
  Shape result{static_cast<std::int64_t>(rows)};
  for (const std::int64_t length : shape) result.push_back(length);
  return result;
}

Item stack_texts(const std::vector<const Item*>& items) {
  std::vector<std::string> values;
  for (const Item* item : items)
    for (const std::string_view value : item->text().values) values.emplace_back(value);
  return Ref<TextArray>(new TextArray(std::move(values), with_rows(items.size(), items[0]->shape()),
                                      items[0]->text().is_bytes));
}

Item stack_arrays(const std::vector<const Item*>& items) {
  const Tensor& first = items[0]->array();
  Tensor batch = tensor::empty_in_transit(with_rows(items.size(), first.shape()), first.dtype());
  const std::size_t bytes = first.bytes();
  auto* to = static_cast<char*>(batch.raw());
  for (const Item* item : items) {
    if (bytes > 0) std::memcpy(to, item->array().raw(), bytes);
    to += bytes;
  }
  return batch;
}

// The shape all rows of a padded column get.
Shape padded_shape(const std::vector<const Item*>& items, const PadRule& rule,
                   const CollateColumn& column) {
  const std::size_t rank = items[0]->shape().size();
  Shape target(rank, 0);
  for (const Item* item : items) {
    if (item->shape().size() != rank)
      fail(ErrorKind::Runtime, "Invalid data, column '", column.name,
           "': data to be padded together need to have the same rank, got ranks ", rank, " and ",
           item->shape().size(), ".");
    for (std::size_t axis = 0; axis < rank; ++axis)
      target[axis] = std::max(target[axis], item->shape()[axis]);
  }
  if (!rule.whole_shape_given) return target;
  if (rule.shape.size() != rank)
    fail(ErrorKind::Runtime, "Invalid pad_info, column '", column.name,
         "': rank of pad_shape must be equal to rank of specified column. pad_shapes rank:",
         rule.shape.size(), ", column rank: ", rank);
  for (std::size_t axis = 0; axis < rank; ++axis)
    target[axis] = rule.shape[axis].value_or(target[axis]);
  return target;
}

// Calls copy(from, to, count) for every run of elements along the last axis that both shapes have.
template <class Copy>
void copy_overlap(const Shape& from, const Shape& to, const Copy& copy) {
  const std::size_t rank = from.size();
  if (rank == 0) return copy(0, 0, 1);
  Shape common = from;
  for (std::size_t axis = 0; axis < rank; ++axis) common[axis] = std::min(from[axis], to[axis]);
  if (tensor::element_count(common) == 0) return;
  const tensor::Strides from_strides = tensor::contiguous_strides(from);
  const tensor::Strides to_strides = tensor::contiguous_strides(to);
  Shape place(rank, 0);
  while (true) {
    std::int64_t from_offset = 0;
    std::int64_t to_offset = 0;
    for (std::size_t axis = 0; axis + 1 < rank; ++axis) {
      from_offset += place[axis] * from_strides[axis];
      to_offset += place[axis] * to_strides[axis];
    }
    copy(from_offset, to_offset, common[rank - 1]);
    std::size_t axis = rank - 1;
    while (axis > 0 && ++place[axis - 1] == common[axis - 1]) place[--axis] = 0;
    if (axis == 0) return;
  }
}

template <class T>
void fill_with(Tensor& tensor, double value) {
  std::fill_n(static_cast<T*>(tensor.raw()), tensor.size(), static_cast<T>(value));
}

void fill(Tensor& tensor, double value) {
  if (value == 0) {
    if (tensor.bytes() > 0) std::memset(tensor.raw(), 0, tensor.bytes());
    return;
  }
  switch (tensor.dtype()) {
    case DType::Bool: return fill_with<bool>(tensor, value);
    case DType::Int8: return fill_with<std::int8_t>(tensor, value);
    case DType::Int16: return fill_with<std::int16_t>(tensor, value);
    case DType::Int32: return fill_with<std::int32_t>(tensor, value);
    case DType::Int64: return fill_with<std::int64_t>(tensor, value);
    case DType::UInt8: return fill_with<std::uint8_t>(tensor, value);
    case DType::UInt16: return fill_with<std::uint16_t>(tensor, value);
    case DType::UInt32: return fill_with<std::uint32_t>(tensor, value);
    case DType::UInt64: return fill_with<std::uint64_t>(tensor, value);
    case DType::Float16: {
      const tensor::Float16 half(static_cast<float>(value));
      std::fill_n(static_cast<tensor::Float16*>(tensor.raw()), tensor.size(), half);
      return;
    }
    case DType::Float32: return fill_with<float>(tensor, value);
    case DType::Float64: return fill_with<double>(tensor, value);
    default:
      fail(ErrorKind::Runtime, "PadEnd: a column of type ", tensor.dtype(), " cannot be padded.");
  }
}

[[noreturn]] void mixed_padding(const char* column, const char* value) {
  fail(ErrorKind::Runtime,
       "PadEnd: can not pad numeric and string tensors together, but got: ", value, " and ", column,
       ".");
}

Item pad_arrays(const std::vector<const Item*>& items, const PadRule& rule, const Shape& target) {
  if (std::holds_alternative<std::string>(rule.value)) mixed_padding("numeric", "string");
  const Tensor& first = items[0]->array();
  Tensor batch = Tensor::empty(with_rows(items.size(), target), first.dtype());
  const double* value = std::get_if<double>(&rule.value);
  fill(batch, value == nullptr ? 0 : *value);
  const std::size_t size = tensor::size_of(first.dtype());
  const auto stride = static_cast<std::size_t>(tensor::element_count(target)) * size;
  auto* row = static_cast<char*>(batch.raw());
  for (const Item* item : items) {
    const auto* from = static_cast<const char*>(item->array().raw());
    copy_overlap(item->shape(), target,
                 [&](std::int64_t source, std::int64_t place, std::int64_t count) {
                   std::memcpy(row + static_cast<std::size_t>(place) * size,
                               from + static_cast<std::size_t>(source) * size,
                               static_cast<std::size_t>(count) * size);
                 });
    row += stride;
  }
  return batch;
}

Item pad_texts(const std::vector<const Item*>& items, const PadRule& rule, const Shape& target) {
  if (std::holds_alternative<double>(rule.value)) mixed_padding("string", "numeric");
  const std::string* value = std::get_if<std::string>(&rule.value);
  const auto stride = static_cast<std::size_t>(tensor::element_count(target));
  std::vector<std::string> values(items.size() * stride, value == nullptr ? "" : *value);
  for (std::size_t i = 0; i < items.size(); ++i)
    copy_overlap(items[i]->shape(), target,
                 [&](std::int64_t source, std::int64_t place, std::int64_t count) {
                   for (std::int64_t k = 0; k < count; ++k)
                     values[i * stride + static_cast<std::size_t>(place + k)] =
                         items[i]->text().values[static_cast<std::size_t>(source + k)];
                 });
  return Ref<TextArray>(
      new TextArray(std::move(values), with_rows(items.size(), target), items[0]->text().is_bytes));
}

}  // namespace

Item stack(const std::vector<const Item*>& items, const CollateColumn& column,
           const CollateObjects& objects) {
  const Item& first = *items[0];
  if (first.is_object() && objects) return objects(items);
  for (const Item* item : items) {
    require_equal_types(first, *item, column);
    require_equal_shapes(first, *item, column);
  }
  if (first.is_array()) return stack_arrays(items);
  if (first.is_text()) return stack_texts(items);
  fail(ErrorKind::Runtime, "batch cannot put together values of type ", first.type_name(),
       " in column '", column.name, "'.");
}

Item stack_padded(const std::vector<const Item*>& items, const PadRule& rule,
                  const CollateColumn& column, const CollateObjects& objects) {
  if (!rule.pad || items[0]->is_object()) return stack(items, column, objects);
  for (const Item* item : items) require_equal_types(*items[0], *item, column);
  const Shape target = padded_shape(items, rule, column);
  return items[0]->is_array() ? pad_arrays(items, rule, target) : pad_texts(items, rule, target);
}

std::size_t bytes_of(const Item& item) {
  if (item.is_array()) return item.array().bytes();
  if (item.is_object()) return item.object().bytes();
  if (item.empty()) return 0;
  std::size_t bytes = 0;
  for (const std::string_view value : item.text().values)
    bytes += value.size() + sizeof(std::string);
  return bytes;
}

std::size_t bytes_of(const Items& items) {
  std::size_t bytes = 0;
  for (const Item& item : items) bytes += bytes_of(item);
  return bytes;
}

}  // namespace mycel::data
