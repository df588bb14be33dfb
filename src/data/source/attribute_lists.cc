// SPDX-License-Identifier: Apache-2.0
// Pictures whose properties stand in one text file, a line each: CelebA and Semeion.
#include <algorithm>
#include <unordered_set>

#include "data/source/files.h"
#include "data/source/lines.h"
#include "data/source/row_table.h"

namespace mycel::data {

namespace {

constexpr std::int64_t kFaceAttributes = 40;

// The pictures of one use, from lines "name 0"; 0 train, 1 valid, 2 test.
std::unordered_set<std::string> faces_of(const Path& folder, const std::string& usage) {
  const std::string wanted = usage == "train" ? "0" : usage == "valid" ? "1" : "2";
  std::unordered_set<std::string> names;
  LineStream lines((folder / "list_eval_partition.txt").string());
  std::string line;
  while (lines.next(line)) {
    std::vector<std::string> words = split_blanks(line);
    if (words.empty()) continue;
    if (words.size() != 2) lines.refuse("expected the name of a picture and a number");
    if (words[1] == wanted) names.insert(std::move(words[0]));
  }
  return names;
}

void push_attributes(const LineStream& lines, const std::vector<std::string>& words,
                     NumberColumn& attributes) {
  if (static_cast<std::int64_t>(words.size()) != kFaceAttributes + 1)
    lines.refuse(platform::join("expected 40 attributes, but got ", words.size() - 1));
  for (std::size_t i = 1; i < words.size(); ++i) attributes.push(words[i] == "1" ? 1 : 0);
  attributes.end_row();
}

IndexedSourcePtr open_celeba(const Parameters& parameters) {
  const Path folder = parameters.string("dataset_dir");
  const std::string usage = usage_of(parameters);
  Strings extensions = parameters.has("extensions") ? parameters.strings("extensions") : Strings();
  if (extensions.empty()) extensions = {".jpg", ".jpeg", ".png", ".bmp"};
  for (std::string& extension : extensions) extension = lower_case(extension);
  std::unordered_set<std::string> chosen;
  if (usage != "all") chosen = faces_of(folder, usage);

  auto paths = std::make_shared<std::vector<std::string>>();
  auto attributes = std::make_shared<NumberColumn>(DType::UInt32, Shape{kFaceAttributes});
  LineStream lines((folder / "list_attr_celeba.txt").string());
  std::string line;
  while (lines.next(line)) {
    if (lines.number() <= 2) continue;  // how many pictures, and the names of the attributes
    const std::vector<std::string> words = split_blanks(line);
    if (words.empty() || (usage != "all" && !chosen.contains(words[0]))) continue;
    const std::string extension = lower_extension(words[0]);
    if (std::find(extensions.begin(), extensions.end(), extension) == extensions.end()) continue;
    push_attributes(lines, words, *attributes);
    paths->push_back(folder / words[0]);
  }
  if (paths->empty())
    nothing_to_read("CelebADataset", "attribute file in directory", folder.string());
  auto table = std::make_shared<RowTable>();
  table->add("image", picture_column(paths, parameters));
  table->add("attr", attributes);
  return table;
}

constexpr std::int64_t kDigitSide = 16;
constexpr std::size_t kDigitPixels = kDigitSide * kDigitSide;
constexpr std::size_t kDigits = 10;

// 256 pixels, then ten flags of which one says the digit.
void push_digit(const LineStream& lines, const std::vector<std::string>& words,
                NumberColumn& images, NumberColumn& labels) {
  if (words.size() != kDigitPixels + kDigits)
    lines.refuse(platform::join("expected 266 numbers, but got ", words.size()));
  for (std::size_t i = 0; i < kDigitPixels; ++i) {
    double value = 0;
    if (!parse_number(words[i], value) || !(value >= 0 && value <= 255))
      lines.refuse("expected a pixel, but got '" + words[i] + "'");
    images.push(value);
  }
  images.end_row();
  const auto flag = std::find(words.begin() + kDigitPixels, words.end(), "1");
  if (flag == words.end()) lines.refuse("no digit is marked");
  labels.push_row(static_cast<double>(flag - words.begin()) - static_cast<double>(kDigitPixels));
}

IndexedSourcePtr open_semeion(const Parameters& parameters) {
  const Path path = Path(parameters.string("dataset_dir")) / "semeion.data";
  auto images = std::make_shared<NumberColumn>(DType::UInt8, Shape{kDigitSide, kDigitSide});
  auto labels = std::make_shared<NumberColumn>(DType::UInt32);
  images->set_file(path.string());
  LineStream lines(path.string());
  std::string line;
  while (lines.next(line)) {
    const std::vector<std::string> words = split_blanks(line);
    if (!words.empty()) push_digit(lines, words, *images, *labels);
  }
  if (labels->rows() == 0) nothing_to_read("SemeionDataset", "file path", path.string());
  auto table = std::make_shared<RowTable>();
  table->add("image", images);
  table->add("label", labels);
  return table;
}

MYCEL_SOURCE(CelebA, open_celeba);
MYCEL_SOURCE(Semeion, open_semeion);

}  // namespace

}  // namespace mycel::data
