// SPDX-License-Identifier: Apache-2.0
// A manifest: one JSON object per line with the path of a picture, its use and its labels.
#include <algorithm>

#include "data/source/files.h"
#include "data/source/lines.h"
#include "data/source/row_table.h"
#include "platform/json/json.h"

namespace mycel::data {

using platform::Json;
using platform::parse_json;
using platform::read_json;

namespace {

struct ManifestRow {
  std::string file;
  std::vector<std::string> labels;
};

const Json& manifest_member(const Json& object, std::string_view name, const LineStream& lines) {
  const Json* found = object.find(name);
  platform::require(found != nullptr, ErrorKind::Runtime, "Invalid manifest file, '", name,
                    "' is missing in: ", lines.path(), " at line ", lines.number());
  return *found;
}

std::vector<std::string> labels_of(const Json& object, const LineStream& lines) {
  std::vector<std::string> labels;
  const Json* annotations = object.find("annotation");
  if (annotations == nullptr) return labels;
  for (const Json& annotation : annotations->array()) {
    const Json& type = manifest_member(annotation, "type", lines);
    if (type.string().find("image_classification") == std::string::npos) continue;
    labels.push_back(manifest_member(annotation, "name", lines).string());
  }
  return labels;
}

Json parse_line(const std::string& line, const LineStream& lines) {
  try {
    return parse_json(line, lines.path());
  } catch (const platform::Error& error) {
    platform::fail(ErrorKind::Runtime,
                   "Invalid manifest file, failed to parse manifest file: ", lines.path(),
                   " at line ", lines.number(), ": ", error.message());
  }
}

std::vector<ManifestRow> read_manifest(const std::string& path, const std::string& usage) {
  std::vector<ManifestRow> rows;
  LineStream lines(path);
  std::string line;
  while (lines.next(line)) {
    if (trimmed(line).empty()) continue;
    const Json object = parse_line(line, lines);
    const std::string file = manifest_member(object, "source", lines).string();
    if (lower_case(manifest_member(object, "usage", lines).string()) != usage) continue;
    std::vector<std::string> labels = labels_of(object, lines);
    if (!labels.empty()) rows.push_back({file, std::move(labels)});
  }
  return rows;
}

// Other files than JPEG, PNG and BMP are passed over, as the list may hold anything.
bool is_picture(const std::string& path) {
  const platform::FileReader file = open_file(path);
  platform::require(file.size() > 0, ErrorKind::Runtime, "Invalid manifest file, the file ", path,
                    " that it names is empty.");
  std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(3, file.size())), '\0');
  const auto done = file.read_at(0, {reinterpret_cast<std::byte*>(head.data()), head.size()});
  return done && (head == "\xFF\xD8\xFF" || head == "\x89PN" || head.starts_with("BM"));
}

StringNumbers numbers_of(const std::vector<ManifestRow>& rows) {
  StringNumbers numbers;
  for (const ManifestRow& row : rows)
    for (const std::string& label : row.labels) numbers[label] = 0;
  std::int64_t next = 0;
  for (auto& [name, number] : numbers) number = next++;
  return numbers;
}

// One label is a single number, several are a list.
class LabelsColumn : public Column {
 public:
  LabelsColumn(const std::vector<ManifestRow>& rows, const StringNumbers& numbers) {
    for (const ManifestRow& row : rows) {
      std::vector<std::int32_t>& labels = labels_.emplace_back();
      for (const std::string& name : row.labels)
        if (const auto found = numbers.find(name); found != numbers.end())
          labels.push_back(static_cast<std::int32_t>(found->second));
    }
  }
  std::int64_t rows() const override { return static_cast<std::int64_t>(labels_.size()); }
  Item item(std::int64_t row) const override {
    const std::vector<std::int32_t>& labels = labels_[static_cast<std::size_t>(row)];
    if (labels.size() == 1) return Item::scalar(labels[0], DType::Int32);
    Tensor tensor = Tensor::empty({static_cast<std::int64_t>(labels.size())}, DType::Int32);
    std::copy(labels.begin(), labels.end(), tensor.data<std::int32_t>());
    return tensor;
  }
  std::vector<std::int64_t> classes() const override {
    std::vector<std::int64_t> first;
    for (const std::vector<std::int32_t>& labels : labels_) first.push_back(labels.front());
    return first;
  }

 private:
  std::vector<std::vector<std::int32_t>> labels_;
};

IndexedSourcePtr open_manifest(const Parameters& parameters) {
  const std::string path = parameters.string("dataset_file");
  std::vector<ManifestRow> rows = read_manifest(path, lower_case(parameters.string("usage")));
  const StringNumbers numbers =
      parameters.has("class_indexing") ? parameters.numbers("class_indexing") : numbers_of(rows);
  std::erase_if(rows, [&](const ManifestRow& row) {
    return std::none_of(row.labels.begin(), row.labels.end(),
                        [&](const std::string& name) { return numbers.contains(name); }) ||
           !is_picture(row.file);
  });
  if (rows.empty()) nothing_to_read("ManifestDataset", "manifest file", path);
  auto paths = std::make_shared<std::vector<std::string>>();
  for (const ManifestRow& row : rows) paths->push_back(row.file);
  auto table = std::make_shared<RowTable>();
  table->add("image", picture_column(paths, parameters));
  table->add("label", std::make_shared<const LabelsColumn>(rows, numbers));
  return table;
}

MYCEL_SOURCE(Manifest, open_manifest);

}  // namespace

}  // namespace mycel::data
