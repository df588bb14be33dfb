// SPDX-License-Identifier: Apache-2.0
#include "data/source/array_source.h"

#include <cstring>

namespace mycel::data {

namespace {

class ArraySource : public IndexedSource {
 public:
  ArraySource(std::vector<std::string> names, std::vector<MemoryColumn> columns)
      : names_(std::move(names)), columns_(std::move(columns)) {
    for (const MemoryColumn& column : columns_) {
      const Tensor* array = std::get_if<Tensor>(&column);
      row_shapes_.push_back(
          array == nullptr ? Shape() : Shape(array->shape().begin() + 1, array->shape().end()));
    }
  }

  std::vector<std::string> columns() const override { return names_; }

  std::int64_t rows() const override {
    if (const Tensor* array = std::get_if<Tensor>(&columns_[0])) return array->shape()[0];
    return static_cast<std::int64_t>(std::get<Items>(columns_[0]).size());
  }

  // Copied: whoever gets the row may write into it.
  void load(std::int64_t row, LoadedRow& out) const override {
    out.items.reserve(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (const Items* values = std::get_if<Items>(&columns_[i])) {
        out.items.push_back(copy_of((*values)[static_cast<std::size_t>(row)]));
        continue;
      }
      const Tensor& array = std::get<Tensor>(columns_[i]);
      Tensor value = Tensor::empty(row_shapes_[i], array.dtype());
      const std::size_t bytes = value.bytes();
      if (bytes > 0)
        std::memcpy(value.raw(),
                    static_cast<const char*>(array.raw()) + static_cast<std::size_t>(row) * bytes,
                    bytes);
      out.items.push_back(std::move(value));
    }
  }

  std::vector<FixedColumn> fixed_columns() const override {
    std::vector<FixedColumn> fixed;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Tensor* array = std::get_if<Tensor>(&columns_[i]);
      if (array == nullptr) return {};
      fixed.push_back({array->dtype(), row_shapes_[i]});
    }
    return fixed;
  }

  void copy_value(std::int64_t row, std::size_t column, void* to) const override {
    const Tensor& array = std::get<Tensor>(columns_[column]);
    const std::size_t bytes = array.bytes() / static_cast<std::size_t>(array.shape()[0]);
    std::memcpy(to, static_cast<const char*>(array.raw()) + static_cast<std::size_t>(row) * bytes,
                bytes);
  }

 private:
  static Item copy_of(const Item& item) {
    if (!item.is_array()) return item;
    Tensor copy = Tensor::empty(item.array().shape(), item.array().dtype());
    if (copy.bytes() > 0) std::memcpy(copy.raw(), item.array().raw(), copy.bytes());
    return copy;
  }

  std::vector<std::string> names_;
  std::vector<MemoryColumn> columns_;
  std::vector<Shape> row_shapes_;
};

}  // namespace

IndexedSourcePtr array_source(std::vector<std::string> names, std::vector<MemoryColumn> columns) {
  return std::make_shared<ArraySource>(std::move(names), std::move(columns));
}

}  // namespace mycel::data
