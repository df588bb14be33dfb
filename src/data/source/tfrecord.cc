// SPDX-License-Identifier: Apache-2.0
// TFRecord: length, checksum of the length, a tf.Example, checksum of the example.
#include <algorithm>
#include <cstring>
#include <set>

#include "data/source/byte_stream.h"
#include "data/source/files.h"
#include "data/source/registry.h"
#include "data/source/tf_columns.h"
#include "platform/checksum/crc32.h"

namespace mycel::data {

namespace {

constexpr std::size_t kHeader = 12;
constexpr std::size_t kFooter = 4;
// A damaged length must not ask for memory that the file cannot fill.
constexpr std::size_t kPiece = std::size_t{1} << 20;

template <class T>
T number_at(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

class RecordReader {
 public:
  RecordReader(std::string path, Packing packing, bool check_data)
      : path_(std::move(path)),
        stream_(open_byte_stream(path_, packing)),
        check_data_(check_data) {}

  bool next(std::string& record) {
    std::uint64_t length = 0;
    if (!read_length(length)) return false;
    record.clear();
    while (record.size() < length) {
      const std::size_t before = record.size();
      const auto piece = static_cast<std::size_t>(
          std::min<std::uint64_t>(std::max(kPiece, before), length - before));
      record.resize(before + piece);
      if (stream_->read(record.data() + before, piece) < piece) refuse("the file ends in a record");
    }
    char footer[kFooter];
    if (stream_->read(footer, kFooter) < kFooter) refuse("the file ends before a checksum");
    if (check_data_ && number_at<std::uint32_t>(footer) != platform::masked_crc32c(record))
      refuse("the checksum of the record does not fit: the data are damaged");
    offset_ += kHeader + length + kFooter;
    return true;
  }
  bool pass_over() {
    std::uint64_t length = 0;
    if (!read_length(length)) return false;
    if (stream_->skip(length + kFooter) < length + kFooter) refuse("the file ends in a record");
    offset_ += kHeader + length + kFooter;
    return true;
  }
  [[noreturn]] void refuse(std::string_view reason) const {
    platform::fail(ErrorKind::Runtime, "Invalid file, failed to read tfrecord file: ", path_,
                   ", record at offset ", offset_, ": ", reason);
  }

 private:
  bool read_length(std::uint64_t& length) {
    char header[kHeader];
    const std::size_t got = stream_->read(header, kHeader);
    if (got == 0) return false;
    if (got < kHeader) refuse("the file ends in the head of a record");
    length = number_at<std::uint64_t>(header);
    if (number_at<std::uint32_t>(header + 8) != platform::masked_crc32c({header, 8}))
      refuse("the checksum of the length does not fit");
    const std::uint64_t left = stream_->bytes_left();
    if (left < kFooter || length > left - kFooter)
      refuse(platform::join("a record of ", length, " bytes, but only ", left, " bytes are left"));
    return true;
  }
  std::string path_;
  std::unique_ptr<ByteStream> stream_;
  bool check_data_;
  std::uint64_t offset_ = 0;
};

class RecordCursor : public FileCursor {
 public:
  RecordCursor(RecordReader reader, std::string path, const std::vector<TfColumn>& columns)
      : reader_(std::move(reader)), path_(std::move(path)), columns_(columns) {}
  bool next(LoadedRow& out) override {
    if (!reader_.next(record_)) return false;
    out.items.clear();
    out.file = path_;
    const TfExample example(record_);
    for (const TfColumn& column : columns_) {
      const TfFeature* feature = example.find(column.name);
      platform::require(feature != nullptr, ErrorKind::Runtime, "Feature name: ", column.name,
                        " is required in schema but could not be found in tfrecord file.");
      out.items.push_back(tf_item(*feature, column));
    }
    return true;
  }
  std::int64_t skip(std::int64_t rows) override {
    std::int64_t done = 0;
    while (done < rows && reader_.pass_over()) ++done;
    return done;
  }

 private:
  RecordReader reader_;
  std::string path_;
  std::string record_;
  const std::vector<TfColumn>& columns_;
};

class TfRecordSource : public FileSource {
 public:
  explicit TfRecordSource(const Parameters& parameters)
      : files_(parameters.strings("files")),
        packing_(parameters.has("compression_type") ? Packing::Deflate : Packing::None),
        check_data_(!parameters.has("check_data") || parameters.flag("check_data")) {
    check_files();
    find_columns(parameters);
  }
  std::vector<std::string> columns() const override {
    std::vector<std::string> names;
    for (const TfColumn& column : columns_) names.push_back(column.name);
    return names;
  }
  const std::vector<std::string>& files() const override { return files_; }
  std::int64_t count_rows(std::size_t file) const override {
    RecordReader reader = open_reader(file);
    std::int64_t rows = 0;
    while (reader.pass_over()) ++rows;
    return rows;
  }
  std::unique_ptr<FileCursor> open(std::size_t file) const override {
    return std::make_unique<RecordCursor>(open_reader(file), files_[file], columns_);
  }

 private:
  RecordReader open_reader(std::size_t file) const {
    return RecordReader(files_.at(file), packing_, check_data_);
  }
  void check_files() const;
  void find_columns(const Parameters& parameters);
  std::vector<TfColumn> columns_of_first_record() const;

  std::vector<std::string> files_;
  Packing packing_;
  bool check_data_;
  std::vector<TfColumn> columns_;
};

// All bad files are told at once: a list of thousand files is corrected in one go.
void TfRecordSource::check_files() const {
  std::string bad;
  for (const std::string& path : files_) {
    try {
      RecordReader(path, packing_, false).pass_over();
    } catch (const platform::Error& error) {
      // A first record that is cut off still shows that the file is of this kind.
      if (error.message().find("the file ends in a record") == std::string::npos)
        bad += "\n" + path;
    }
  }
  platform::require(bad.empty(), ErrorKind::Runtime,
                    "Invalid file. The following files either cannot be opened, or are not valid "
                    "TFRecordDataset files:",
                    bad);
}

std::vector<TfColumn> TfRecordSource::columns_of_first_record() const {
  std::string record;
  for (std::size_t file = 0; file < files_.size(); ++file) {
    if (!open_reader(file).next(record)) continue;
    std::set<std::string> names;
    const TfExample example(record);
    for (const auto& [name, feature] : example.features()) names.emplace(name);
    std::vector<TfColumn> columns;
    for (const std::string& name : names) columns.emplace_back().name = name;
    return columns;
  }
  return {};
}

void TfRecordSource::find_columns(const Parameters& parameters) {
  const bool has_schema = parameters.has("schema_names");
  columns_ = has_schema ? schema_columns(parameters) : columns_of_first_record();
  if (!parameters.has("columns_list")) return;
  std::vector<TfColumn> chosen;
  for (const std::string& name : parameters.strings("columns_list")) {
    const auto found = std::find_if(columns_.begin(), columns_.end(),
                                    [&](const TfColumn& column) { return column.name == name; });
    if (found == columns_.end() && has_schema)
      platform::fail(ErrorKind::Runtime, "Invalid data, failed to find column: ", name,
                     " in JSON schema file or schema object.");
    platform::require(found != columns_.end(), ErrorKind::Runtime,
                      "Invalid columns_list, tfrecord file failed to find column name: ", name);
    chosen.push_back(*found);
  }
  columns_ = std::move(chosen);
}

FileSourcePtr open_tfrecord(const Parameters& parameters) {
  return std::make_shared<TfRecordSource>(parameters);
}

MYCEL_SOURCE(TfRecord, open_tfrecord);

}  // namespace

}  // namespace mycel::data
