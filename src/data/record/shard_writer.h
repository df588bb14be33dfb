// SPDX-License-Identifier: Apache-2.0
// Writes one file of a MindRecord set and its index. Nothing is seen at the final names before
// publish(); what is not published leaves no trace.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "data/record/layout.h"
#include "data/record/protection.h"
#include "platform/file/file.h"

namespace mycel::data {

class ShardWriter {
 public:
  // A new file; `header` without pages.
  ShardWriter(platform::Path path, RecordHeader header);
  // Continues a file: its content is copied first, so that a failure leaves it as it was.
  ShardWriter(platform::Path path, const RecordLayout& layout, RowTable table, ByteView content);

  // Places one batch. The pages are the reference's, byte for byte.
  void write(std::span<const EncodedRow> rows);
  void set_page_size(std::int64_t bytes) { header_.page_size = bytes; }  // before the first write
  std::int64_t saved() const { return saved_; }
  const RecordHeader& header() const { return header_; }

  // Writes the header and the index; `hash` as in RecordProtection.
  void finish(std::int64_t saved_in_set, const std::string& hash);
  void encrypt(const RecordProtection& protection);  // after finish()
  void publish();
  // Where the two files are until then.
  const platform::Path& temporary_data() const { return data_->temporary(); }
  const platform::Path& temporary_index() const { return index_->temporary(); }

 private:
  using Rows = std::span<const EncodedRow>;
  RecordPage* last_page(PageType type);
  std::size_t add_page(PageType type);
  std::size_t number_of(const RecordPage& page) const;
  std::vector<Rows> cut_into_groups(Rows rows);
  void append_blobs(std::size_t page, Rows rows);
  void append_scalars(std::size_t page, Rows rows);
  void make_room_for_scalars(Rows rows);
  void append_entries(std::size_t page, Rows rows, std::string EncodedRow::*part,
                      std::vector<std::uint32_t>& offsets);

  platform::Path path_;
  RecordHeader header_;
  RowTable table_;
  std::unique_ptr<platform::AtomicFile> data_;
  std::unique_ptr<platform::AtomicFile> index_;  // after finish()
  std::int64_t saved_ = 0;
};

platform::Path index_of(const platform::Path& file);  // file.db

}  // namespace mycel::data
