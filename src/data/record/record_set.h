// SPDX-License-Identifier: Apache-2.0
// A MindRecord set open for reading.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/record/layout.h"
#include "data/record/protection.h"

namespace mycel::data {

struct RecordFiles {
  std::vector<std::string> files;
  bool with_siblings = false;  // files[0] stands for the whole set it names
  RecordProtection protection;
  std::vector<std::string> plain;  // decrypted by somebody else, one for each file; or empty
};

struct RowBytes {
  ByteView raw;
  ByteView blob;
};

// One file and where its rows lie.
class RecordShard {
 public:
  // An index that is missing or does not fit is made anew from the data, with a warning.
  RecordShard(std::string file, const RecordProtection& protection, const std::string& plain);
  const std::string& file() const { return file_; }
  const RecordLayout& layout() const { return *layout_; }
  const RowTable& table() const { return table_; }
  const PlainContent& content() const { return *content_; }
  // RuntimeError when the file has other lengths than the index was made for.
  RowBytes row(std::int64_t row) const;
  // After rows were read: RuntimeError when somebody has cut the file short since it was opened.
  // The cheap form sees only what was touched.
  void check() const;
  void check_touched() const {
    if (!content_->is_whole()) check();
  }

 private:
  void find_rows(bool is_protected);
  std::string file_;
  std::unique_ptr<PlainContent> content_;
  std::unique_ptr<RecordLayout> layout_;
  RowTable table_;
};

// Immutable; threads read at the same time.
class RecordSet {
 public:
  static std::shared_ptr<const RecordSet> open(const RecordFiles& files);

  const RecordHeader& header() const { return shards_.front().layout().header(); }
  const RecordSchema& schema() const { return header().schema; }
  const std::vector<RecordShard>& shards() const { return shards_; }
  std::int64_t rows() const { return first_rows_.back(); }
  std::vector<std::int64_t> shard_rows() const;
  const RecordShard& shard_of(std::int64_t& row) const;  // makes the row one of the shard
  void check() const;                                    // all files, see RecordShard

 private:
  std::vector<RecordShard> shards_;
  std::vector<std::int64_t> first_rows_{0};  // of every shard, and the end
};

// One column of a row as it lies in the file; of the two, the one the field has.
struct RowPart {
  ScalarValue scalar;
  ByteView blob;
};

// Reads chosen columns of rows.
class RowReader {
 public:
  // Empty `columns`: all, in the order of the schema. RuntimeError for a name that is not there.
  RowReader(std::shared_ptr<const RecordSet> set, const std::vector<std::string>& columns);
  const RecordSet& set() const { return *set_; }
  std::vector<std::string> columns() const;
  const std::vector<const RecordField*>& fields() const { return fields_; }
  // Errors name file and row.
  void read(std::int64_t row, Items& items) const;
  void read_parts(std::int64_t row, std::vector<RowPart>& parts) const;

 private:
  template <class Take>
  void each_part(std::int64_t row, const Take& take) const;
  std::shared_ptr<const RecordSet> set_;
  std::vector<const RecordField*> fields_;
  std::vector<std::size_t> places_;  // among the scalars asked for, or among the blobs
  ScalarDecoder scalars_;
};

// The rows that have the same value in a field.
struct RecordCategory {
  std::string name;  // the value as text
  std::vector<std::int64_t> rows;
};
// By ascending text. RuntimeError when the field is no scalar of the set.
std::vector<RecordCategory> categories(const RecordSet& set, const std::string& field);

}  // namespace mycel::data
