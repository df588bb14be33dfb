// SPDX-License-Identifier: Apache-2.0
#include "data/record/record_set.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "data/record/index.h"
#include "data/record/shard_writer.h"
#include "platform/log/log.h"

namespace mycel::data {

using platform::fail;
using platform::Path;
using platform::require;

namespace {

void check_given(const std::string& file) {
  std::error_code code;
  require(std::filesystem::exists(file, code), ErrorKind::Runtime, "The input: ", file,
          " is not exists.");
  require(!std::filesystem::is_directory(file, code), ErrorKind::Runtime, "The input: ", file,
          " should be a regular file, but got a directory.");
}

// The files of the set that a file names, in their order.
std::vector<std::string> siblings(const std::string& file, const RecordHeader& header) {
  if (header.shard_names.size() == 1) return {file};
  std::vector<std::string> files;
  for (const std::string& name : header.shard_names) {
    files.push_back((Path(file).parent_path() / name).string());
    require(
        std::filesystem::exists(files.back()), ErrorKind::Runtime,
        "Invalid file, mindrecord file: ", files.back(),
        " can not be found. Please check whether the mindrecord file exists and do not rename the "
        "mindrecord file.");
  }
  return files;
}

// The index is only a help: when its folder cannot be written to, it is made again next time.
void save_index(const std::string& file, const RecordLayout& layout, const RowTable& table) {
  try {
    platform::AtomicFile index = platform::AtomicFile::create(index_of(file), 0600).value();
    write_index(index.temporary(), Path(file).filename().string(), layout, table);
    index.commit().value();
  } catch (const platform::Error& error) {
    platform::log_info("the index of ", file, " is not saved: ", error.message());
  }
}

}  // namespace

RecordShard::RecordShard(std::string file, const RecordProtection& protection,
                         const std::string& plain)
    : file_(std::move(file)),
      content_(std::make_unique<PlainContent>(file_, protection, plain)),
      layout_(std::make_unique<RecordLayout>(read_header(content_->bytes(), file_),
                                             content_->bytes(), file_)) {
  find_rows(!plain.empty() || !protection.key.empty() || !protection.hash.empty());
}

void RecordShard::find_rows(bool is_protected) {
  // A protected file was read as a whole already, and so may be read once more.
  if (is_protected) {
    table_ = layout_->scan();
    return;
  }
  std::string reason;
  std::optional<RowTable> found = read_index(index_of(file_), *layout_, reason);
  if (found.has_value()) {
    table_ = *std::move(found);
    return;
  }
  platform::log_warning("the index ", index_of(file_).string(),
                        " is made anew from the data file: ", reason);
  table_ = layout_->scan();
  save_index(file_, *layout_, table_);
}

void RecordShard::check() const {
  const platform::Result<platform::Done> checked = content_->check();
  if (checked) return;
  fail(ErrorKind::Runtime,
       "Invalid file, the mindrecord file was changed while it was read: ", file_, ": ",
       checked.error().message(),
       ". Rows read since then may be damaged. Write a new file and put it in its place instead.");
}

RowBytes RecordShard::row(std::int64_t row) const {
  const RowArea& area = layout_->area_of(row);
  const auto at = static_cast<std::size_t>(row);
  const RowBytes bytes{layout_->entry(area.raw_page, table_.raw[at]),
                       layout_->entry(area.blob_page, table_.blob[at])};
  const bool is_last = row + 1 == area.last_row;
  const bool follows = is_last || (table_.raw[at + 1] == table_.raw[at] + 8 + bytes.raw.size() &&
                                   table_.blob[at + 1] == table_.blob[at] + 8 + bytes.blob.size());
  require(
      follows, ErrorKind::Runtime, "Invalid file, ", file_, ", row ", row,
      ": the index beside it was made for other data; remove the .db file to have it made anew");
  return bytes;
}

std::shared_ptr<const RecordSet> RecordSet::open(const RecordFiles& files) {
  require(!files.files.empty(), ErrorKind::Value, "no mindrecord file was given");
  for (const std::string& file : files.files) check_given(file);
  std::vector<std::string> all = files.files;
  if (files.with_siblings && files.plain.empty() && files.protection.key.empty()) {
    const platform::Result<platform::MappedFile> first = platform::MappedFile::open(all.front());
    if (!first) fail(ErrorKind::Runtime, first.error().message());
    const platform::Bytes bytes = first.value().bytes();
    // Whether it is protected is told when it is opened.
    const ByteView view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!view.ends_with("ENCRYPT")) all = siblings(all.front(), read_header(view, all.front()));
  }
  auto set = std::make_shared<RecordSet>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    set->shards_.emplace_back(all[i], files.protection,
                              i < files.plain.size() ? files.plain[i] : "");
    const RecordHeader& header = set->shards_.back().layout().header();
    check_same_set(set->header(), header, all[i]);
    set->first_rows_.push_back(set->first_rows_.back() + header.rows());
    if (header.rows() == 0) platform::log_info("the mindrecord file ", all[i], " has no rows");
  }
  return set;
}

