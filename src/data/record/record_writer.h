// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/record/shard_writer.h"

namespace mycel::data {

// Writes a MindRecord set. Rows of one call are dealt out to the files in order; the first files
// get the rows that are left over. After a failure nothing more can be written, and nothing is
// published.
class RecordWriter {
 public:
  RecordWriter() = default;
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  // `header` has no pages and no shard names. `may_grow`: a row that is too big for the pages makes
  // them bigger, as long as there are none. RuntimeError when a file exists and is to be kept.
  static std::unique_ptr<RecordWriter> create(const std::vector<std::string>& files, bool overwrite,
                                              const RecordHeader& header, bool may_grow);
  // Continues the set that `file` belongs to. `plain`: see PlainContent.
  static std::unique_ptr<RecordWriter> append_to(const std::string& file,
                                                 const RecordProtection& protection,
                                                 const std::string& plain);

  const RecordHeader& header() const { return shards_.front()->header(); }
  void write(const std::vector<EncodedRow>& rows);
  void finish(const std::string& hash = {});
  void encrypt(const RecordProtection& protection);  // after finish()
  void publish();                                    // after finish()
  // Pairs of where files are and where they will be, between the two.
  std::vector<std::pair<std::string, std::string>> unpublished() const;

 private:
  void check_sizes(const std::vector<EncodedRow>& rows);
  std::vector<std::string> files_;
  std::vector<std::unique_ptr<ShardWriter>> shards_;
  std::int64_t saved_before_ = 0;
  bool may_grow_ = false;
  bool failed_ = false;
};

}  // namespace mycel::data
