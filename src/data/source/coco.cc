// SPDX-License-Identifier: Apache-2.0
// COCO: one JSON file with lists of images, annotations and categories; pictures in a folder. A row
// is a picture with all its annotations; pictures without any are left out.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "data/source/files.h"
#include "data/source/registry.h"
#include "data/source/row_table.h"
#include "platform/json/json.h"

namespace mycel::data {

using platform::Json;
using platform::parse_json;
using platform::read_json;

namespace {

enum class CocoTask : std::uint8_t { Detection, Stuff, Keypoint, Panoptic, Captioning };

CocoTask task_of(const std::string& name) {
  const std::pair<const char*, CocoTask> tasks[] = {{"Detection", CocoTask::Detection},
                                                    {"Stuff", CocoTask::Stuff},
                                                    {"Keypoint", CocoTask::Keypoint},
                                                    {"Panoptic", CocoTask::Panoptic},
                                                    {"Captioning", CocoTask::Captioning}};
  for (const auto& [known, task] : tasks)
    if (name == known) return task;
  platform::fail(ErrorKind::Value, "Invalid task type: ", name);
}

// What one annotation adds to its picture.
struct Annotation {
  std::vector<std::vector<double>> values;  // box or key points; of an outline its polygons
  std::vector<double> numbers;              // one for each further column
  std::string caption;
};

struct CocoImage {
  std::string file;
  std::vector<Annotation> annotations;
};

class CocoFile {
 public:
  CocoFile(std::string path, CocoTask task) : path_(std::move(path)), task_(task) { read(); }
  std::vector<CocoImage> images;  // in the order of the file

 private:
  void read();
  void read_images(const Json& file);
  void read_categories(const Json& file);
  void read_annotation(const Json& annotation);
  void read_segments(const Json& annotation, CocoImage& image) const;
  Annotation parse(const Json& annotation) const;
  std::vector<std::vector<double>> outlines(const Json& annotation) const;
  std::vector<double> box(const Json& annotation) const;
  double category(const Json& annotation) const;
  static double optional_number(const Json& object, std::string_view name) {
    const Json* found = object.find(name);
    return found == nullptr ? 0 : found->real();
  }
  const Json& member(const Json& object, std::string_view name) const {
    const Json* found = object.find(name);
    platform::require(found != nullptr, ErrorKind::Runtime,
                      "Invalid annotation file, the attribute of '", name,
                      "' is missing in annotation file: ", path_);
    return *found;
  }

