// SPDX-License-Identifier: Apache-2.0
#include "data/packed_rows.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "data/pipeline/collate.h"

namespace mycel::data {

using platform::Error;

namespace {

constexpr std::uint32_t kMark = 0x31'6B'63'70;  // "pck1"
constexpr std::size_t kAlignment = 64;

// Then the end of every row; rows begin where the one before ended, at the next multiple of 64.
struct Head {
  std::uint32_t mark;
  std::uint32_t note;
  std::uint64_t rows;
};

std::size_t aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

Error damaged() { return {ErrorKind::Runtime, "The bytes of packed rows are damaged."}; }

}  // namespace

bool is_worth_packing(std::span<const Items> rows) {
  std::size_t bytes = 0;
  for (const Items& row : rows) {
    // Bytes are left alone: they would arrive as arrays that cannot be written.
    const bool is_data = std::ranges::all_of(row, [](const Item& item) {
      return item.is_array() || (item.is_text() && !item.text().is_bytes);
    });
    if (!is_data) return false;
    bytes += bytes_of(row);
  }
  return bytes <= kMostBytesOfPackedRow * rows.size();
}

Tensor pack_rows(std::span<const Items> rows, std::uint32_t note) {
  static const std::vector<std::string> kNoNames;
  std::vector<std::uint64_t> ends(rows.size());
  std::string packed(aligned(sizeof(Head) + rows.size() * sizeof(std::uint64_t)), '\0');
  RowEncoder encoder;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Bytes part : encoder.encode(rows[i], {}, kNoNames))
      packed.append(reinterpret_cast<const char*>(part.data()), part.size());
    ends[i] = packed.size();
    packed.resize(aligned(packed.size()));
  }
  const Head head{kMark, note, rows.size()};
  std::memcpy(packed.data(), &head, sizeof head);
  if (!ends.empty())
    std::memcpy(packed.data() + sizeof head, ends.data(), ends.size() * sizeof(std::uint64_t));
  return byte_tensor(packed);
}

Result<PackedRows> PackedRows::open(const Tensor& packed) {
  if (packed.dtype() != DType::UInt8 || packed.rank() != 1 || !packed.is_contiguous())
    return damaged();
  const Bytes bytes(static_cast<const std::byte*>(packed.raw()), packed.bytes());
  Head head{};
  if (bytes.size() < sizeof head) return damaged();
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.mark != kMark || head.rows > (bytes.size() - sizeof head) / sizeof(std::uint64_t))
    return damaged();
  PackedRows rows;
  rows.note_ = head.note;
  rows.owner_ = std::make_shared<const Tensor>(packed);
  rows.rows_.reserve(head.rows);
  std::size_t begin = aligned(sizeof head + head.rows * sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < head.rows; ++i) {
    std::uint64_t end = 0;
    std::memcpy(&end, bytes.data() + sizeof head + i * sizeof end, sizeof end);
    if (begin > bytes.size() || end < begin || end > bytes.size()) return damaged();
    Result<RowReader> row = RowReader::open(bytes.subspan(begin, end - begin));
    if (!row) return row.error();
    rows.rows_.push_back(std::move(row).value());
    begin = aligned(end);
  }
  return rows;
}

}  // namespace mycel::data
