// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>

#include "data/source/byte_stream.h"
#include "data/source/csv.h"
#include "data/source/lines.h"
#include "data/source/registry.h"
#include "data/source/row_table.h"
#include "data/source/tf_example.h"
#include "data/source/wave.h"
#include "platform/checksum/crc32.h"

namespace mycel::data {

namespace {

// A folder of its own for every test, gone afterwards.
class SourcesTest : public ::testing::Test {
 protected:
  SourcesTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::path(::testing::TempDir()) / (std::string("sources_") + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~SourcesTest() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& content) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  std::filesystem::path folder_;
};

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const platform::Error& error) {
    return error.message();
  }
  return "no error";
}

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string record(const std::string& data) {
  const std::string length = raw<std::uint64_t>(data.size());
  return length + raw(platform::masked_crc32c(length)) + data + raw(platform::masked_crc32c(data));
}

std::string field(int number, const std::string& content) {
  return std::string(1, static_cast<char>(number << 3 | 2)) +
         std::string(1, static_cast<char>(content.size())) + content;
}

// tf.Example {name: [first value, ...]} of small numbers.
std::string example(const std::string& name, const std::string& varints) {
  return field(1, field(1, field(1, name) + field(2, field(3, field(1, varints)))));
}

std::string big_endian(std::uint32_t value) { return raw(__builtin_bswap32(value)); }

// A zlib stream of stored blocks.
std::string zlib_stored(const std::string& content) {
  std::string packed = "\x78\x01";
  constexpr std::size_t kBlock = 65535;
  for (std::size_t at = 0; at < content.size(); at += kBlock) {
    const std::string part = content.substr(at, kBlock);
    const auto length = static_cast<std::uint16_t>(part.size());
    packed += std::string(1, at + kBlock >= content.size() ? '\1' : '\0') + raw(length) +
              raw(static_cast<std::uint16_t>(~length)) + part;
  }
  std::uint32_t low = 1;
  std::uint32_t high = 0;
  for (const char c : content) {
    low = (low + static_cast<unsigned char>(c)) % 65521;
    high = (high + low) % 65521;
  }
  return packed + big_endian(high << 16 | low);
}

std::string idx_images(std::uint32_t count, std::size_t bytes) {
  return big_endian(0x803) + big_endian(count) + big_endian(28) + big_endian(28) +
         std::string(bytes, '\7');
}

}  // namespace

TEST(TfExampleTest, RefusesLengthsBeyondTheMessage) {
  std::string message = example("a", "\1\2");
  for (std::size_t cut = 0; cut < message.size(); ++cut) {
    const std::string damaged = message.substr(0, cut);
    try {
      const TfExample parsed(damaged);
      for (const auto& [name, feature] : parsed.features()) int64_values(feature);
    } catch (const platform::Error& error) {
      EXPECT_NE(error.message().find("tf.Example"), std::string::npos);
    }
  }
  message[1] = '\x7F';
  EXPECT_NE(error_of([&] { TfExample parsed(message); }).find("within the message"),
            std::string::npos);
}

TEST(TfExampleTest, LastEntryOfANameCounts) {
  const std::string twice = example("a", "\1") + example("a", "\5\6");
  const TfExample parsed(twice);
  EXPECT_EQ(int64_values(*parsed.find("a")), (std::vector<std::int64_t>{5, 6}));
  EXPECT_EQ(parsed.find("b"), nullptr);
}

TEST_F(SourcesTest, TfRecordReadsSkipsAndCounts) {
  const std::string path =
      write("a.data", record(example("x", "\1")) + record(example("x", "\2\3")));
  const FileSourcePtr source = open_file_source("TfRecord", Parameters({{"files", Strings{path}}}));
  EXPECT_EQ(source->columns(), Strings{"x"});
  EXPECT_EQ(source->count_rows(0), 2);
  const auto cursor = source->open(0);
  EXPECT_EQ(cursor->skip(1), 1);
  LoadedRow row;
  ASSERT_TRUE(cursor->next(row));
  EXPECT_EQ(row.items[0].shape(), Shape({2}));
  EXPECT_EQ(row.items[0].array().data<std::int64_t>()[1], 3);
  EXPECT_FALSE(cursor->next(row));
}

TEST_F(SourcesTest, TfRecordTellsOfDamage) {
  std::string content = record(example("x", "\1")) + record(example("x", "\2"));
  content[content.size() - 6] ^= 1;
  const FileSourcePtr source =
      open_file_source("TfRecord", Parameters({{"files", Strings{write("a.data", content)}}}));
  const auto cursor = source->open(0);
  LoadedRow row;
  EXPECT_TRUE(cursor->next(row));
  EXPECT_NE(error_of([&] { cursor->next(row); }).find("checksum of the record"), std::string::npos);
  const std::string text = write("b.data", "this is no record at all");
  EXPECT_NE(error_of([&] {
              open_file_source("TfRecord", Parameters({{"files", Strings{text}}}));
            }).find("not valid TFRecordDataset files"),
            std::string::npos);
}

TEST_F(SourcesTest, TfRecordRefusesALengthTheFileCannotHold) {
  const std::string length = raw(std::uint64_t{1} << 60);
  const std::string lying = length + raw(platform::masked_crc32c(length)) + "short";
  const std::string good = record(example("x", "\1"));
  const FileSourcePtr source =
      open_file_source("TfRecord", Parameters({{"files", Strings{write("a.data", good + lying)}}}));
  EXPECT_NE(error_of([&] { source->count_rows(0); }).find("bytes are left"), std::string::npos);
}

