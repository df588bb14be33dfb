// SPDX-License-Identifier: Apache-2.0
// Where rows come from. A source knows its columns and gives rows; which rows, in which order, and
// on which thread is decided elsewhere (pipeline/).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/item.h"

namespace mycel::data {

// The rows of one source that some caller wants, and where they lie.
struct LoadedRow {
  Items items;       // one per column
  std::string file;  // what the row was read from, for messages; may stay empty
};

// Where values of a batch belong. Null: another type or shape than the rows before.
class RowSink {
 public:
  virtual void* place(std::size_t column, DType dtype, const Shape& shape) = 0;

 protected:
  ~RowSink() = default;
};

// Rows by number: image folders, MNIST, MindRecord. Threads call load() at the same time.
class IndexedSource {
 public:
  virtual ~IndexedSource() = default;
  virtual std::vector<std::string> columns() const = 0;
  virtual std::int64_t rows() const = 0;
  virtual void load(std::int64_t row, LoadedRow& out) const = 0;
  // Throws when what rows are made of has changed since it was opened: rows may be views of it.
  virtual void check() const {}
  // The class of every row, where there is one: PKSampler draws by it. `column` names the wanted
  // one. Empty: this source has no classes.
  virtual std::vector<std::int64_t> classes(const std::string& /*column*/) const { return {}; }
  // Sources that hold their rows ready, all of one type and shape: what each column is. Batches are
  // then filled by copy_value() alone. Empty: load() is the only way.
  struct FixedColumn {
    DType dtype;
    Shape shape;
  };
  virtual std::vector<FixedColumn> fixed_columns() const { return {}; }
  virtual void copy_value(std::int64_t /*row*/, std::size_t /*column*/, void* /*to*/) const {}
  // Writes a row straight into a batch; when that is not possible, `out` has it and false comes
  // back.
  virtual bool load_into(std::int64_t row, RowSink& /*sink*/, LoadedRow& out) const {
    load(row, out);
    return false;
  }
  // load_into() is worth asking for.
  virtual bool writes_into_batches() const { return false; }
  virtual bool uses_python() const { return false; }
  // Held around the loading of many rows: a lock that each call would take again.
  virtual std::shared_ptr<void> hold() const { return nullptr; }
};

// One pass over one file of a stream source, in order.
class FileCursor {
 public:
  virtual ~FileCursor() = default;
  virtual bool next(LoadedRow& out) = 0;  // false at the end
  // Passes over rows without making them.
  virtual std::int64_t skip(std::int64_t rows) = 0;  // how many there were
};

// Rows in the order of files: text lines, CSV, TFRecord.
class FileSource {
 public:
  virtual ~FileSource() = default;
  virtual std::vector<std::string> columns() const = 0;
  virtual const std::vector<std::string>& files() const = 0;
  virtual std::int64_t count_rows(std::size_t file) const = 0;
  virtual std::unique_ptr<FileCursor> open(std::size_t file) const = 0;
};

}  // namespace mycel::data
