// SPDX-License-Identifier: Apache-2.0
#include "data/record/shard_writer.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

#include <signal.h>

#include "data/record/index.h"

namespace mycel::data {

using platform::AtomicFile;
using platform::Path;
using platform::require;

namespace {

constexpr std::size_t kBufferBytes = std::size_t{4} << 20;
constexpr std::int64_t kPrefixBytes = 8;

std::int64_t entry_bytes(const std::string& part) {
  return kPrefixBytes + static_cast<std::int64_t>(part.size());
}

std::int64_t scalar_bytes(std::span<const EncodedRow> rows) {
  std::int64_t bytes = 0;
  for (const EncodedRow& row : rows) bytes += entry_bytes(row.raw);
  return bytes;
}

void append_prefix(std::string& out, std::uint64_t length) {
  out.append(reinterpret_cast<const char*>(&length), sizeof length);
}

// What a writer that was killed could not remove: temporary files of processes that are no more.
void remove_leftovers(const Path& path) {
  const Path folder = path.has_parent_path() ? path.parent_path() : Path(".");
  const std::string prefix = path.filename().string() + ".part.";
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    int process = 0;
    const char* const begin = name.data() + prefix.size();
    const auto [end, error] = std::from_chars(begin, name.data() + name.size(), process);
    const bool is_ours = error == std::errc() && *end == '.' && process > 0;
    if (is_ours && kill(process, 0) != 0 && errno == ESRCH)
      std::filesystem::remove(entry.path(), code);
  }
}

std::unique_ptr<AtomicFile> temporary_for(const Path& path) {
  remove_leftovers(path);
  return std::make_unique<AtomicFile>(AtomicFile::create(path, 0600).value());
}

// Holes stay holes: most of a small file is one.
void copy_content(AtomicFile& target, ByteView content) {
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  for (std::size_t at = 0; at < content.size(); at += kBlock) {
    const ByteView block = content.substr(at, kBlock);
    const bool is_last = content.size() - at <= kBlock;  // it gives the file its length
    if (is_last || block.find_first_not_of('\0') != block.npos)
      target.write_at(at, platform::as_bytes(block)).value();
  }
}

}  // namespace

Path index_of(const Path& file) {
  Path index = file;
  index += ".db";
  return index;
}

ShardWriter::ShardWriter(Path path, RecordHeader header)
    : path_(std::move(path)), header_(std::move(header)), data_(temporary_for(path_)) {}

ShardWriter::ShardWriter(Path path, const RecordLayout& layout, RowTable table, ByteView content)
    : path_(std::move(path)),
      header_(layout.header()),
      table_(std::move(table)),
      data_(temporary_for(path_)) {
  copy_content(*data_, content);
}

RecordPage* ShardWriter::last_page(PageType type) {
  const auto found = std::find_if(header_.pages.rbegin(), header_.pages.rend(),
                                  [&](const RecordPage& page) { return page.type == type; });
  return found == header_.pages.rend() ? nullptr : &*found;
}

std::size_t ShardWriter::number_of(const RecordPage& page) const {
  return static_cast<std::size_t>(&page - header_.pages.data());
}

std::size_t ShardWriter::add_page(PageType type) {
  RecordPage page;
  page.type = type;
  if (const RecordPage* last = last_page(type)) {
    // Raw pages are numbered strangely, and have always been.
    page.type_id = type == PageType::Blob ? last->type_id + 1
                                          : static_cast<std::int64_t>(number_of(*last)) + 1;
    if (type == PageType::Blob) page.first_row = page.last_row = last->last_row;
  }
  header_.pages.push_back(std::move(page));
  return header_.pages.size() - 1;
}

// The first group, maybe empty, goes to the last pages there are; the others are new.
std::vector<std::span<const EncodedRow>> ShardWriter::cut_into_groups(Rows rows) {
  const RecordPage* const blob = last_page(PageType::Blob);
  const RecordPage* const raw = last_page(PageType::Raw);
  std::int64_t blob_bytes = blob != nullptr ? blob->used : 0;
  std::int64_t raw_bytes =
      raw != nullptr && !raw->groups.empty() ? raw->used - raw->groups.back().offset : 0;
  std::vector<Rows> groups;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t more_blob = entry_bytes(rows[i].blob);
    const std::int64_t more_raw = entry_bytes(rows[i].raw);
    if (blob_bytes == 0 || blob_bytes + more_blob > header_.page_size ||
        raw_bytes + more_raw > header_.page_size) {
      groups.push_back(rows.subspan(begin, i - begin));
      begin = i;
      blob_bytes = raw_bytes = 0;
    }
    blob_bytes += more_blob;
    raw_bytes += more_raw;
  }
  groups.push_back(rows.subspan(begin));
  return groups;
}

