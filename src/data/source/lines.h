// SPDX-License-Identifier: Apache-2.0
// Text files read line by line, and sources whose rows are made of lines.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/parameters.h"
#include "data/source/byte_stream.h"
#include "data/source/registry.h"
#include "data/source/source.h"

namespace mycel::data {

class LineStream {
 public:
  explicit LineStream(std::string path);
  // Without the line feed; false at the end of the file.
  bool next(std::string& line);
  const std::string& path() const { return path_; }
  std::int64_t number() const { return number_; }  // of the last line, from 1
  // RuntimeError that names file and line.
  [[noreturn]] void refuse(std::string_view reason) const;

 private:
  bool refill();
  std::string path_;
  std::unique_ptr<ByteStream> stream_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::int64_t number_ = 0;
};

// Makes the next row of a file. `items` is null when the row is only passed over. False at the end.
using LineRow = std::function<bool(LineStream& lines, Items* items)>;

// `dataset` and `what` are for the message when no file holds a row.
struct LineSourceText {
  std::string dataset;
  std::string what;
};
FileSourcePtr make_line_source(const Parameters& parameters, std::vector<std::string> columns,
                               LineRow row, LineSourceText text);

// RuntimeError of `nothing_to_read` when none of the files holds a row.
void require_rows(const FileSource& source, const LineSourceText& text);

// A string array of one axis.
Item text_list(std::vector<std::string> values);

}  // namespace mycel::data
