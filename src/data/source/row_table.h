// SPDX-License-Identifier: Apache-2.0
// A table of rows that a layout has listed: each column knows how to make its value of a row, from
// numbers and texts kept in memory or from a file read when the row is wanted. A layout is then
// only the code that finds files and reads annotations.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/parameters.h"
#include "data/source/source.h"

namespace mycel::data {

class Column {
 public:
  virtual ~Column() = default;
  virtual std::int64_t rows() const = 0;
  virtual Item item(std::int64_t row) const = 0;
  // What the value of this row is read from; empty: it is in memory.
  virtual std::string file(std::int64_t /*row*/) const { return {}; }
  virtual std::vector<std::int64_t> classes() const { return {}; }
};

using ColumnPtr = std::shared_ptr<const Column>;
using Paths = std::shared_ptr<const std::vector<std::string>>;

// How a file becomes a value.
enum class FileUse : std::uint8_t {
  Bytes,           // uint8, one axis
  Path,            // the path itself, for those who read the file otherwise
  Text,            // the whole file, a string
  Wave,            // float32 [channels, time]
  WaveRateInt32,   // samples per second
  WaveRateUInt32,  // the same
};

ColumnPtr file_column(Paths paths, FileUse use);
// Bytes, or paths when the layer above wants to read the files itself (`paths_only`).
ColumnPtr picture_column(Paths paths, const Parameters& parameters);
// Parts of sound files: two numbers for each row, where the part begins and ends, in seconds.
ColumnPtr wave_part_column(Paths paths, std::vector<double> seconds);

// Whether every row has one value of the same shape, or a number of entries of its own.
enum class RowForm : std::uint8_t { Fixed, Ragged };

// Values one after the other, and where each row ends.
class RowEnds {
 public:
  RowEnds(Shape entry, RowForm form);
  void end_row(std::int64_t values);  // so many values are there in all
  std::int64_t rows() const { return static_cast<std::int64_t>(ends_.size()); }
  std::int64_t begin(std::int64_t row) const;
  std::int64_t end(std::int64_t row) const { return ends_[static_cast<std::size_t>(row)]; }
  Shape shape(std::int64_t row) const;  // entry, or [entries of the row] + entry

 private:
  Shape entry_;
  RowForm form_;
  std::int64_t entry_values_;
  std::vector<std::int64_t> ends_;
};

class NumberColumn : public Column {
 public:
  explicit NumberColumn(DType dtype, Shape entry = {}, RowForm form = RowForm::Fixed);
  void push(double value);  // RuntimeError when the type cannot hold it
  void end_row();
  void push_row(double value) {
    push(value);
    end_row();
  }
  // Where the numbers were read from, for messages.
  void set_file(std::string path) { file_ = std::move(path); }
  std::string file(std::int64_t /*row*/) const override { return file_; }
  std::int64_t rows() const override { return ends_.rows(); }
  Item item(std::int64_t row) const override;
  std::vector<std::int64_t> classes() const override;

 private:
  DType dtype_;
  std::size_t width_;
  std::string bytes_;
  std::string file_;
  RowEnds ends_;
  bool is_scalar_;
};

class TextColumn : public Column {
 public:
  explicit TextColumn(Shape entry = {}, RowForm form = RowForm::Fixed)
      : ends_(std::move(entry), form) {}
  void push(std::string value) { values_.push_back(std::move(value)); }
  void end_row() { ends_.end_row(static_cast<std::int64_t>(values_.size())); }
  void push_row(std::string value) {
    push(std::move(value));
    end_row();
  }
  std::int64_t rows() const override { return ends_.rows(); }
  Item item(std::int64_t row) const override;

 private:
  std::vector<std::string> values_;
  RowEnds ends_;
};

class RowTable : public IndexedSource {
 public:
  void add(std::string name, ColumnPtr column);  // all columns have the same number of rows
  std::vector<std::string> columns() const override;
  std::int64_t rows() const override;
  void load(std::int64_t row, LoadedRow& out) const override;
  std::vector<std::int64_t> classes(const std::string& column) const override;
  // Stands in for a class column that is not there: CIFAR-100 has two of other names.
  void set_class_column(std::string name) { class_column_ = std::move(name); }

 private:
  std::string class_column_;
  std::vector<std::pair<std::string, ColumnPtr>> columns_;
};

}  // namespace mycel::data
