// SPDX-License-Identifier: Apache-2.0
// Where the rows of one MindRecord file lie. Everything here is derivable from the file alone; the
// index beside it (index.h) only saves reading the whole file for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/record/header.h"
#include "data/record/row_codec.h"

namespace mycel::data {

// Offsets of every row's entries within their pages; the lengths stand in the file.
struct RowTable {
  std::vector<std::uint32_t> raw;
  std::vector<std::uint32_t> blob;
};

// The rows of one blob page and the two areas that hold them.
struct RowArea {
  std::int64_t first_row = 0;
  std::int64_t last_row = 0;
  std::int64_t blob_page = 0;  // number of the page
  std::int64_t raw_page = 0;
  std::int64_t raw_offset = 0;  // of the first row's scalars within the raw page
};

// One file's bytes with the header's view of them. Every access is bounded by the page it goes to.
class RecordLayout {
 public:
  // `file` names it in messages. RuntimeError when a page reaches beyond the bytes.
  RecordLayout(RecordHeader header, ByteView bytes, std::string file);

  const RecordHeader& header() const { return header_; }
  const std::vector<RowArea>& areas() const { return areas_; }
  const std::string& file() const { return file_; }
  std::int64_t rows() const { return rows_; }
  const RowArea& area_of(std::int64_t row) const;

  // The entry at an offset of a page, without its length. RuntimeError when it leaves the page.
  ByteView entry(std::int64_t page, std::int64_t offset) const;
  // Reads every length in the file. RuntimeError where they contradict the header.
  RowTable scan() const;

 private:
  void scan_area(const RowArea& area, RowTable& table) const;
  RecordHeader header_;
  ByteView bytes_;
  std::string file_;
  std::vector<RowArea> areas_;
  std::int64_t rows_ = 0;
};

// The header of a file with these bytes. RuntimeError naming the file.
RecordHeader read_header(ByteView bytes, const std::string& file);

}  // namespace mycel::data
