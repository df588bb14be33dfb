// SPDX-License-Identifier: Apache-2.0
#include "data/source/lines.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "data/source/files.h"

namespace mycel::data {

namespace {

constexpr std::size_t kBuffer = 64 * 1024;
// No text has longer lines; a file without line ends is no text.
constexpr std::size_t kLongestLine = std::size_t{1} << 30;

class LineCursor : public FileCursor {
 public:
  LineCursor(std::string path, const LineRow& row) : lines_(std::move(path)), row_(row) {}
  bool next(LoadedRow& out) override {
    out.items.clear();
    out.file = lines_.path();
    return row_(lines_, &out.items);
  }
  std::int64_t skip(std::int64_t rows) override {
    std::int64_t done = 0;
    while (done < rows && row_(lines_, nullptr)) ++done;
    return done;
  }

 private:
  LineStream lines_;
  const LineRow& row_;
};

class LineSource : public FileSource {
 public:
  LineSource(std::vector<std::string> files, std::vector<std::string> columns, LineRow row)
      : files_(std::move(files)), columns_(std::move(columns)), row_(std::move(row)) {}
  std::vector<std::string> columns() const override { return columns_; }
  const std::vector<std::string>& files() const override { return files_; }
  std::int64_t count_rows(std::size_t file) const override {
    return open(file)->skip(std::numeric_limits<std::int64_t>::max());
  }
  std::unique_ptr<FileCursor> open(std::size_t file) const override {
    return std::make_unique<LineCursor>(files_.at(file), row_);
  }

 private:
  std::vector<std::string> files_;
  std::vector<std::string> columns_;
  LineRow row_;
};

}  // namespace

LineStream::LineStream(std::string path)
    : path_(std::move(path)), stream_(open_byte_stream(path_, Packing::None)) {}

bool LineStream::refill() {
  buffer_.resize(kBuffer);
  buffer_.resize(stream_->read(buffer_.data(), kBuffer));
  at_ = 0;
  return !buffer_.empty();
}

bool LineStream::next(std::string& line) {
  line.clear();
  if (at_ == buffer_.size() && !refill()) return false;
  ++number_;
  while (true) {
    const std::size_t end = buffer_.find('\n', at_);
    line.append(buffer_, at_, std::min(end, buffer_.size()) - at_);
    if (line.size() > kLongestLine) refuse("the line is longer than 1 GiB");
    if (end != std::string::npos) {
      at_ = end + 1;
      return true;
    }
    if (!refill()) return true;
  }
}

void LineStream::refuse(std::string_view reason) const {
  platform::fail(ErrorKind::Runtime, "Invalid file, failed to read file: ", path_, " at line ",
                 number_, ": ", reason);
}

void require_rows(const FileSource& source, const LineSourceText& text) {
  const std::vector<std::string>& files = source.files();
  for (std::size_t i = 0; i < files.size(); ++i)
    if (source.open(i)->skip(1) == 1) return;
  nothing_to_read(text.dataset, text.what, files.empty() ? "" : files.front());
}

FileSourcePtr make_line_source(const Parameters& parameters, std::vector<std::string> columns,
                               LineRow row, LineSourceText text) {
  auto source =
      std::make_shared<LineSource>(parameters.strings("files"), std::move(columns), std::move(row));
  require_rows(*source, text);
  return source;
}

Item text_list(std::vector<std::string> values) {
  const auto length = static_cast<std::int64_t>(values.size());
  return Ref<TextArray>(new TextArray(std::move(values), {length}, false));
}

}  // namespace mycel::data