void ShardWriter::write(Rows rows) {
  if (rows.empty()) return;
  const std::vector<Rows> groups = cut_into_groups(rows);
  const std::int64_t groups_before =
      last_page(PageType::Blob) != nullptr ? last_page(PageType::Blob)->type_id + 1 : 0;
  if (!groups[0].empty()) append_blobs(number_of(*last_page(PageType::Blob)), groups[0]);
  for (std::size_t i = 1; i < groups.size(); ++i) append_blobs(add_page(PageType::Blob), groups[i]);
  if (!groups[0].empty()) {
    make_room_for_scalars(groups[0]);
    append_scalars(number_of(*last_page(PageType::Raw)), groups[0]);
  }
  for (std::size_t i = 1; i < groups.size(); ++i) {
    const RecordPage* const last = last_page(PageType::Raw);
    const std::size_t page =
        last == nullptr || last->used + scalar_bytes(groups[i]) > header_.page_size
            ? add_page(PageType::Raw)
            : number_of(*last);
    header_.pages[page].groups.push_back(
        {groups_before + static_cast<std::int64_t>(i) - 1, header_.pages[page].used});
    append_scalars(page, groups[i]);
  }
  for (const EncodedRow& row : rows) saved_ += row.saved;
}

void ShardWriter::append_blobs(std::size_t page, Rows rows) {
  append_entries(page, rows, &EncodedRow::blob, table_.blob);
  header_.pages[page].last_row += static_cast<std::int64_t>(rows.size());
}

void ShardWriter::append_scalars(std::size_t page, Rows rows) {
  append_entries(page, rows, &EncodedRow::raw, table_.raw);
}

// A row group lies in one raw page: when it grows beyond the page it moves to a new one.
void ShardWriter::make_room_for_scalars(Rows rows) {
  RecordPage& last = *last_page(PageType::Raw);
  if (last.used + scalar_bytes(rows) <= header_.page_size) return;
  const RowGroup group = last.groups.back();
  const std::size_t from = number_of(last);
  std::string moved(static_cast<std::size_t>(last.used - group.offset), '\0');
  data_
      ->read_at(static_cast<std::uint64_t>(header_.page_begin(from) + group.offset),
                std::as_writable_bytes(std::span(moved)))
      .value();
  last.groups.pop_back();
  last.used = group.offset;
  const std::size_t to = add_page(PageType::Raw);
  data_->write_at(static_cast<std::uint64_t>(header_.page_begin(to)), platform::as_bytes(moved))
      .value();
  header_.pages[to].used = static_cast<std::int64_t>(moved.size());
  header_.pages[to].groups.push_back({group.id, 0});
  const auto blob = std::find_if(header_.pages.begin(), header_.pages.end(), [&](const auto& page) {
    return page.type == PageType::Blob && page.type_id == group.id;
  });
  for (auto row = static_cast<std::size_t>(blob->first_row); row < table_.raw.size(); ++row)
    table_.raw[row] -= static_cast<std::uint32_t>(group.offset);
}

void ShardWriter::append_entries(std::size_t page, Rows rows, std::string EncodedRow::*part,
                                 std::vector<std::uint32_t>& offsets) {
  RecordPage& target = header_.pages[page];
  std::string buffer;
  std::int64_t flushed = header_.page_begin(page) + target.used;
  const auto flush = [&] {
    data_->write_at(static_cast<std::uint64_t>(flushed), platform::as_bytes(buffer)).value();
    flushed += static_cast<std::int64_t>(buffer.size());
    buffer.clear();
  };
  for (const EncodedRow& row : rows) {
    const std::string& bytes = row.*part;
    offsets.push_back(static_cast<std::uint32_t>(target.used));
    target.used += entry_bytes(bytes);
    append_prefix(buffer, bytes.size());
    buffer += bytes;
    if (buffer.size() >= kBufferBytes) flush();
  }
  flush();
}

void ShardWriter::finish(std::int64_t saved_in_set, const std::string& hash) {
  header_.compression_size = std::max<std::int64_t>(saved_in_set, 0);
  const std::string text = header_.text();
  require(
      static_cast<std::int64_t>(text.size()) + kPrefixBytes <= header_.header_size,
      ErrorKind::Runtime, "Invalid data, shard header is too big: ", text.size(),
      " bytes, but only ", header_.header_size - kPrefixBytes,
      " fit. Please use 'set_header_size' to make it bigger, or 'set_page_size' for fewer pages.");
  std::string start;
  append_prefix(start, text.size());
  data_->write_at(0, platform::as_bytes(start + text)).value();
  index_ = temporary_for(index_of(path_));
  {
    const platform::MappedFile mapped = platform::MappedFile::open(data_->temporary()).value();
    const ByteView bytes(reinterpret_cast<const char*>(mapped.bytes().data()),
                         mapped.bytes().size());
    write_index(index_->temporary(), path_.filename().string(),
                RecordLayout(header_, bytes, path_.string()), table_);
  }
  if (hash.empty()) return;
  for (AtomicFile* file : {data_.get(), index_.get()})
    append_hash(*file, std::filesystem::file_size(file->temporary()), hash);
}

void ShardWriter::encrypt(const RecordProtection& protection) {
  data_ = std::make_unique<AtomicFile>(encrypted(*data_, path_, protection));
  index_ = std::make_unique<AtomicFile>(encrypted(*index_, index_of(path_), protection));
}

void ShardWriter::publish() {
  // Without an index the file is read all the same, so at no moment can there be one of another
  // file.
  std::error_code ignored;
  std::filesystem::remove(index_of(path_), ignored);
  data_->commit().value();
  index_->commit().value();
}

}  // namespace mycel::data
