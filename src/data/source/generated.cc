// SPDX-License-Identifier: Apache-2.0
// Rows made up from random numbers: FakeImage, and rows of any schema.
#include <algorithm>
#include <cstring>

#include "data/source/registry.h"
#include "data/source/row_table.h"
#include "data/source/tf_columns.h"
#include "platform/random/philox.h"

namespace mycel::data {

namespace {

constexpr std::uint64_t kLabelStream = std::uint64_t{1} << 32;

void fill_random(void* target, std::size_t bytes, std::uint64_t seed, std::uint64_t stream) {
  auto* out = static_cast<char*>(target);
  for (std::uint64_t block = 0; bytes > 0; ++block) {
    const platform::RandomBlock numbers = platform::random_block(seed, block, stream);
    for (int half = 0; half < 2 && bytes > 0; ++half) {
      const std::uint64_t bits = numbers.pair(half);
      const std::size_t part = std::min(bytes, sizeof bits);
      std::memcpy(out, &bits, part);
      out += part;
      bytes -= part;
    }
  }
}

class FakeImageColumn : public Column {
 public:
  FakeImageColumn(std::int64_t rows, Shape shape, std::uint64_t seed)
      : rows_(rows), shape_(std::move(shape)), seed_(seed) {}
  std::int64_t rows() const override { return rows_; }
  Item item(std::int64_t row) const override {
    Tensor image = Tensor::empty(shape_, DType::UInt8);
    fill_random(image.raw(), image.bytes(), seed_, static_cast<std::uint64_t>(row));
    return image;
  }

 private:
  std::int64_t rows_;
  Shape shape_;
  std::uint64_t seed_;
};

IndexedSourcePtr open_fake_images(const Parameters& parameters) {
  const std::int64_t rows = parameters.integer("num_images");
  const auto seed = static_cast<std::uint64_t>(parameters.integer("base_seed"));
  const auto classes = static_cast<std::uint64_t>(parameters.integer("num_classes"));
  Shape shape;
  for (const std::int64_t length : parameters.integers("image_size")) shape.push_back(length);
  auto labels = std::make_shared<NumberColumn>(DType::UInt32);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::uint64_t bits =
        platform::random_block(seed, static_cast<std::uint64_t>(row), kLabelStream).pair(0);
    labels->push_row(static_cast<double>(platform::uniform_below(bits, classes)));
  }
  auto table = std::make_shared<RowTable>();
  table->add("image", std::make_shared<const FakeImageColumn>(rows, shape, seed));
  table->add("label", labels);
  return table;
}

struct RandomForm {
  std::vector<TfColumn> columns;
  std::int64_t rows = 0;
  std::uint64_t seed = 0;
};

// One byte value for the whole array, another one in the next row: cheap, and every type can hold
// the number it makes.
Item random_item(const TfColumn& column, std::uint64_t bits) {
  Shape shape = column.shape.value_or(Shape{1});
  for (std::int64_t& length : shape) length = length < 0 ? 1 : length;
  const auto value = static_cast<unsigned char>(bits & 0x7F);
  if (column.type == TfColumn::Type::Text) {
    const auto count = static_cast<std::size_t>(tensor::element_count(shape));
    return Ref<TextArray>(
        new TextArray(std::vector<std::string>(count, std::to_string(value)), shape, false));
  }
  Tensor tensor = Tensor::empty(shape, column.dtype);
  std::memset(tensor.raw(), column.dtype == DType::Bool ? value & 1 : value, tensor.bytes());
  return tensor;
}

class RandomCursor : public FileCursor {
 public:
  explicit RandomCursor(const RandomForm& form) : form_(form) {}
  bool next(LoadedRow& out) override {
    if (at_ == form_.rows) return false;
    out.items.clear();
    out.file.clear();
    std::uint64_t stream = 0;
    for (const TfColumn& column : form_.columns)
      out.items.push_back(random_item(
          column,
          platform::random_block(form_.seed, static_cast<std::uint64_t>(at_), stream++).pair(0)));
    ++at_;
    return true;
  }
  std::int64_t skip(std::int64_t rows) override {
    const std::int64_t done = std::min(rows, form_.rows - at_);
    at_ += done;
    return done;
  }

 private:
  const RandomForm& form_;
  std::int64_t at_ = 0;
};

class RandomSource : public FileSource {
 public:
  explicit RandomSource(RandomForm form) : form_(std::move(form)) {}
  std::vector<std::string> columns() const override {
    std::vector<std::string> names;
    for (const TfColumn& column : form_.columns) names.push_back(column.name);
    return names;
  }
  const std::vector<std::string>& files() const override { return files_; }
  std::int64_t count_rows(std::size_t /*file*/) const override { return form_.rows; }
  std::unique_ptr<FileCursor> open(std::size_t /*file*/) const override {
    return std::make_unique<RandomCursor>(form_);
  }

 private:
  std::vector<std::string> files_ = {"random"};  // nothing is opened
  RandomForm form_;
};

FileSourcePtr open_random(const Parameters& parameters) {
  return std::make_shared<RandomSource>(
      RandomForm{schema_columns(parameters), parameters.integer("total_rows"),
                 static_cast<std::uint64_t>(parameters.integer("seed"))});
}

MYCEL_SOURCE(FakeImage, open_fake_images);
MYCEL_SOURCE(Random, open_random);

}  // namespace

}  // namespace mycel::data
