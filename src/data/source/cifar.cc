// SPDX-License-Identifier: Apache-2.0
// CIFAR-10, CIFAR-100 and STL-10: planes of colours, with the labels in front or in a second file.
#include <algorithm>

#include "data/source/files.h"
#include "data/source/packed_images.h"
#include "data/source/registry.h"

namespace mycel::data {

namespace {

constexpr std::int64_t kCifarSide = 32;
constexpr PictureForm kCifarPicture{kCifarSide, kCifarSide, 3,
                                    kCifarSide, 1,          kCifarSide* kCifarSide};
constexpr std::int64_t kStlSide = 96;
// Column after column within a plane.
constexpr PictureForm kStlPicture{kStlSide, kStlSide, 3, 1, kStlSide, kStlSide* kStlSide};

std::int64_t whole_records(const PackedFile& file, std::int64_t record_bytes) {
  const auto bytes = static_cast<std::int64_t>(file.size());
  platform::require(bytes > 0 && bytes % record_bytes == 0, ErrorKind::Runtime, "Invalid file, ",
                    file.path(), " has ", bytes, " bytes, which is not a multiple of the ",
                    record_bytes, " bytes of a record.");
  return bytes / record_bytes;
}

// Which files of the folder: test files hold "test" in their name.
Strings cifar_files(const Parameters& parameters, const Strings& train, const Strings& test,
                    std::string_view dataset) {
  const Path folder = parameters.string("dataset_dir");
  const std::string usage = usage_of(parameters);
  Strings files;
  const auto take = [&](const Strings& names) {
    for (const std::string& name : names)
      if (std::filesystem::is_regular_file(folder / name)) files.push_back(folder / name);
  };
  if (usage != "test") take(train);
  if (usage != "train") take(test);
  platform::require(!files.empty(), ErrorKind::Runtime, "Invalid data, ", dataset,
                    " API can't read the data file (interface mismatch or no data found). Check "
                    "file in directory: ",
                    folder.string(), ": cifar(.bin) files are missing.");
  return files;
}

struct LabelByte {
  std::string column;
  std::int64_t place;
};

IndexedSourcePtr open_cifar(const Strings& files, const std::vector<LabelByte>& labels) {
  const auto front = static_cast<std::int64_t>(labels.size());
  const std::int64_t record = front + kCifarPicture.bytes();
  auto images = std::make_shared<PackedImageColumn>(kCifarPicture);
  std::vector<std::shared_ptr<NumberColumn>> columns;
  for (std::size_t i = 0; i < labels.size(); ++i)
    columns.push_back(std::make_shared<NumberColumn>(DType::UInt32));
  for (const std::string& path : files) {
    auto file = std::make_shared<const PackedFile>(path);
    const std::int64_t pictures = whole_records(*file, record);
    images->add(file, static_cast<std::uint64_t>(front), static_cast<std::uint64_t>(record),
                pictures);
    std::string front_bytes(labels.size(), '\0');
    for (std::int64_t row = 0; row < pictures; ++row) {
      file->read(static_cast<std::uint64_t>(row * record), front_bytes.data(), labels.size());
      for (std::size_t i = 0; i < labels.size(); ++i)
        columns[i]->push_row(
            static_cast<unsigned char>(front_bytes[static_cast<std::size_t>(labels[i].place)]));
    }
  }
  auto table = std::make_shared<RowTable>();
  table->add("image", images);
  for (std::size_t i = 0; i < labels.size(); ++i) table->add(labels[i].column, columns[i]);
  table->set_class_column(labels.front().column);
  return table;
}

IndexedSourcePtr open_cifar10(const Parameters& parameters) {
  const Strings train = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                         "data_batch_4.bin", "data_batch_5.bin"};
  return open_cifar(cifar_files(parameters, train, {"test_batch.bin"}, "Cifar10Dataset"),
                    {{"label", 0}});
}

IndexedSourcePtr open_cifar100(const Parameters& parameters) {
  return open_cifar(cifar_files(parameters, {"train.bin"}, {"test.bin"}, "Cifar100Dataset"),
                    {{"coarse_label", 0}, {"fine_label", 1}});
}

void add_stl_part(const Path& folder, const std::string& part, PackedImageColumn& images,
                  NumberColumn& labels) {
  const Path path = folder / (part + "_X.bin");
  if (!std::filesystem::is_regular_file(path))
    nothing_to_read("STL10Dataset", "file in directory", folder.string());
  auto file = std::make_shared<const PackedFile>(path.string());
  const std::int64_t pictures = whole_records(*file, kStlPicture.bytes());
  images.add(file, 0, static_cast<std::uint64_t>(kStlPicture.bytes()), pictures);
  if (part == "unlabeled") {
    for (std::int64_t row = 0; row < pictures; ++row) labels.push_row(-1);
    return;
  }
  const std::string stored = read_text_file(folder / (part + "_y.bin"));
  platform::require(static_cast<std::int64_t>(stored.size()) == pictures, ErrorKind::Runtime,
                    "Invalid data, ", (folder / (part + "_y.bin")).string(), " has ", stored.size(),
                    " labels for ", pictures, " images.");
  for (const char label : stored) labels.push_row(static_cast<unsigned char>(label) - 1.0);
}

IndexedSourcePtr open_stl10(const Parameters& parameters) {
  const std::string usage = usage_of(parameters);
  auto images = std::make_shared<PackedImageColumn>(kStlPicture);
  auto labels = std::make_shared<NumberColumn>(DType::Int32);
  for (const std::string part : {"test", "train", "unlabeled"})
    if (usage == "all" || usage == part ||
        (usage == "train+unlabeled" && (part == "train" || part == "unlabeled")))
      add_stl_part(parameters.string("dataset_dir"), part, *images, *labels);
  auto table = std::make_shared<RowTable>();
  table->add("image", images);
  table->add("label", labels);
  return table;
}

MYCEL_SOURCE(Cifar10, open_cifar10);
MYCEL_SOURCE(Cifar100, open_cifar100);
MYCEL_SOURCE(Stl10, open_stl10);

}  // namespace

}  // namespace mycel::data
