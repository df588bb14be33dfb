// SPDX-License-Identifier: Apache-2.0
// Sentences and their translations in two files that go line by line together (Multi30k, IWSLT).
#include <limits>

#include "data/source/files.h"
#include "data/source/lines.h"
#include "data/source/registry.h"

namespace mycel::data {

namespace {

enum class SentenceForm : std::uint8_t {
  Lines,     // every line
  Untagged,  // lines that are no tag: talks with their title, address and keywords between
  Segments,  // the text inside <seg id="1"> ... </seg>
};

SentenceForm form_of(const std::string& name) {
  if (name == "untagged") return SentenceForm::Untagged;
  return name == "segments" ? SentenceForm::Segments : SentenceForm::Lines;
}

// The next sentence of a file; false at its end.
bool next_sentence(LineStream& lines, SentenceForm form, std::string& sentence) {
  while (lines.next(sentence)) {
    if (sentence.ends_with('\r')) sentence.pop_back();
    const std::string_view text = trimmed(sentence);
    if (form == SentenceForm::Lines) {
      if (!sentence.empty()) return true;
    } else if (form == SentenceForm::Untagged) {
      if (text.empty() || text.starts_with('<')) continue;
      sentence = std::string(text);
      return true;
    } else if (text.starts_with("<seg")) {
      const std::size_t begin = text.find('>');
      const std::size_t end = text.rfind("</seg>");
      if (begin == std::string_view::npos || end == std::string_view::npos || end < begin)
        lines.refuse("expected <seg ...> text </seg>");
      sentence = std::string(trimmed(text.substr(begin + 1, end - begin - 1)));
      return true;
    }
  }
  return false;
}

struct Pair {
  std::string text;
  std::string translation;
  SentenceForm form = SentenceForm::Lines;
};

class PairCursor : public FileCursor {
 public:
  explicit PairCursor(const Pair& pair)
      : text_(pair.text), translation_(pair.translation), form_(pair.form) {}
  bool next(LoadedRow& out) override {
    std::string first;
    std::string second;
    if (!advance(first, second)) return false;
    out.file = text_.path();
    out.items.clear();
    out.items.push_back(Item::text(std::move(first)));
    out.items.push_back(Item::text(std::move(second)));
    return true;
  }
  std::int64_t skip(std::int64_t rows) override {
    std::string first;
    std::string second;
    std::int64_t done = 0;
    while (done < rows && advance(first, second)) ++done;
    return done;
  }

 private:
  bool advance(std::string& first, std::string& second) {
    const bool has_text = next_sentence(text_, form_, first);
    const bool has_translation = next_sentence(translation_, form_, second);
    if (has_text != has_translation)
      (has_text ? translation_ : text_)
          .refuse("the file has fewer sentences than its counterpart " +
                  (has_text ? text_ : translation_).path());
    return has_text;
  }
  LineStream text_;
  LineStream translation_;
  SentenceForm form_;
};

class PairSource : public FileSource {
 public:
  explicit PairSource(const Parameters& parameters)
      : texts_(parameters.strings("files")),
        translations_(parameters.strings("translations")),
        forms_(parameters.strings("forms")) {
    platform::require(texts_.size() == translations_.size() && texts_.size() == forms_.size(),
                      ErrorKind::Internal, "every text has one translation and one form");
  }
  std::vector<std::string> columns() const override { return {"text", "translation"}; }
  const std::vector<std::string>& files() const override { return texts_; }
  std::int64_t count_rows(std::size_t file) const override {
    return open(file)->skip(std::numeric_limits<std::int64_t>::max());
  }
  std::unique_ptr<FileCursor> open(std::size_t file) const override {
    return std::make_unique<PairCursor>(
        Pair{texts_.at(file), translations_[file], form_of(forms_[file])});
  }

 private:
  std::vector<std::string> texts_;
  std::vector<std::string> translations_;
  std::vector<std::string> forms_;
};

FileSourcePtr open_pairs(const Parameters& parameters) {
  auto source = std::make_shared<PairSource>(parameters);
  require_rows(*source, {parameters.string("dataset"), "file path"});
  return source;
}

MYCEL_SOURCE(TranslationPairs, open_pairs);

}  // namespace

}  // namespace mycel::data