  std::string path_;
  CocoTask task_;
  std::unordered_map<std::int64_t, std::size_t> image_of_id_;
  std::unordered_set<std::int64_t> categories_;
};

void CocoFile::read() {
  try {
    const Json file = read_json(path_);
    read_images(file);
    if (task_ == CocoTask::Detection || task_ == CocoTask::Panoptic) read_categories(file);
    for (const Json& annotation : member(file, "annotations").array()) read_annotation(annotation);
  } catch (const platform::Error& error) {
    platform::fail(ErrorKind::Runtime,
                   "Invalid annotation file, Coco Dataset annotation file: ", path_,
                   " load failed: ", error.message());
  }
}

void CocoFile::read_images(const Json& file) {
  for (const Json& image : member(file, "images").array()) {
    image_of_id_[member(image, "id").integer()] = images.size();
    images.push_back({member(image, "file_name").string(), {}});
  }
}

void CocoFile::read_categories(const Json& file) {
  for (const Json& category : member(file, "categories").array())
    categories_.insert(member(category, "id").integer());
}

void CocoFile::read_annotation(const Json& annotation) {
  const std::int64_t id = member(annotation, "image_id").integer();
  const auto found = image_of_id_.find(id);
  platform::require(found != image_of_id_.end(), ErrorKind::Runtime,
                    "Invalid annotation file, the attribute of 'image_id': ", id,
                    " is missing in the node of image from annotation file: ", path_);
  CocoImage& image = images[found->second];
  if (task_ == CocoTask::Panoptic) {
    read_segments(annotation, image);
  } else {
    image.annotations.push_back(parse(annotation));
  }
}

void CocoFile::read_segments(const Json& annotation, CocoImage& image) const {
  for (const Json& segment : member(annotation, "segments_info").array())
    image.annotations.push_back(
        {{box(segment)},
         {category(segment), optional_number(segment, "iscrowd"), optional_number(segment, "area")},
         {}});
}

Annotation CocoFile::parse(const Json& annotation) const {
  switch (task_) {
    case CocoTask::Detection:
      return {
          {box(annotation)}, {category(annotation), optional_number(annotation, "iscrowd")}, {}};
    case CocoTask::Stuff:
      return {outlines(annotation), {optional_number(annotation, "iscrowd")}, {}};
    case CocoTask::Keypoint: {
      Annotation result{{{}}, {member(annotation, "num_keypoints").real()}, {}};
      for (const Json& value : member(annotation, "keypoints").array())
        result.values[0].push_back(value.real());
      return result;
    }
    case CocoTask::Captioning: return {{}, {}, member(annotation, "caption").string()};
    case CocoTask::Panoptic: break;
  }
  return {};
}

// Every polygon is one; of a crowd there is one of run lengths.
std::vector<std::vector<double>> CocoFile::outlines(const Json& annotation) const {
  std::vector<std::vector<double>> all;
  const Json& segmentation = member(annotation, "segmentation");
  if (segmentation.is_object()) {
    all.emplace_back();
    for (const Json& count : member(segmentation, "counts").array())
      all.back().push_back(count.real());
    return all;
  }
  for (const Json& polygon : segmentation.array()) {
    all.emplace_back();
    for (const Json& value : polygon.array()) all.back().push_back(value.real());
  }
  return all;
}

std::vector<double> CocoFile::box(const Json& annotation) const {
  std::vector<double> values;
  for (const Json& value : member(annotation, "bbox").array()) values.push_back(value.real());
  platform::require(values.size() == 4, ErrorKind::Runtime,
                    "Invalid annotation file, a 'bbox' has ", values.size(),
                    " values, expected 4, in annotation file: ", path_);
  return values;
}

double CocoFile::category(const Json& annotation) const {
  const std::int64_t id = member(annotation, "category_id").integer();
  platform::require(categories_.contains(id), ErrorKind::Runtime,
                    "Invalid annotation file, the attribute of 'category_id': ", id,
                    " is missing in the node of categories from annotation file: ", path_);
  return static_cast<double>(id);
}

// The columns after the picture: first the one with several values, then one number each.
struct TaskColumns {
  std::string values;
  std::vector<std::string> numbers;
};

TaskColumns columns_of(CocoTask task) {
  switch (task) {
    case CocoTask::Detection: return {"bbox", {"category_id", "iscrowd"}};
    case CocoTask::Stuff: return {"segmentation", {"iscrowd"}};
    case CocoTask::Keypoint: return {"keypoints", {"num_keypoints"}};
    case CocoTask::Panoptic: return {"bbox", {"category_id", "iscrowd", "area"}};
    case CocoTask::Captioning: return {"captions", {}};
  }
  return {};
}

// Rows of different length are filled up with -1 to the longest of the picture, so the shape of an
// entry differs from row to row.
class PaddedColumn : public Column {
 public:
  explicit PaddedColumn(std::shared_ptr<const std::vector<CocoImage>> images)
      : images_(std::move(images)) {}
  std::int64_t rows() const override { return static_cast<std::int64_t>(images_->size()); }
  Item item(std::int64_t row) const override {
    const std::vector<Annotation>& all = (*images_)[static_cast<std::size_t>(row)].annotations;
    std::size_t longest = 0;
    std::int64_t count = 0;
    for (const Annotation& one : all)
      for (const std::vector<double>& values : one.values) {
        longest = std::max(longest, values.size());
        ++count;
      }
    Tensor tensor = Tensor::empty({count, static_cast<std::int64_t>(longest)}, DType::Float32);
    auto* out = tensor.data<float>();
    for (const Annotation& one : all)
      for (const std::vector<double>& values : one.values)
        for (std::size_t i = 0; i < longest; ++i)
          *out++ = i < values.size() ? static_cast<float>(values[i]) : -1.0F;
    return tensor;
  }

 private:
  std::shared_ptr<const std::vector<CocoImage>> images_;
};

ColumnPtr number_column(const std::vector<CocoImage>& images, std::size_t which) {
  auto column = std::make_shared<NumberColumn>(DType::UInt32, Shape{1}, RowForm::Ragged);
  for (const CocoImage& image : images) {
    for (const Annotation& one : image.annotations) column->push(one.numbers[which]);
    column->end_row();
  }
  return column;
}

ColumnPtr caption_column(const std::vector<CocoImage>& images) {
  auto column = std::make_shared<TextColumn>(Shape{1}, RowForm::Ragged);
  for (const CocoImage& image : images) {
    for (const Annotation& one : image.annotations) column->push(one.caption);
    column->end_row();
  }
  return column;
}

IndexedSourcePtr open_coco(const Parameters& parameters) {
  const Path folder = parameters.string("dataset_dir");
  const CocoTask task = task_of(parameters.string("task"));
  CocoFile file(parameters.string("annotation_file"), task);
  std::erase_if(file.images, [](const CocoImage& image) { return image.annotations.empty(); });
  if (file.images.empty()) nothing_to_read("CocoDataset", "file in directory", folder.string());
  auto images = std::make_shared<const std::vector<CocoImage>>(std::move(file.images));
  auto paths = std::make_shared<std::vector<std::string>>();
  auto names = std::make_shared<TextColumn>();
  for (const CocoImage& image : *images) {
    paths->push_back(folder / image.file);
    names->push_row(Path(image.file).stem().string());
  }
  auto table = std::make_shared<RowTable>();
  table->add("image", picture_column(paths, parameters));
  const TaskColumns columns = columns_of(task);
  table->add(columns.values, task == CocoTask::Captioning
                                 ? caption_column(*images)
                                 : std::make_shared<const PaddedColumn>(images));
  for (std::size_t i = 0; i < columns.numbers.size(); ++i)
    table->add(columns.numbers[i], number_column(*images, i));
  if (parameters.flag("extra_metadata")) table->add("_meta-filename", names);
  return table;
}

MYCEL_SOURCE(Coco, open_coco);

}  // namespace

}  // namespace mycel::data
