// SPDX-License-Identifier: Apache-2.0
// The JSON text at the beginning of a MindRecord file: what the rows are made of and which pages
// hold them. A file is: length of the text (8 bytes), the text, and from `header_size` on pages of
// `page_size` bytes each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/record/schema.h"

namespace mycel::data {

constexpr std::int64_t kMinHeaderBytes = std::int64_t{1} << 14;
constexpr std::int64_t kMaxHeaderBytes = std::int64_t{1} << 27;
constexpr std::int64_t kMinPageBytes = std::int64_t{1} << 15;
constexpr std::int64_t kMaxPageBytes = std::int64_t{1} << 28;

enum class PageType : std::uint8_t { Raw, Blob };

// The scalars of the rows of one blob page, within a raw page.
struct RowGroup {
  std::int64_t id = 0;      // which blob page: its type_id
  std::int64_t offset = 0;  // in the page
};

struct RecordPage {
  PageType type = PageType::Blob;
  std::int64_t type_id = 0;
  std::int64_t used = 0;         // bytes
  std::int64_t first_row = 0;    // of a blob page
  std::int64_t last_row = 0;     // one past it
  std::vector<RowGroup> groups;  // of a raw page
};

struct RecordHeader {
  std::int64_t header_size = std::int64_t{1} << 24;
  std::int64_t page_size = std::int64_t{1} << 25;
  int version = 3;                    // 2: integer arrays are plain
  std::int64_t compression_size = 0;  // bytes saved in the whole set
  std::string description;
  RecordSchema schema;
  std::vector<std::string> index_fields;
  std::vector<std::string> shard_names;  // base names
  std::int64_t shard = 0;
  std::string statistics = "null";  // JSON, kept as it is
  std::vector<RecordPage> pages;

  std::int64_t rows() const;
  std::int64_t page_begin(std::size_t page) const {
    return header_size + static_cast<std::int64_t>(page) * page_size;
  }
  std::string text() const;
};

// RuntimeError naming the file for anything that is not a header, and for one whose numbers would
// lead outside their bounds.
RecordHeader parse_header(std::string_view text, const std::string& file);

// The two must describe parts of one set. RuntimeError naming the file otherwise.
void check_same_set(const RecordHeader& first, const RecordHeader& other, const std::string& file);

// RuntimeError with the allowed range.
void check_header_size(std::int64_t bytes);
void check_page_size(std::int64_t bytes);

}  // namespace mycel::data