TEST_F(SourcesTest, PackedStreamsAreUnpackedAndDamageIsTold) {
  const std::string path = write("a.zlib", zlib_stored(std::string(200000, 'x')));
  const auto stream = open_byte_stream(path, Packing::Deflate);
  EXPECT_EQ(stream->skip(150000), 150000U);
  std::string rest(60000, '\0');
  EXPECT_EQ(stream->read(rest.data(), rest.size()), 50000U);

  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const auto cut = open_byte_stream(path, Packing::Deflate);
  EXPECT_NE(error_of([&] { cut->skip(200000); }).find("end early"), std::string::npos);
}

TEST_F(SourcesTest, CsvQuotesAndLineEnds) {
  CsvReader reader(write("a.csv", "a,\"b,\"\"c\"\"\nd\",\r\n\n,\"\",e"), ',');
  std::vector<std::string> fields;
  ASSERT_TRUE(reader.next(&fields));
  EXPECT_EQ(fields, (std::vector<std::string>{"a", "b,\"c\"\nd", ""}));
  ASSERT_TRUE(reader.next(&fields));
  EXPECT_EQ(fields, (std::vector<std::string>{"", "", "e"}));
  EXPECT_FALSE(reader.next(&fields));
}

TEST_F(SourcesTest, CsvTellsWhatIsWrongWithQuotes) {
  CsvReader open_quote(write("a.csv", "\"abc"), ',');
  EXPECT_NE(
      error_of([&] { open_quote.next(nullptr); }).find("reach the end of file in quote field"),
      std::string::npos);
  CsvReader stray(write("b.csv", "ab\"c"), ',');
  EXPECT_NE(error_of([&] { stray.next(nullptr); }).find("unexpected quote in unquote field"),
            std::string::npos);
}

TEST_F(SourcesTest, LinesAcrossBuffers) {
  std::string content;
  for (int i = 0; i < 5000; ++i)
    content += std::string(static_cast<std::size_t>(i % 97), 'a') + "\n";
  content += "last";
  LineStream lines(write("a.txt", content));
  std::string line;
  std::size_t bytes = 0;
  while (lines.next(line)) bytes += line.size() + 1;
  EXPECT_EQ(bytes, content.size() + 1);
  EXPECT_EQ(line, "");
  EXPECT_EQ(lines.number(), 5001);
}

TEST_F(SourcesTest, IdxThatIsCutOffIsRefused) {
  write("train-images-idx3-ubyte", idx_images(3, 2 * 784));
  write("train-labels-idx1-ubyte", big_endian(0x801) + big_endian(3) + std::string(3, '\1'));
  const Parameters parameters({{"dataset_dir", folder_.string()},
                               {"usage", std::string("train")},
                               {"dataset", std::string("MnistDataset")}});
  EXPECT_NE(error_of([&] { open_indexed_source("Mnist", parameters); }).find("says to have 3"),
            std::string::npos);
  write("train-images-idx3-ubyte", idx_images(3, 3 * 784));
  const IndexedSourcePtr source = open_indexed_source("Mnist", parameters);
  EXPECT_EQ(source->rows(), 3);
  EXPECT_EQ(source->classes("label"), (std::vector<std::int64_t>{1, 1, 1}));
  LoadedRow row;
  source->load(2, row);
  EXPECT_EQ(row.items[0].shape(), Shape({28, 28, 1}));
}

TEST_F(SourcesTest, WaveFormsAndLies) {
  const std::string format = raw<std::uint16_t>(1) + raw<std::uint16_t>(2) +
                             raw<std::uint32_t>(8000) + raw<std::uint32_t>(32000) +
                             raw<std::uint16_t>(4) + raw<std::uint16_t>(16);
  const std::string samples = raw<std::int16_t>(32767) + raw<std::int16_t>(0) +
                              raw<std::int16_t>(-32767) + raw<std::int16_t>(1);
  const std::string head = "RIFF" + raw<std::uint32_t>(0) + "WAVE";
  const std::string chunk = "fmt " + raw<std::uint32_t>(16) + format;
  // The data chunk claims far more than there is.
  const std::string path =
      write("a.wav", head + chunk + "data" + raw<std::uint32_t>(0xFFFFFFF0) + samples);
  EXPECT_EQ(wave_rate(path), 8000U);
  const Tensor wave = read_wave(path);
  EXPECT_EQ(wave.shape(), Shape({2, 2}));
  EXPECT_EQ(wave.data<float>()[0], 1.0F);
  EXPECT_EQ(wave.data<float>()[1], -1.0F);
  EXPECT_EQ(read_wave(path, 1.0 / 8000, 9).shape(), Shape({2, 1}));
  EXPECT_NE(error_of([&] { read_wave(write("b.wav", head + chunk)); }).find("no 'data' chunk"),
            std::string::npos);
  EXPECT_NE(error_of([&] { read_wave(write("c.wav", "RIFF")); }).find("neither"),
            std::string::npos);
}

TEST(RowTableTest, RaggedColumnsKnowTheirShapes) {
  auto boxes = std::make_shared<NumberColumn>(DType::Float32, Shape{2}, RowForm::Ragged);
  boxes->push(1);
  boxes->push(2);
  boxes->end_row();
  boxes->end_row();
  EXPECT_EQ(boxes->item(0).shape(), Shape({1, 2}));
  EXPECT_EQ(boxes->item(1).shape(), Shape({0, 2}));
  boxes->push(3);
  EXPECT_NE(error_of([&] { boxes->end_row(); }).find("entries have 2 each"), std::string::npos);
  NumberColumn bytes(DType::UInt8);
  EXPECT_NE(error_of([&] { bytes.push(256); }).find("does not fit"), std::string::npos);
}

}  // namespace mycel::data
