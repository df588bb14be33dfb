// SPDX-License-Identifier: Apache-2.0
// PhotoTour: patches of 64 x 64 pixels in bitmaps of 16 x 16 patches, and pairs of them.
#include <algorithm>
#include <array>
#include <cstring>

#include "data/source/files.h"
#include "data/source/lines.h"
#include "data/source/packed_images.h"

namespace mycel::data {

namespace {

constexpr std::int64_t kPatchSide = 64;
constexpr std::int64_t kPatchesPerLine = 16;
constexpr std::int64_t kPatchesPerFile = kPatchesPerLine * kPatchesPerLine;
constexpr std::int64_t kBitmapSide = kPatchSide * kPatchesPerLine;

// A bitmap of 1024 x 1024 pixels, 8 bits with a palette or 24 bits, not packed.
class Bitmap {
 public:
  explicit Bitmap(const std::string& path) : file_(path) {
    std::array<unsigned char, 54> head;
    file_.read(0, head.data(), head.size());
    const auto number = [&](std::size_t at) {
      std::uint32_t value;
      std::memcpy(&value, head.data() + at, sizeof value);
      return value;
    };
    const std::uint32_t bits = number(28) & 0xFFFF;
    const auto height = static_cast<std::int32_t>(number(22));
    platform::require(
        head[0] == 'B' && head[1] == 'M' && number(30) == 0 && number(18) == kBitmapSide &&
            (height == kBitmapSide || height == -kBitmapSide) && (bits == 8 || bits == 24),
        ErrorKind::Runtime, "Invalid file, ", path,
        " is not a bitmap of 1024 x 1024 pixels with 8 or 24 bits each.");
    bytes_per_pixel_ = bits / 8;
    from_top_ = height < 0;
    offset_ = number(10);
    const std::uint64_t wanted =
        offset_ + std::uint64_t{kBitmapSide} * kBitmapSide * bytes_per_pixel_;
    platform::require(file_.size() >= wanted, ErrorKind::Runtime, "Invalid file, ", path, " has ",
                      file_.size(), " bytes, expected ", wanted, ".");
    if (bits == 8) read_palette(14 + number(14));
  }
  const std::string& path() const { return file_.path(); }

  void read_line(std::int64_t x, std::int64_t y, std::uint8_t* target) const {
    const std::int64_t line = from_top_ ? y : kBitmapSide - 1 - y;
    const std::uint64_t at =
        offset_ + static_cast<std::uint64_t>(line * kBitmapSide + x) * bytes_per_pixel_;
    std::array<unsigned char, kPatchSide * 3> stored;
    file_.read(at, stored.data(), kPatchSide * bytes_per_pixel_);
    for (std::size_t i = 0; i < kPatchSide; ++i)
      target[i] = bytes_per_pixel_ == 1 ? grey_[stored[i]] : stored[3 * i + 1];  // grey: all alike
  }

 private:
  void read_palette(std::uint64_t at) {
    std::array<unsigned char, 256 * 4> colours{};
    if (at + colours.size() <= offset_) file_.read(at, colours.data(), colours.size());
    for (std::size_t i = 0; i < 256; ++i)
      grey_[i] =
          at + colours.size() <= offset_ ? colours[4 * i + 1] : static_cast<unsigned char>(i);
  }
  PackedFile file_;
  std::uint32_t bytes_per_pixel_ = 1;
  bool from_top_ = false;
  std::uint64_t offset_ = 0;
  std::array<std::uint8_t, 256> grey_{};
};

using Bitmaps = std::shared_ptr<const std::vector<Bitmap>>;

class PatchColumn : public Column {
 public:
  PatchColumn(Bitmaps bitmaps, std::vector<std::int64_t> patches)
      : bitmaps_(std::move(bitmaps)), patches_(std::move(patches)) {}
  std::int64_t rows() const override { return static_cast<std::int64_t>(patches_.size()); }
  std::string file(std::int64_t row) const override { return bitmap(row).path(); }
  Item item(std::int64_t row) const override {
    const std::int64_t place = patches_[static_cast<std::size_t>(row)] % kPatchesPerFile;
    const std::int64_t x = place % kPatchesPerLine * kPatchSide;
    const std::int64_t y = place / kPatchesPerLine * kPatchSide;
    Tensor patch = Tensor::empty({kPatchSide, kPatchSide, 1}, DType::UInt8);
    for (std::int64_t i = 0; i < kPatchSide; ++i)
      bitmap(row).read_line(x, y + i, patch.data<std::uint8_t>() + i * kPatchSide);
    return patch;
  }