std::vector<std::int64_t> RecordSet::shard_rows() const {
  std::vector<std::int64_t> rows;
  for (const RecordShard& shard : shards_) rows.push_back(shard.layout().rows());
  return rows;
}

void RecordSet::check() const {
  for (const RecordShard& shard : shards_) shard.check();
}

const RecordShard& RecordSet::shard_of(std::int64_t& row) const {
  require(row >= 0 && row < rows(), ErrorKind::Index, "row ", row, " was asked for, but there are ",
          rows());
  const auto after = std::upper_bound(first_rows_.begin(), first_rows_.end(), row);
  const auto shard = static_cast<std::size_t>(after - first_rows_.begin()) - 1;
  row -= first_rows_[shard];
  return shards_[shard];
}

namespace {

std::vector<const RecordField*> chosen_fields(const RecordSet& set,
                                              const std::vector<std::string>& columns) {
  std::vector<const RecordField*> fields;
  if (columns.empty())
    for (const RecordField& field : set.schema().fields()) fields.push_back(&field);
  for (const std::string& name : columns) {
    fields.push_back(set.schema().find(name));
    require(fields.back() != nullptr, ErrorKind::Runtime, "Invalid data, column name: ", name,
            " can not found in schema. Please check the 'column_list'.");
  }
  return fields;
}

std::vector<std::string> scalar_names(const std::vector<const RecordField*>& fields) {
  std::vector<std::string> names;
  for (const RecordField* field : fields)
    if (!field->is_blob()) names.push_back(field->name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

RowReader::RowReader(std::shared_ptr<const RecordSet> set, const std::vector<std::string>& columns)
    : set_(std::move(set)),
      fields_(chosen_fields(*set_, columns)),
      scalars_(scalar_names(fields_)) {
  const std::vector<std::string> blobs = set_->schema().blob_names();
  for (const RecordField* field : fields_) {
    const std::vector<std::string>& names = field->is_blob() ? blobs : scalars_.names();
    places_.push_back(static_cast<std::size_t>(
        std::lower_bound(names.begin(), names.end(), field->name) - names.begin()));
  }
}

std::vector<std::string> RowReader::columns() const {
  std::vector<std::string> names;
  for (const RecordField* field : fields_) names.push_back(field->name);
  return names;
}

template <class Take>
void RowReader::each_part(std::int64_t row, const Take& take) const {
  thread_local std::vector<ScalarValue> scalars;
  std::int64_t own = row;
  const RecordShard& shard = set_->shard_of(own);
  const std::size_t blobs = set_->schema().blob_count();
  try {
    const RowBytes bytes = shard.row(own);
    scalars_.decode(bytes.raw, scalars);
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const bool is_blob = fields_[i]->is_blob();
      take(*fields_[i], is_blob ? RowPart{{}, blob_field(bytes.blob, places_[i], blobs)}
                                : RowPart{scalars[places_[i]], {}});
    }
  } catch (const platform::Error& error) {
    shard.check();  // then that is the reason
    fail(error.kind(), "Invalid data, ", shard.file(), ", row ", own, ": ", error.message());
  }
  shard.check_touched();
}

void RowReader::read(std::int64_t row, Items& items) const {
  items.clear();
  items.reserve(fields_.size());
  const int version = set_->header().version;
  each_part(row, [&](const RecordField& field, const RowPart& part) {
    items.push_back(field.is_blob() ? blob_item(field, part.blob, version, set_)
                                    : scalar_item(field, part.scalar));
  });
}

void RowReader::read_parts(std::int64_t row, std::vector<RowPart>& parts) const {
  parts.clear();
  each_part(row, [&](const RecordField&, const RowPart& part) { parts.push_back(part); });
}

namespace {

std::string text_of(const ScalarValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* text = std::get_if<std::string_view>(&value)) return std::string(*text);
  char digits[40];  // as SQLite writes a real number
  std::snprintf(digits, sizeof digits, "%.15g", std::get<double>(value));
  std::string text = digits;
  if (text.find_first_not_of("-0123456789") == text.npos) text += ".0";
  return text;
}

}  // namespace

std::vector<RecordCategory> categories(const RecordSet& set, const std::string& field) {
  const RecordField* const found = set.schema().find(field);
  require(found != nullptr && !found->is_blob(), ErrorKind::Runtime, "Invalid data, field '", field,
          "' is no scalar field of the mindrecord file.");
  const ScalarDecoder decoder({field});
  std::vector<ScalarValue> value;
  std::map<std::string, std::vector<std::int64_t>> rows;
  std::int64_t row = 0;
  for (const RecordShard& shard : set.shards())
    for (std::int64_t own = 0; own < shard.layout().rows(); ++own, ++row) {
      decoder.decode(shard.row(own).raw, value);
      rows[text_of(value.front())].push_back(row);
    }
  set.check();
  std::vector<RecordCategory> result;
  for (auto& [name, members] : rows) result.push_back({name, std::move(members)});
  return result;
}

}  // namespace mycel::data
