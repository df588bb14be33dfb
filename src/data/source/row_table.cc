// SPDX-License-Identifier: Apache-2.0
#include "data/source/row_table.h"

#include <cstring>
#include <limits>

#include "data/source/files.h"
#include "data/source/wave.h"

namespace mycel::data {

namespace {

class FileColumn : public Column {
 public:
  FileColumn(Paths paths, FileUse use) : paths_(std::move(paths)), use_(use) {}
  std::int64_t rows() const override { return static_cast<std::int64_t>(paths_->size()); }
  std::string file(std::int64_t row) const override { return path(row); }
  Item item(std::int64_t row) const override {
    switch (use_) {
      case FileUse::Bytes: return read_bytes(path(row));
      case FileUse::Path: return Item::text(path(row));
      case FileUse::Text: return Item::text(read_text_file(path(row)));
      case FileUse::Wave: return read_wave(path(row));
      case FileUse::WaveRateInt32:
        return Item::scalar(static_cast<std::int32_t>(wave_rate(path(row))), DType::Int32);
      case FileUse::WaveRateUInt32: return Item::scalar(wave_rate(path(row)), DType::UInt32);
    }
    return {};
  }

 private:
  const std::string& path(std::int64_t row) const {
    return (*paths_)[static_cast<std::size_t>(row)];
  }
  Paths paths_;
  FileUse use_;
};

class WavePartColumn : public Column {
 public:
  WavePartColumn(Paths paths, std::vector<double> seconds)
      : paths_(std::move(paths)), seconds_(std::move(seconds)) {
    platform::require(seconds_.size() == 2 * paths_->size(), ErrorKind::Internal,
                      "every part of a sound has a begin and an end");
  }
  std::int64_t rows() const override { return static_cast<std::int64_t>(paths_->size()); }
  std::string file(std::int64_t row) const override {
    return (*paths_)[static_cast<std::size_t>(row)];
  }
  Item item(std::int64_t row) const override {
    const auto at = static_cast<std::size_t>(row);
    return read_wave((*paths_)[at], seconds_[2 * at], seconds_[2 * at + 1]);
  }

 private:
  Paths paths_;
  std::vector<double> seconds_;
};

template <class T>
T checked_number(double value) {
  if constexpr (std::is_integral_v<T>) {
    // The largest 64-bit numbers round up to 2^63 or 2^64, which no longer fit: hence "<".
    const auto low = static_cast<double>(std::numeric_limits<T>::min());
    const auto high = static_cast<double>(std::numeric_limits<T>::max());
    const bool fits = value >= low && (sizeof(T) < 8 ? value <= high : value < high);
    platform::require(fits, ErrorKind::Runtime, "Invalid data, the value ", value,
                      " does not fit the type of its column, whose range is [",
                      std::numeric_limits<T>::min(), ", ", std::numeric_limits<T>::max(), "].");
  }
  return static_cast<T>(value);
}

}  // namespace

ColumnPtr file_column(Paths paths, FileUse use) {
  return std::make_shared<FileColumn>(std::move(paths), use);
}

ColumnPtr picture_column(Paths paths, const Parameters& parameters) {
  const bool paths_only = parameters.has("paths_only") && parameters.flag("paths_only");
  return file_column(std::move(paths), paths_only ? FileUse::Path : FileUse::Bytes);
}

ColumnPtr wave_part_column(Paths paths, std::vector<double> seconds) {
  return std::make_shared<WavePartColumn>(std::move(paths), std::move(seconds));
}

RowEnds::RowEnds(Shape entry, RowForm form)
    : entry_(std::move(entry)), form_(form), entry_values_(tensor::element_count(entry_)) {
  platform::require(entry_values_ > 0, ErrorKind::Internal, "an entry has at least one value");
}

void RowEnds::end_row(std::int64_t values) {
  const std::int64_t added = values - (ends_.empty() ? 0 : ends_.back());
  const bool fits = form_ == RowForm::Fixed ? added == entry_values_ : added % entry_values_ == 0;
  platform::require(fits, ErrorKind::Runtime, "Invalid data, row ", ends_.size(), " has ", added,
                    " values, but its entries have ", entry_values_, " each.");
  ends_.push_back(values);
}

std::int64_t RowEnds::begin(std::int64_t row) const {
  return row == 0 ? 0 : ends_[static_cast<std::size_t>(row) - 1];
}

Shape RowEnds::shape(std::int64_t row) const {
  if (form_ == RowForm::Fixed) return entry_;
  Shape shape = {(end(row) - begin(row)) / entry_values_};
  for (const std::int64_t length : entry_) shape.push_back(length);
  return shape;
}

NumberColumn::NumberColumn(DType dtype, Shape entry, RowForm form)
    : dtype_(dtype),
      width_(tensor::size_of(dtype)),
      ends_(entry, form),
      is_scalar_(entry.empty() && form == RowForm::Fixed) {}

void NumberColumn::push(double value) {
  tensor::with_real_type(dtype_, [&]<class T>() {
    const T converted = checked_number<T>(value);
    bytes_.append(reinterpret_cast<const char*>(&converted), sizeof(T));
  });
}

void NumberColumn::end_row() { ends_.end_row(static_cast<std::int64_t>(bytes_.size() / width_)); }

Item NumberColumn::item(std::int64_t row) const {
  Tensor tensor = Tensor::empty(ends_.shape(row), dtype_);
  if (tensor.bytes() > 0)
    std::memcpy(tensor.raw(), bytes_.data() + static_cast<std::size_t>(ends_.begin(row)) * width_,
                tensor.bytes());
  return tensor;
}

std::vector<std::int64_t> NumberColumn::classes() const {
  if (!is_scalar_ || tensor::is_floating(dtype_)) return {};
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows()));
  tensor::with_real_type(dtype_, [&]<class T>() {
    T value;
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::memcpy(&value, bytes_.data() + i * sizeof(T), sizeof(T));
      all[i] = static_cast<std::int64_t>(value);
    }
  });
  return all;
}

Item TextColumn::item(std::int64_t row) const {
  std::vector<std::string> values(values_.begin() + ends_.begin(row),
                                  values_.begin() + ends_.end(row));
  return Ref<TextArray>(new TextArray(std::move(values), ends_.shape(row), false));
}

void RowTable::add(std::string name, ColumnPtr column) {
  platform::require(columns_.empty() || column->rows() == rows(), ErrorKind::Runtime,
                    "Invalid data, column '", name, "' has ", column->rows(), " rows, but '",
                    columns_.empty() ? "" : columns_.front().first, "' has ", rows(), ".");
  columns_.emplace_back(std::move(name), std::move(column));
}

std::vector<std::string> RowTable::columns() const {
  std::vector<std::string> names;
  for (const auto& [name, column] : columns_) names.push_back(name);
  return names;
}

std::int64_t RowTable::rows() const {
  return columns_.empty() ? 0 : columns_.front().second->rows();
}

void RowTable::load(std::int64_t row, LoadedRow& out) const {
  platform::require(0 <= row && row < rows(), ErrorKind::Runtime, "row ", row,
                    " is out of bound, expected range [0, ", rows() - 1, "]");
  out.items.clear();
  out.file.clear();
  for (const auto& [name, column] : columns_) {
    if (out.file.empty()) out.file = column->file(row);
    out.items.push_back(column->item(row));
  }
}

std::vector<std::int64_t> RowTable::classes(const std::string& wanted) const {
  for (const auto& [name, column] : columns_)
    if (name == wanted) return column->classes();
  return class_column_.empty() || wanted == class_column_ ? std::vector<std::int64_t>()
                                                          : classes(class_column_);
}

}  // namespace mycel::data
