// SPDX-License-Identifier: Apache-2.0
#include "data/record/layout.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mycel::data {

using platform::fail;
using platform::require;

namespace {

std::uint64_t little_endian(const char* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace

RecordHeader read_header(ByteView bytes, const std::string& file) {
  require(bytes.size() >= 8, ErrorKind::Runtime,
          "Invalid file, the size of mindrecord file: ", bytes.size(),
          " is smaller than the lower limit: 8. Please check file path: ", file,
          " and use 'FileWriter' to generate valid mindrecord files.");
  const std::uint64_t length = little_endian(bytes.data());
  require(length <= static_cast<std::uint64_t>(kMaxHeaderBytes), ErrorKind::Runtime,
          "Invalid file, the size of mindrecord file header is larger than the upper limit. Please "
          "check file path: ",
          file, " (", length, " bytes, at most ", kMaxHeaderBytes, ").");
  require(length <= bytes.size() - 8, ErrorKind::Runtime,
          "Invalid file, failed to read the header content of file ", file, ": it has ", length,
          " bytes, but only ", bytes.size() - 8, " follow.");
  return parse_header(bytes.substr(8, length), file);
}

RecordLayout::RecordLayout(RecordHeader header, ByteView bytes, std::string file)
    : header_(std::move(header)), bytes_(bytes), file_(std::move(file)), rows_(header_.rows()) {
  for (std::size_t i = 0; i < header_.pages.size(); ++i) {
    const RecordPage& page = header_.pages[i];
    const std::int64_t end = header_.page_begin(i) + page.used;
    require(page.used == 0 || static_cast<std::uint64_t>(end) <= bytes_.size(), ErrorKind::Runtime,
            "Invalid file, the mindrecord file ", file_, " is cut short: page ", i,
            " ends at byte ", end, ", but the file has ", bytes_.size(), ".");
    if (page.type == PageType::Blob)
      areas_.push_back({page.first_row, page.last_row, static_cast<std::int64_t>(i), -1, 0});
  }
  for (std::size_t i = 0; i < header_.pages.size(); ++i)
    for (const RowGroup& group : header_.pages[i].groups) {
      RowArea& area =
          areas_[static_cast<std::size_t>(group.id)];  // the header was checked for that
      area.raw_page = static_cast<std::int64_t>(i);
      area.raw_offset = group.offset;
    }
}

const RowArea& RecordLayout::area_of(std::int64_t row) const {
  const auto after = std::upper_bound(
      areas_.begin(), areas_.end(), row,
      [](std::int64_t wanted, const RowArea& area) { return wanted < area.last_row; });
  require(row >= 0 && after != areas_.end(), ErrorKind::Internal, "row ", row, " of ", rows_,
          " was asked for");
  return *after;
}

ByteView RecordLayout::entry(std::int64_t page, std::int64_t offset) const {
  const std::int64_t used = header_.pages[static_cast<std::size_t>(page)].used;
  require(offset + 8 <= used, ErrorKind::Runtime, "Invalid file, ", file_, ", page ", page,
          ", offset ", offset, ": a row was expected, but the page ends at ", used);
  const char* const begin =
      bytes_.data() + header_.page_begin(static_cast<std::size_t>(page)) + offset;
  const std::uint64_t length = little_endian(begin);
  require(length <= static_cast<std::uint64_t>(used - offset - 8), ErrorKind::Runtime,
          "Invalid file, ", file_, ", page ", page, ", offset ", offset, ": a row of ", length,
          " bytes was stated, but the page has only ", used - offset - 8, " left");
  return {begin + 8, length};
}

RowTable RecordLayout::scan() const {
  RowTable table;
  table.raw.reserve(static_cast<std::size_t>(rows_));
  table.blob.reserve(static_cast<std::size_t>(rows_));
  for (const RowArea& area : areas_) scan_area(area, table);
  return table;
}

void RecordLayout::scan_area(const RowArea& area, RowTable& table) const {
  std::int64_t raw = area.raw_offset;
  std::int64_t blob = 0;
  for (std::int64_t row = area.first_row; row < area.last_row; ++row) {
    table.raw.push_back(static_cast<std::uint32_t>(raw));
    table.blob.push_back(static_cast<std::uint32_t>(blob));
    raw += 8 + static_cast<std::int64_t>(entry(area.raw_page, raw).size());
    blob += 8 + static_cast<std::int64_t>(entry(area.blob_page, blob).size());
  }
  const std::int64_t used = header_.pages[static_cast<std::size_t>(area.blob_page)].used;
  require(blob == used, ErrorKind::Runtime, "Invalid file, ", file_, ", page ", area.blob_page,
          ": its ", area.last_row - area.first_row, " rows end at ", blob, ", but the page at ",
          used);
}

}  // namespace mycel::data
