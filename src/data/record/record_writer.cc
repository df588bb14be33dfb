// SPDX-License-Identifier: Apache-2.0
#include "data/record/record_writer.h"

#include <algorithm>
#include <bit>

#include "data/record/record_set.h"

namespace mycel::data {

using platform::Path;
using platform::require;

std::unique_ptr<RecordWriter> RecordWriter::create(const std::vector<std::string>& files,
                                                   bool overwrite, const RecordHeader& header,
                                                   bool may_grow) {
  auto writer = std::make_unique<RecordWriter>();
  writer->files_ = files;
  writer->may_grow_ = may_grow;
  RecordHeader own = header;
  for (const std::string& file : files) {
    for (const Path& path : {Path(file), index_of(file)})
      require(
          overwrite || !std::filesystem::exists(path), ErrorKind::Runtime,
          "Invalid file, mindrecord files already exist. Please check file path: ", path.string(),
          ".\nIf you do not want to keep the files, set the 'overwrite' parameter to True and try "
          "again.");
    own.shard_names.push_back(Path(file).filename().string());
  }
  for (const std::string& file : files) {
    own.shard = static_cast<std::int64_t>(writer->shards_.size());
    writer->shards_.push_back(std::make_unique<ShardWriter>(file, own));
  }
  return writer;
}

std::unique_ptr<RecordWriter> RecordWriter::append_to(const std::string& file,
                                                      const RecordProtection& protection,
                                                      const std::string& plain) {
  RecordFiles files{{file}, true, protection, {}};
  if (!plain.empty()) files.plain.push_back(plain);
  const std::shared_ptr<const RecordSet> set = RecordSet::open(files);
  auto writer = std::make_unique<RecordWriter>();
  writer->saved_before_ = set->header().compression_size;
  for (const RecordShard& shard : set->shards()) {
    writer->files_.push_back(shard.file());
    writer->shards_.push_back(std::make_unique<ShardWriter>(
        shard.file(), shard.layout(), shard.table(), shard.content().bytes()));
  }
  return writer;
}

void RecordWriter::check_sizes(const std::vector<EncodedRow>& rows) {
  std::size_t largest = 0;
  for (const EncodedRow& row : rows) largest = std::max({largest, row.raw.size(), row.blob.size()});
  const auto needed = static_cast<std::int64_t>(largest) + 8;
  const bool is_new = std::all_of(shards_.begin(), shards_.end(),
                                  [](const auto& shard) { return shard->header().pages.empty(); });
  if (needed > header().page_size && needed <= kMaxPageBytes && may_grow_ && is_new) {
    const auto bytes = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(needed)));
    for (const auto& shard : shards_) shard->set_page_size(bytes);
  }
  require(
      needed <= header().page_size, ErrorKind::Runtime,
      "Invalid data, Page size: ", header().page_size, " is too small to save a blob row of ",
      needed,
      " bytes. Please use 'mindspore.mindrecord.FileWriter.set_page_size' before the first row is "
      "written; it can be in range [",
      kMinPageBytes, ", ", kMaxPageBytes, "].");
}

void RecordWriter::write(const std::vector<EncodedRow>& rows) {
  require(!failed_, ErrorKind::Runtime, "Invalid data, an earlier write to ", files_.front(),
          " failed; the set cannot be continued.");
  check_sizes(rows);
  failed_ = true;
  const std::size_t each = rows.size() / shards_.size();
  const std::size_t extra = rows.size() % shards_.size();
  std::size_t begin = 0;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const std::size_t count = each + (i < extra ? 1 : 0);
    shards_[i]->write(std::span(rows).subspan(begin, count));
    begin += count;
  }
  failed_ = false;
}

void RecordWriter::finish(const std::string& hash) {
  require(!failed_, ErrorKind::Runtime, "Invalid data, an earlier write to ", files_.front(),
          " failed; the set cannot be committed.");
  require(
      shards_.size() == 1 || hash.empty(), ErrorKind::Runtime,
      "When encode mode or hash check is enabled, the automatic sharding function is unavailable.");
  std::int64_t saved = saved_before_;
  for (const auto& shard : shards_) saved += shard->saved();
  failed_ = true;
  for (const auto& shard : shards_) shard->finish(saved, hash);
  failed_ = false;
}

void RecordWriter::encrypt(const RecordProtection& protection) {
  require(!failed_, ErrorKind::Runtime, "the set ", files_.front(), " is not complete");
  failed_ = true;
  for (const auto& shard : shards_) shard->encrypt(protection);
  failed_ = false;
}

void RecordWriter::publish() {
  require(!failed_, ErrorKind::Runtime, "the set ", files_.front(), " is not complete");
  for (const auto& shard : shards_) shard->publish();
}

std::vector<std::pair<std::string, std::string>> RecordWriter::unpublished() const {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    pairs.emplace_back(shards_[i]->temporary_data().string(), files_[i]);
    pairs.emplace_back(shards_[i]->temporary_index().string(), index_of(files_[i]).string());
  }
  return pairs;
}

}  // namespace mycel::data
