// SPDX-License-Identifier: Apache-2.0
#include "data/source/csv.h"

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <set>

#include "data/source/files.h"
#include "data/source/lines.h"
#include "data/source/registry.h"

namespace mycel::data {

namespace {

constexpr std::size_t kBuffer = 64 * 1024;
constexpr std::size_t kLongestField = std::size_t{1} << 30;

}  // namespace

CsvReader::CsvReader(std::string path, char delimiter)
    : path_(std::move(path)),
      stream_(open_byte_stream(path_, Packing::None)),
      delimiter_(delimiter) {}

int CsvReader::peek() {
  if (at_ == buffer_.size()) {
    buffer_.resize(kBuffer);
    buffer_.resize(stream_->read(buffer_.data(), kBuffer));
    at_ = 0;
    if (buffer_.empty()) return -1;
  }
  return static_cast<unsigned char>(buffer_[at_]);
}

int CsvReader::get() {
  const int c = peek();
  if (c >= 0) ++at_;
  return c;
}

void CsvReader::refuse(std::string_view reason) const {
  platform::fail(ErrorKind::Runtime,
                 "Invalid data, CSVDataset API can't read the data file (interface mismatch or no "
                 "data found). Check csv file path: ",
                 path_, ". Record ", record_, ": ", reason);
}

// After the opening quote. True when the record goes on after the field.
bool CsvReader::quoted_field(std::string* field) {
  while (true) {
    int c = get();
    if (c < 0) refuse("reach the end of file in quote field");
    if (c == '"') {
      c = get();
      if (c == delimiter_) return true;
      if (c == '\r' && peek() == '\n') c = get();
      if (c == '\n' || c < 0) return false;
      if (c != '"') refuse("unexpected character after a quoted field");
    }
    if (field == nullptr) continue;
    if (field->size() >= kLongestField) refuse("a field is longer than 1 GiB");
    field->push_back(static_cast<char>(c));
  }
}

bool CsvReader::next(std::vector<std::string>* fields) {
  if (fields != nullptr) fields->clear();
  while (peek() == '\n' || peek() == '\r') get();
  if (peek() < 0) return false;
  ++record_;
  while (true) {
    std::string* field = fields != nullptr ? &fields->emplace_back() : nullptr;
    bool goes_on = false;
    if (peek() == '"') {
      get();
      goes_on = quoted_field(field);
    } else {
      int c = get();
      for (; c >= 0 && c != delimiter_ && c != '\n'; c = get()) {
        if (c == '"') refuse("unexpected quote in unquote field");
        if (c == '\r' && (peek() == '\n' || peek() < 0)) continue;
        if (field == nullptr) continue;
        if (field->size() >= kLongestField) refuse("a field is longer than 1 GiB");
        field->push_back(static_cast<char>(c));
      }
      goes_on = c == delimiter_;
    }
    if (!goes_on) return true;
  }
}

namespace {

enum class CsvType : std::uint8_t { Text, Int32, Float32 };

struct CsvForm {
  std::string dataset;
  char delimiter = ',';
  bool has_header = false;
  std::vector<std::string> names;
  std::vector<CsvType> types;  // as many as names
};

Item int_item(const CsvReader& reader, const std::string& field) {
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(field.c_str(), &end, 10);
  if (end == field.c_str())
    platform::fail(ErrorKind::Runtime, "Invalid csv, csv file: ", reader.path(),
                   " parse failed at line ", reader.record(), ", type does not match.");
  if (errno == ERANGE || value > std::numeric_limits<std::int32_t>::max() ||
      value < std::numeric_limits<std::int32_t>::min())
    platform::fail(ErrorKind::Runtime, "Invalid csv, ", reader.path(), " parse failed at line ",
                   reader.record(), " : value out of range.");
  return Item::scalar(static_cast<std::int32_t>(value), DType::Int32);
}

Item float_item(const CsvReader& reader, const std::string& field) {
  char* end = nullptr;
  errno = 0;
  const float value = std::strtof(field.c_str(), &end);
  if (end == field.c_str())
    platform::fail(ErrorKind::Runtime, "Invalid csv, csv file: ", reader.path(),
                   " parse failed at line ", reader.record(), ", type does not match.");
  if (errno == ERANGE && (value > 1 || value < -1))
    platform::fail(ErrorKind::Runtime, "Invalid csv, ", reader.path(), " parse failed at line ",
                   reader.record(), " : value out of range.");
  return Item::scalar(value, DType::Float32);
}

class CsvCursor : public FileCursor {
 public:
  CsvCursor(const std::string& path, const CsvForm& form)
      : reader_(path, form.delimiter), form_(form) {
    if (form.has_header) reader_.next(nullptr);
  }
  bool next(LoadedRow& out) override {
    if (!reader_.next(&fields_)) return false;
    platform::require(fields_.size() == form_.names.size(), ErrorKind::Runtime,
                      "Invalid file, failed to parse csv file: ", reader_.path(), " at line ",
                      reader_.record(),
                      ". Error message: Invalid columns, the size of column_names should be less "
                      "than the size of "
                      "'column_defaults', but got the size of column_names: ",
                      fields_.size(), ", the size of 'column_defaults': ", form_.names.size(), ".");
    out.items.clear();
    out.file = reader_.path();
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (form_.types[i] == CsvType::Text) {
        out.items.push_back(Item::text(std::move(fields_[i])));
      } else {
        out.items.push_back(form_.types[i] == CsvType::Int32 ? int_item(reader_, fields_[i])
                                                             : float_item(reader_, fields_[i]));
      }
    }
    return true;
  }
  std::int64_t skip(std::int64_t rows) override {
    std::int64_t done = 0;
    while (done < rows && reader_.next(nullptr)) ++done;
    return done;
  }

