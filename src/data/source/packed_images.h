// SPDX-License-Identifier: Apache-2.0
// Many pictures of one size in one file, one after the other: MNIST and its kin, CIFAR, STL-10.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/source/row_table.h"
#include "platform/file/file.h"

namespace mycel::data {

// How a stored picture becomes [height, width, channels]: distances in the file between neighbours.
struct PictureForm {
  std::int64_t height;
  std::int64_t width;
  std::int64_t channels;
  std::int64_t row_step;
  std::int64_t column_step;
  std::int64_t channel_step;
  std::int64_t bytes() const { return height * width * channels; }
};

// A file that is read in parts, by several threads.
class PackedFile {
 public:
  explicit PackedFile(std::string path);
  const std::string& path() const { return path_; }
  std::uint64_t size() const { return file_.size(); }
  void read(std::uint64_t offset, void* target, std::size_t bytes) const;

 private:
  std::string path_;
  platform::FileReader file_;
};

class PackedImageColumn : public Column {
 public:
  explicit PackedImageColumn(PictureForm form) : form_(form) {}
  // Pictures lie at offset, offset + step, ...; the caller has checked that they lie in the file.
  void add(std::shared_ptr<const PackedFile> file, std::uint64_t offset, std::uint64_t step,
           std::int64_t pictures);
  std::int64_t rows() const override { return parts_.empty() ? 0 : parts_.back().end; }
  Item item(std::int64_t row) const override;
  std::string file(std::int64_t row) const override { return part_of(row).file->path(); }

 private:
  struct Part {
    std::shared_ptr<const PackedFile> file;
    std::uint64_t offset;
    std::uint64_t step;
    std::int64_t begin;  // rows
    std::int64_t end;
  };
  const Part& part_of(std::int64_t row) const;
  PictureForm form_;
  std::vector<Part> parts_;
};

}  // namespace mycel::data
