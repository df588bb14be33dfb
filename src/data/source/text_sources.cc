// SPDX-License-Identifier: Apache-2.0
// Sources whose rows are lines or blocks of lines: plain text, tagged words, sentences with labels,
// handwriting in the LIBSVM form.
#include <cmath>

#include "data/source/files.h"
#include "data/source/lines.h"

namespace mycel::data {

namespace {

LineSourceText source_text(const Parameters& parameters) {
  return {parameters.string("dataset"), parameters.string("what")};
}

// One row per line. Empty lines count only where the text is meant to keep its layout.
FileSourcePtr open_text_lines(const Parameters& parameters) {
  const bool keep_empty = parameters.has("keep_empty") && parameters.flag("keep_empty");
  const LineRow row = [keep_empty](LineStream& lines, Items* items) {
    std::string line;
    do {
      if (!lines.next(line)) return false;
    } while (line.empty() && !keep_empty);
    if (items != nullptr) items->push_back(Item::text(std::move(line)));
    return true;
  };
  return make_line_source(parameters, {"text"}, row, source_text(parameters));
}

// Words with tags, one per line; an empty line ends the sentence, which is the row.
FileSourcePtr open_tagged_words(const Parameters& parameters) {
  const Strings columns = parameters.strings("columns");
  const char separator = parameters.string("separator").at(0);
  const LineRow row = [columns, separator](LineStream& lines, Items* items) {
    std::vector<std::vector<std::string>> words(columns.size());
    std::string line;
    bool any = false;
    while (lines.next(line)) {
      if (line.ends_with('\r')) line.pop_back();
      if (line.empty()) {
        if (any) break;
        continue;
      }
      any = true;
      if (items == nullptr) continue;
      std::vector<std::string> fields =
          separator == ' ' ? split_blanks(line) : split_at(line, separator);
      if (fields.size() != columns.size())
        lines.refuse(
            platform::join("expected ", columns.size(), " fields, but got ", fields.size()));
      for (std::size_t i = 0; i < fields.size(); ++i) words[i].push_back(std::move(fields[i]));
    }
    if (any && items != nullptr)
      for (std::vector<std::string>& list : words) items->push_back(text_list(std::move(list)));
    return any;
  };
  return make_line_source(parameters, columns, row, source_text(parameters));
}

// Tables with a line of names in front and tabs between the fields. `fields` says which field goes
// to which column.
FileSourcePtr open_tab_table(const Parameters& parameters) {
  const Integers fields = parameters.integers("fields");
  const LineRow row = [fields](LineStream& lines, Items* items) {
    std::string line;
    if (lines.number() == 0 && !lines.next(line)) return false;
    do {
      if (!lines.next(line)) return false;
      if (line.ends_with('\r')) line.pop_back();
    } while (line.empty());
    if (items == nullptr) return true;
    const std::vector<std::string> parts = split_at(line, '\t');
    for (const std::int64_t field : fields) {
      if (field >= static_cast<std::int64_t>(parts.size()))
        lines.refuse(
            platform::join("expected a field ", field + 1, ", but the line has ", parts.size()));
      items->push_back(Item::text(parts[static_cast<std::size_t>(field)]));
    }
    return true;
  };
  return make_line_source(parameters, parameters.strings("columns"), row, source_text(parameters));
}

constexpr std::int64_t kUspsSide = 16;

// "7 1:-1.0 2:0.25 ...": the class from 1, then pixels from -1 to 1 by number.
void parse_usps(const LineStream& lines, const std::string& line, Items& items) {
  const std::vector<std::string> words = split_blanks(line);
  std::int64_t label = 0;
  if (!parse_number(words.at(0), label) || label < 1 || label > 10)
    lines.refuse("expected a class from 1 to 10, but got '" + words[0] + "'");
  constexpr std::int64_t kPixels = kUspsSide * kUspsSide;
  if (static_cast<std::int64_t>(words.size()) != kPixels + 1)
    lines.refuse(platform::join("expected 256 pixels, but got ", words.size() - 1));
  Tensor image = Tensor::empty({kUspsSide, kUspsSide, 1}, DType::UInt8);
  for (std::int64_t i = 0; i < kPixels; ++i) {
    const std::string& word = words[static_cast<std::size_t>(i) + 1];
    const std::size_t colon = word.find(':');
    std::int64_t place = 0;
    double value = 0;
    if (colon == std::string::npos ||
        !parse_number(std::string_view(word).substr(0, colon), place) || place != i + 1 ||
        !parse_number(std::string_view(word).substr(colon + 1), value) ||
        !(value >= -1 && value <= 1))
      lines.refuse("expected a pixel like " + std::to_string(i + 1) + ":0.5, but got '" + word +
                   "'");
    // The pixels were written as float32: 51 is just below 51 then, and 50 is what others read.
    const double pixel = static_cast<float>(value);
    image.data<std::uint8_t>()[i] = static_cast<std::uint8_t>((pixel + 1) / 2 * 255);
  }
  items.push_back(image);
  items.push_back(Item::scalar(static_cast<std::uint32_t>(label - 1), DType::UInt32));
}

FileSourcePtr open_usps(const Parameters& parameters) {
  const LineRow row = [](LineStream& lines, Items* items) {
    std::string line;
    do {
      if (!lines.next(line)) return false;
    } while (trimmed(line).empty());
    if (items != nullptr) parse_usps(lines, line, *items);
    return true;
  };
  return make_line_source(parameters, {"image", "label"}, row, source_text(parameters));
}

MYCEL_SOURCE(TextLines, open_text_lines);
MYCEL_SOURCE(TaggedWords, open_tagged_words);
MYCEL_SOURCE(TabTable, open_tab_table);
MYCEL_SOURCE(Usps, open_usps);

}  // namespace

}  // namespace mycel::data
