// SPDX-License-Identifier: Apache-2.0
// Folders whose sub-folders are the classes: ImageFolder and the reviews of IMDB.
#include <algorithm>
#include <filesystem>

#include "data/source/files.h"
#include "data/source/registry.h"
#include "data/source/row_table.h"

namespace mycel::data {

namespace {

// Files of one folder with one of the extensions (lower case, with dot; none: all files).
void append_files(const Path& folder, const Strings& extensions, std::vector<std::string>& paths) {
  for (const std::string& name : list_folder(folder, EntryKind::Any)) {
    const Path path = folder / name;
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
      platform::fail(ErrorKind::Runtime, "Invalid file found: ", path.string(),
                     ", should be file, but got directory.");
    if (extensions.empty() ||
        std::find(extensions.begin(), extensions.end(), lower_extension(name)) != extensions.end())
      paths.push_back(path.string());
  }
}

Strings lower_extensions(const Parameters& parameters) {
  Strings extensions = parameters.has("extensions") ? parameters.strings("extensions") : Strings();
  if (extensions.empty()) return {".jpg", ".jpeg", ".png", ".bmp"};
  for (std::string& extension : extensions) extension = lower_case(extension);
  return extensions;
}

IndexedSourcePtr open_image_folder(const Parameters& parameters) {
  const Path root = parameters.string("dataset_dir");
  const Strings extensions = lower_extensions(parameters);
  const bool numbered = parameters.has("class_indexing");
  const StringNumbers indexing = numbered ? parameters.numbers("class_indexing") : StringNumbers();
  auto paths = std::make_shared<std::vector<std::string>>();
  auto labels = std::make_shared<NumberColumn>(DType::Int32);
  std::int64_t next_class = 0;
  for (const std::string& name : list_folder(root, EntryKind::Folder)) {
    const auto given = indexing.find(name);
    if (numbered && given == indexing.end()) continue;
    const std::int64_t label = numbered ? given->second : next_class++;
    append_files(root / name, extensions, *paths);
    while (labels->rows() < static_cast<std::int64_t>(paths->size()))
      labels->push_row(static_cast<double>(label));
  }
  if (paths->empty())
    nothing_to_read("ImageFolderDataset", "image folder file path", root.string());
  auto table = std::make_shared<RowTable>();
  table->add("image", picture_column(paths, parameters));
  table->add("label", labels);
  return table;
}

IndexedSourcePtr open_imdb(const Parameters& parameters) {
  const Path root = parameters.string("dataset_dir");
  const std::string usage = usage_of(parameters);
  auto paths = std::make_shared<std::vector<std::string>>();
  auto labels = std::make_shared<NumberColumn>(DType::Int32);
  for (const std::string part : {"train", "test"}) {
    if (usage != "all" && usage != part) continue;
    // Reviews without an opinion ("unsup") are not read; "neg" is class 0.
    for (const std::string opinion : {"pos", "neg"}) {
      const Path folder = root / part / opinion;
      std::error_code ignored;
      if (std::filesystem::is_directory(folder, ignored)) append_files(folder, {".txt"}, *paths);
      while (labels->rows() < static_cast<std::int64_t>(paths->size()))
        labels->push_row(opinion == "pos" ? 1 : 0);
    }
  }
  if (paths->empty()) nothing_to_read("IMDBDataset", "file path", root.string());
  auto table = std::make_shared<RowTable>();
  table->add("text", file_column(paths, FileUse::Text));
  table->add("label", labels);
  return table;
}

MYCEL_SOURCE(ImageFolder, open_image_folder);
MYCEL_SOURCE(Imdb, open_imdb);

}  // namespace

}  // namespace mycel::data
