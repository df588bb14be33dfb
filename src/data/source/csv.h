// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/source/byte_stream.h"

namespace mycel::data {

// Records of a CSV file: fields between delimiters; a field in double quotes may hold delimiters
// and line ends, and a quote written twice. Lines end with LF or CR LF; empty lines are passed
// over.
class CsvReader {
 public:
  CsvReader(std::string path, char delimiter);
  // False at the end. `fields` may be null: the record is only passed over.
  bool next(std::vector<std::string>* fields);
  const std::string& path() const { return path_; }
  std::int64_t record() const { return record_; }  // of the last record, from 1

 private:
  int get();   // -1 at the end
  int peek();  // the same, without taking it
  bool quoted_field(std::string* field);
  [[noreturn]] void refuse(std::string_view reason) const;
  std::string path_;
  std::unique_ptr<ByteStream> stream_;
  char delimiter_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::int64_t record_ = 0;
};

}  // namespace mycel::data
