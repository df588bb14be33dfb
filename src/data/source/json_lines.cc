// SPDX-License-Identifier: Apache-2.0
// Text data in JSON: one object per line (CLUE), or questions inside one large object (SQuAD).
#include <limits>

#include "data/source/files.h"
#include "data/source/lines.h"
#include "platform/json/json.h"

namespace mycel::data {

using platform::Json;
using platform::parse_json;
using platform::read_json;

namespace {

// Whole numbers are uint32, or int32 when negative, as the data sets of these tasks expect.
Item json_number(const Json& value) {
  if (!value.is_integer()) return Item::scalar(static_cast<float>(value.real()), DType::Float32);
  const std::int64_t number = value.integer();
  const bool fits = number >= std::numeric_limits<std::int32_t>::min() &&
                    number <= std::numeric_limits<std::uint32_t>::max();
  platform::require(fits, ErrorKind::Runtime, "the number ", number, " does not fit 32 bits");
  if (number < 0) return Item::scalar(static_cast<std::int32_t>(number), DType::Int32);
  return Item::scalar(static_cast<std::uint32_t>(number), DType::UInt32);
}

Item json_item(const Json& value) {
  if (value.is_string()) return Item::text(value.string());
  if (value.is_number()) return json_number(value);
  if (value.is_bool()) return Item::scalar(std::uint32_t{value.boolean()}, DType::UInt32);
  std::vector<std::string> texts;
  for (const Json& element : value.array()) texts.push_back(element.string());
  return text_list(std::move(texts));
}

// A key, or "outer/inner".
const Json& member(const Json& object, const std::string& key) {
  const Json* found = &object;
  for (const std::string& part : split_at(key, '/')) {
    found = found->find(part);
    platform::require(found != nullptr, ErrorKind::Runtime,
                      "Invalid json file, in given JSON file, failed to find key: ", part);
  }
  return *found;
}

FileSourcePtr open_json_lines(const Parameters& parameters) {
  const Strings keys = parameters.strings("keys");
  const LineRow row = [keys](LineStream& lines, Items* items) {
    std::string line;
    do {
      if (!lines.next(line)) return false;
    } while (trimmed(line).empty());
    if (items == nullptr) return true;
    try {
      const Json object = parse_json(line, lines.path());
      for (const std::string& key : keys) items->push_back(json_item(member(object, key)));
    } catch (const platform::Error& error) {
      platform::fail(ErrorKind::Runtime,
                     "Invalid json, failed to parse JSON data of file: ", lines.path(), " at line ",
                     lines.number(), ": ", error.message());
    }
    return true;
  };
  return make_line_source(parameters, parameters.strings("columns"), row,
                          {parameters.string("dataset"), "file path"});
}

struct Question {
  std::size_t context = 0;
  std::string question;
  std::vector<std::string> answers;
  std::vector<std::uint32_t> starts;
};

struct Questions {
  std::vector<std::string> contexts;
  std::vector<Question> rows;
};

const Json& squad_member(const Json& object, std::string_view name, const std::string& path) {
  const Json* found = object.find(name);
  platform::require(found != nullptr, ErrorKind::Runtime, "Invalid json file, '", name,
                    "' node is missing in file: ", path);
  return *found;
}

Question read_question(const Json& entry, std::size_t context, const std::string& path) {
  Question row{.context = context,
               .question = squad_member(entry, "question", path).string(),
               .answers = {},
               .starts = {}};
  for (const Json& answer : squad_member(entry, "answers", path).array()) {
    row.answers.push_back(squad_member(answer, "text", path).string());
    const std::int64_t start = squad_member(answer, "answer_start", path).integer();
    platform::require(start >= 0 && start <= std::numeric_limits<std::uint32_t>::max(),
                      ErrorKind::Runtime, "Invalid json file, 'answer_start' is ", start,
                      " in file: ", path);
    row.starts.push_back(static_cast<std::uint32_t>(start));
  }
  // A question without answer has one empty answer, at -1.
  if (row.answers.empty()) {
    row.answers.emplace_back();
    row.starts.push_back(std::numeric_limits<std::uint32_t>::max());
  }
  return row;
}

Questions read_questions(const std::string& path) {
  const Json file = read_json(path);
  Questions all;
  for (const Json& article : squad_member(file, "data", path).array()) {
    for (const Json& paragraph : squad_member(article, "paragraphs", path).array()) {
      all.contexts.push_back(squad_member(paragraph, "context", path).string());
      for (const Json& entry : squad_member(paragraph, "qas", path).array())
        all.rows.push_back(read_question(entry, all.contexts.size() - 1, path));
    }
  }
  return all;
}

class SquadCursor : public FileCursor {
 public:
  explicit SquadCursor(std::string path) : path_(std::move(path)), all_(read_questions(path_)) {}
  bool next(LoadedRow& out) override {
    if (at_ == all_.rows.size()) return false;
    Question& row = all_.rows[at_++];
    Tensor starts = Tensor::empty({static_cast<std::int64_t>(row.starts.size())}, DType::UInt32);
    std::copy(row.starts.begin(), row.starts.end(), starts.data<std::uint32_t>());
    out.file = path_;
    out.items.clear();
    out.items.push_back(Item::text(all_.contexts[row.context]));
    out.items.push_back(Item::text(std::move(row.question)));
    out.items.push_back(text_list(std::move(row.answers)));
    out.items.push_back(starts);
    return true;
  }
  std::int64_t skip(std::int64_t rows) override {
    const auto left = static_cast<std::int64_t>(all_.rows.size() - at_);
    const std::int64_t done = std::min(rows, left);
    at_ += static_cast<std::size_t>(done);
    return done;
  }

 private:
  std::string path_;
  Questions all_;
  std::size_t at_ = 0;
};

class SquadSource : public FileSource {
 public:
  explicit SquadSource(std::vector<std::string> files) : files_(std::move(files)) {}
  std::vector<std::string> columns() const override {
    return {"context", "question", "text", "answer_start"};
  }
  const std::vector<std::string>& files() const override { return files_; }
  std::int64_t count_rows(std::size_t file) const override {
    return open(file)->skip(std::numeric_limits<std::int64_t>::max());
  }
  std::unique_ptr<FileCursor> open(std::size_t file) const override {
    return std::make_unique<SquadCursor>(files_.at(file));
  }

 private:
  std::vector<std::string> files_;
};

FileSourcePtr open_squad(const Parameters& parameters) {
  return std::make_shared<SquadSource>(parameters.strings("files"));
}

MYCEL_SOURCE(JsonLines, open_json_lines);
MYCEL_SOURCE(Squad, open_squad);

}  // namespace

}  // namespace mycel::data
