// SPDX-License-Identifier: Apache-2.0
// MNIST and its kin: pictures and labels in IDX files (big-endian numbers).
#include <algorithm>
#include <array>
#include <limits>

#include "data/source/files.h"
#include "data/source/packed_images.h"
#include "data/source/registry.h"

namespace mycel::data {

namespace {

constexpr std::int64_t kSide = 28;
constexpr std::uint32_t kImageMagic = 0x00000803;     // bytes, three axes
constexpr std::uint32_t kLabelMagic = 0x00000801;     // bytes, one axis
constexpr std::uint32_t kIntLabelMagic = 0x00000C02;  // 32-bit numbers, two axes
constexpr std::int64_t kQmnistLabels = 8;
constexpr PictureForm kPicture{kSide, kSide, 1, kSide, 1, 1};

std::uint32_t big_endian(const unsigned char* p) {
  return static_cast<std::uint32_t>(p[0]) << 24 | static_cast<std::uint32_t>(p[1]) << 16 |
         static_cast<std::uint32_t>(p[2]) << 8 | p[3];
}

template <std::size_t Axes>
std::array<std::int64_t, Axes> read_header(const PackedFile& file, std::uint32_t magic) {
  std::array<unsigned char, 4 * (Axes + 1)> header;
  file.read(0, header.data(), header.size());
  const std::uint32_t found = big_endian(header.data());
  platform::require(found == magic, ErrorKind::Runtime,
                    "Invalid file, the file is not an IDX file as expected: ", file.path(),
                    ": magic number ", found, " instead of ", magic, ".");
  std::array<std::int64_t, Axes> lengths;
  for (std::size_t i = 0; i < Axes; ++i) lengths[i] = big_endian(header.data() + 4 * (i + 1));
  return lengths;
}

void require_size(const PackedFile& file, std::uint64_t header, std::int64_t entries,
                  std::int64_t entry_bytes) {
  const std::uint64_t wanted =
      header + static_cast<std::uint64_t>(entries) * static_cast<std::uint64_t>(entry_bytes);
  platform::require(file.size() >= wanted, ErrorKind::Runtime, "Invalid file, ", file.path(),
                    " says to have ", entries, " entries, which needs ", wanted,
                    " bytes, but the file has ", file.size(), ".");
}

struct IdxFiles {
  std::string images;
  std::string labels;
  std::int64_t skip = 0;
  std::int64_t limit = std::numeric_limits<std::int64_t>::max();
};

struct IdxForm {
  bool integer_labels = false;
  bool all_labels = false;  // of integer labels: all eight, not only the class
};

std::int64_t add_images(PackedImageColumn& column, const IdxFiles& files) {
  auto file = std::make_shared<const PackedFile>(files.images);
  const auto [count, height, width] = read_header<3>(*file, kImageMagic);
  platform::require(height == kSide && width == kSide, ErrorKind::Runtime,
                    "Invalid data, wrong shape of image: ", files.images, " holds pictures of ",
                    height, " x ", width, ", expected 28 x 28.");
  require_size(*file, 16, count, kSide * kSide);
  const std::int64_t skip = std::min(files.skip, count);
  column.add(file, 16 + static_cast<std::uint64_t>(skip * kSide * kSide), kSide * kSide,
             std::min(files.limit, count - skip));
  return count;
}

void add_byte_labels(NumberColumn& column, const PackedFile& file, std::int64_t images) {
  const auto [count] = read_header<1>(file, kLabelMagic);
  platform::require(count == images, ErrorKind::Runtime, "Invalid data, ", file.path(), " has ",
                    count, " labels for ", images, " images.");
  require_size(file, 8, count, 1);
  std::string labels(static_cast<std::size_t>(count), '\0');
  file.read(8, labels.data(), labels.size());
  for (const char label : labels) column.push_row(static_cast<unsigned char>(label));
}

void add_integer_labels(NumberColumn& column, const PackedFile& file, const IdxFiles& files,
                        bool all_labels, std::int64_t images) {
  const auto [count, fields] = read_header<2>(file, kIntLabelMagic);
  platform::require(count == images && fields == kQmnistLabels, ErrorKind::Runtime,
                    "Invalid data, ", file.path(), " has ", count, " x ", fields, " labels for ",
                    images, " images, expected eight for each.");
  require_size(file, 12, count, kQmnistLabels * 4);
  std::string labels(static_cast<std::size_t>(count * kQmnistLabels * 4), '\0');
  file.read(12, labels.data(), labels.size());
  const auto* p = reinterpret_cast<const unsigned char*>(labels.data());
  const std::int64_t begin = std::min(files.skip, count);
  const std::int64_t end = begin + std::min(files.limit, count - begin);
  for (std::int64_t row = begin; row < end; ++row) {
    for (std::int64_t k = 0; k < (all_labels ? kQmnistLabels : 1); ++k)
      column.push(big_endian(p + (row * kQmnistLabels + k) * 4));
    column.end_row();
  }
}

IndexedSourcePtr open_idx(const std::vector<IdxFiles>& all, const IdxForm& form) {
  auto images = std::make_shared<PackedImageColumn>(kPicture);
  auto labels = std::make_shared<NumberColumn>(DType::UInt32,
                                               form.all_labels ? Shape{kQmnistLabels} : Shape{});
  for (const IdxFiles& files : all) {
    const std::int64_t count = add_images(*images, files);
    const PackedFile label_file(files.labels);
    if (form.integer_labels) {
      add_integer_labels(*labels, label_file, files, form.all_labels, count);
    } else {
      add_byte_labels(*labels, label_file, count);
    }
  }
  platform::require(images->rows() > 0, ErrorKind::Runtime, "Invalid data, there are no images in ",
                    all.front().images, ".");
  auto table = std::make_shared<RowTable>();
  table->add("image", images);
  table->add("label", labels);
  return table;
}

// Files whose names hold the word; pictures and labels are paired in the order of their names.
std::vector<IdxFiles> find_pairs(const Parameters& parameters, const Strings& words,
                                 std::string_view dataset, std::string_view what) {
  const Path folder = parameters.string("dataset_dir");
  Strings images;
  Strings labels;
  for (const std::string& name : list_folder(folder, EntryKind::File)) {
    for (const std::string& word : words) {
      if (name.find(word + "-images") != std::string::npos) images.push_back(folder / name);
      if (name.find(word + "-labels") != std::string::npos) labels.push_back(folder / name);
    }
  }
  if (images.empty()) nothing_to_read(dataset, what, folder.string());
  platform::require(images.size() == labels.size(), ErrorKind::Runtime, "Invalid data, ", dataset,
                    ": ", images.size(), " files of images, but ", labels.size(),
                    " files of labels in ", folder.string(), ".");
  std::vector<IdxFiles> pairs;
  for (std::size_t i = 0; i < images.size(); ++i) pairs.push_back({images[i], labels[i]});
  return pairs;
}

IndexedSourcePtr open_mnist(const Parameters& parameters) {
  const std::string usage = usage_of(parameters);
  Strings words;
  if (usage != "train") words.push_back("t10k");
  if (usage != "test") words.push_back("train");
  const std::string dataset = parameters.string("dataset");
  return open_idx(find_pairs(parameters, words, dataset, "mnist file in directory"), {});
}

IndexedSourcePtr open_emnist(const Parameters& parameters) {
  const std::string usage = usage_of(parameters);
  const std::string prefix = "emnist-" + parameters.string("name") + "-";
  Strings words;
  for (const std::string part : {"test", "train"})
    if (usage == "all" || usage == part) words.push_back(prefix + part);
  return open_idx(find_pairs(parameters, words, "EMnistDataset", "file in directory"), {});
}

IndexedSourcePtr open_qmnist(const Parameters& parameters) {
  const Path folder = parameters.string("dataset_dir");
  const std::string usage = usage_of(parameters);
  const auto pair = [&](const std::string& prefix) {
    return IdxFiles{folder / (prefix + "-images-idx3-ubyte"),
                    folder / (prefix + "-labels-idx2-int")};
  };
  constexpr std::int64_t kFirstTests = 10000;  // the ones MNIST kept; QMNIST found the others again
  std::vector<IdxFiles> files;
  if (usage == "train" || usage == "all") files.push_back(pair("qmnist-train"));
  if (usage.starts_with("test") || usage == "all") files.push_back(pair("qmnist-test"));
  if (usage == "test10k") files.back().limit = kFirstTests;
  if (usage == "test50k") files.back().skip = kFirstTests;
  if (usage == "nist" || usage == "all") files.push_back(pair("xnist"));
  for (const IdxFiles& one : files)
    if (!std::filesystem::exists(one.images) || !std::filesystem::exists(one.labels))
      nothing_to_read("QMnistDataset", "file in directory", folder.string());
  return open_idx(files, {.integer_labels = true, .all_labels = !parameters.flag("compat")});
}

MYCEL_SOURCE(Mnist, open_mnist);
MYCEL_SOURCE(EMnist, open_emnist);
MYCEL_SOURCE(QMnist, open_qmnist);

}  // namespace

}  // namespace mycel::data