 private:
  const Bitmap& bitmap(std::int64_t row) const {
    return (*bitmaps_)[static_cast<std::size_t>(patches_[static_cast<std::size_t>(row)] /
                                                kPatchesPerFile)];
  }
  Bitmaps bitmaps_;
  std::vector<std::int64_t> patches_;
};

std::int64_t count_patches(const Path& folder, const std::vector<Bitmap>& bitmaps) {
  LineStream lines((folder / "info.txt").string());
  std::string line;
  std::int64_t patches = 0;
  while (lines.next(line))
    if (!trimmed(line).empty()) ++patches;
  const auto most = static_cast<std::int64_t>(bitmaps.size()) * kPatchesPerFile;
  platform::require(patches <= most, ErrorKind::Runtime, "Invalid data, ", lines.path(),
                    " tells of ", patches, " patches, but there are bitmaps for ", most, ".");
  return patches;
}

struct Pairs {
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> second;
  std::shared_ptr<NumberColumn> matches = std::make_shared<NumberColumn>(DType::UInt32);
};

// "patch point unused patch point unused unused"; the same point is a match.
Pairs read_pairs(const Path& folder, std::int64_t patches) {
  Pairs pairs;
  LineStream lines((folder / "m50_100000_100000_0.txt").string());
  std::string line;
  while (lines.next(line)) {
    const std::vector<std::string> words = split_blanks(line);
    if (words.empty()) continue;
    std::int64_t first = -1;
    std::int64_t second = -1;
    if (words.size() < 5 || !parse_number(words[0], first) || !parse_number(words[3], second) ||
        std::min(first, second) < 0 || std::max(first, second) >= patches)
      lines.refuse("expected two numbers of patches with their points");
    pairs.first.push_back(first);
    pairs.second.push_back(second);
    pairs.matches->push_row(words[1] == words[4] ? 1 : 0);
  }
  return pairs;
}

IndexedSourcePtr open_photo_tour(const Parameters& parameters) {
  const Path folder = Path(parameters.string("dataset_dir")) / parameters.string("name");
  auto bitmaps = std::make_shared<std::vector<Bitmap>>();
  for (const std::string& name : list_folder(folder, EntryKind::File))
    if (name.starts_with("patches") && name.ends_with(".bmp")) bitmaps->emplace_back(folder / name);
  if (bitmaps->empty()) nothing_to_read("PhotoTourDataset", "file in directory", folder.string());
  const std::int64_t patches = count_patches(folder, *bitmaps);
  auto table = std::make_shared<RowTable>();
  if (parameters.has("usage") && parameters.string("usage") == "test") {
    Pairs pairs = read_pairs(folder, patches);
    table->add("image1", std::make_shared<PatchColumn>(bitmaps, std::move(pairs.first)));
    table->add("image2", std::make_shared<PatchColumn>(bitmaps, std::move(pairs.second)));
    table->add("matches", pairs.matches);
    return table;
  }
  std::vector<std::int64_t> all(static_cast<std::size_t>(patches));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  table->add("image", std::make_shared<PatchColumn>(bitmaps, std::move(all)));
  return table;
}

MYCEL_SOURCE(PhotoTour, open_photo_tour);

}  // namespace

}  // namespace mycel::data