 private:
  CsvReader reader_;
  const CsvForm& form_;
  std::vector<std::string> fields_;
};

class CsvSource : public FileSource {
 public:
  CsvSource(std::vector<std::string> files, CsvForm form)
      : files_(std::move(files)), form_(std::move(form)) {}
  std::vector<std::string> columns() const override { return form_.names; }
  const std::vector<std::string>& files() const override { return files_; }
  std::int64_t count_rows(std::size_t file) const override {
    return open(file)->skip(std::numeric_limits<std::int64_t>::max());
  }
  std::unique_ptr<FileCursor> open(std::size_t file) const override {
    return std::make_unique<CsvCursor>(files_.at(file), form_);
  }

 private:
  std::vector<std::string> files_;
  CsvForm form_;
};

// The first line of each file names the columns; all files have to agree.
std::vector<std::string> header_names(const std::vector<std::string>& files, char delimiter) {
  std::vector<std::string> names;
  for (const std::string& file : files) {
    std::vector<std::string> found;
    CsvReader(file, delimiter).next(&found);
    const bool differs = !names.empty() && found != names;
    if (differs || std::set<std::string>(found.begin(), found.end()).size() != found.size())
      platform::fail(ErrorKind::Runtime,
                     "Invalid file, failed to get column name list from csv file: ", file,
                     differs ? ": the names differ from those of the first file."
                             : ": a name stands there twice.");
    names = std::move(found);
  }
  return names;
}

void require_different(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (const std::string& name : names)
    platform::require(seen.insert(name).second, ErrorKind::Runtime,
                      "CSVDataset: 'column_names' : Invalid parameter, duplicate column names are "
                      "not allowed: ",
                      name);
}

FileSourcePtr open_csv(const Parameters& parameters) {
  std::vector<std::string> files = parameters.strings("files");
  CsvForm form;
  form.dataset = parameters.string("dataset");
  form.delimiter = parameters.string("field_delim").at(0);
  form.has_header = !parameters.has("column_names");
  if (form.has_header) {
    form.names = header_names(files, form.delimiter);
  } else {
    form.names = parameters.strings("column_names");
    require_different(form.names);
  }
  form.types.assign(form.names.size(), CsvType::Text);
  const Strings types = parameters.has("types") ? parameters.strings("types") : Strings();
  for (std::size_t i = 0; i < types.size() && i < form.types.size(); ++i) {
    if (types[i] == "int32") form.types[i] = CsvType::Int32;
    if (types[i] == "float32") form.types[i] = CsvType::Float32;
  }
  const LineSourceText text{form.dataset, "csv file path"};
  auto source = std::make_shared<CsvSource>(std::move(files), std::move(form));
  require_rows(*source, text);
  return source;
}

MYCEL_SOURCE(Csv, open_csv);

}  // namespace

}  // namespace mycel::data
