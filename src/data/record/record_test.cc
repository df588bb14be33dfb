// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <numeric>

#include <gtest/gtest.h>

#include "data/record/given_rows.h"
#include "data/record/message_pack.h"
#include "data/record/record_set.h"
#include "data/record/record_source.h"
#include "data/record/record_writer.h"

namespace mycel::data {
namespace {

namespace fs = std::filesystem;

class RecordTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("record_" + std::to_string(::getpid()) + "_" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

RecordHeader header_for(const std::string& schema) {
  RecordHeader header;
  header.schema = RecordSchema::from_json(parse_json(schema, "schema"));
  header.index_fields = header.schema.default_index();
  header.header_size = kMinHeaderBytes;
  header.page_size = kMinPageBytes;
  return header;
}

const char* const kSchema =
    R"({"label":{"type":"int32"},"name":{"type":"string"},"image":{"type":"bytes"},)"
    R"("mask":{"type":"int64","shape":[-1]}})";

// Rows as a user would give them; the same for the same number.
EncodedRow make_row(const RecordSchema& schema, std::int64_t number, std::size_t image_bytes) {
  const std::string image(image_bytes, static_cast<char>('a' + number % 26));
  const std::string name = "row" + std::to_string(number);
  const std::vector<std::int64_t> mask{number, -number, number << 40};
  const std::vector<FieldValue> values{std::string_view(image), number, ArrayValue{mask.data(), 3},
                                       std::string_view(name)};
  return encode_row(schema, values, 3);
}

void write_set(const std::vector<std::string>& files, std::int64_t batches, std::int64_t rows,
               std::size_t image_bytes) {
  const RecordHeader header = header_for(kSchema);
  const auto writer = RecordWriter::create(files, false, header, true);
  std::int64_t number = 0;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    std::vector<EncodedRow> encoded;
    for (std::int64_t i = 0; i < rows; ++i)
      encoded.push_back(make_row(header.schema, number++, image_bytes));
    writer->write(encoded);
  }
  writer->finish();
  writer->publish();
}

void expect_row(const RowReader& reader, std::int64_t row, std::int64_t number,
                std::size_t image_bytes) {
  Items items;
  reader.read(row, items);
  ASSERT_EQ(items.size(), 4u);
  EXPECT_EQ(items[0].text().values[0],
            std::string(image_bytes, static_cast<char>('a' + number % 26)));
  EXPECT_EQ(items[1].array().as_int(), number);
  EXPECT_EQ(items[2].array().data<std::int64_t>()[2], number << 40);
  EXPECT_EQ(items[3].text().values[0], "row" + std::to_string(number));
}

TEST(MessagePackTest, NumbersTakeTheirShortestForm) {
  for (const std::int64_t value :
       {0L, 127L, 128L, 255L, 256L, 65535L, 65536L, 4294967295L, 4294967296L, 9223372036854775807L,
        -1L, -32L, -33L, -128L, -129L, -32768L, -32769L, -2147483648L, -2147483649L}) {
    std::string packed;
    pack_integer(packed, value);
    EXPECT_EQ(std::get<std::int64_t>(MessageReader(packed).scalar()), value);
  }
  std::string packed;
  pack_integer(packed, 128);
  pack_integer(packed, -33);
  pack_real(packed, 0.5);
  EXPECT_EQ(packed, std::string("\xCC\x80\xD0\xDF\xCA\x3F\x00\x00\x00", 9));
  packed.clear();
  pack_real(packed, 0.1);
  EXPECT_EQ(packed.size(), 9u);
}

TEST(MessagePackTest, WhatIsCutShortIsRefused) {
  std::string packed;
  pack_map(packed, 2);
  pack_string(packed, "name");
  pack_string(packed, std::string(300, 'x'));
  pack_string(packed, "z");
  pack_integer(packed, 70000);
  const ScalarDecoder decoder({"name", "z"});
  std::vector<ScalarValue> values;
  for (std::size_t length = 0; length < packed.size(); ++length)
    EXPECT_THROW(decoder.decode(ByteView(packed).substr(0, length), values), platform::Error);
  decoder.decode(packed, values);
  EXPECT_EQ(std::get<std::int64_t>(values[1]), 70000);
}

TEST(IntegerCompressionTest, ValuesComeBack) {
  const std::vector<std::int64_t> values{0, -1, 127, 128, -129, 40000, -3000000000, 1L << 62};
  std::string bytes;
  append_compressed(bytes, std::span<const std::int64_t>(values));
  ASSERT_EQ(compressed_count(bytes), 8);
  std::vector<std::int64_t> back(8);
  expand_compressed(bytes, std::span(back));
  EXPECT_EQ(back, values);
  std::vector<std::int32_t> narrow(8);
  EXPECT_THROW(expand_compressed(bytes, std::span(narrow)), platform::Error);
  EXPECT_THROW(expand_compressed(ByteView(bytes).substr(0, 12), std::span(back)), platform::Error);
  EXPECT_THROW(compressed_count(std::string("\xFF\xFF\xFF\xFF", 4)), platform::Error);
}

TEST(RecordSchemaTest, WrongSchemasAreRefused) {
  for (const char* bad :
       {"{}", "[]", R"({"a":{"type":"int8"}})", R"({"a b":{"type":"int32"}})",
        R"({"a":{"type":"bytes","shape":[1]}})", R"({"a":{"type":"int32","shape":[-1,-1]}})",
        R"({"a":{"type":"int32","shape":[0]}})", R"({"a":{"shape":[1]}})",
        R"({"a":{"type":"int32","shape":[1],"x":1}})",
        R"({"a":{"type":"int32","shape":[1000000000,1000000000]}})"})
    EXPECT_THROW(RecordSchema::from_json(parse_json(bad, "")), platform::Error) << bad;
}

TEST(RecordSchemaTest, ShapesAgreeWithoutLosingTheLayout) {
  EXPECT_TRUE(shape_agrees({2, 3}, Shape{2, 3}));
  EXPECT_FALSE(shape_agrees({2, 3}, Shape{3, 2}));
  EXPECT_FALSE(shape_agrees({2, 3}, Shape{6}));
  EXPECT_FALSE(shape_agrees({2, -1}, Shape{3, 2}));
  EXPECT_TRUE(shape_agrees({2, -1}, Shape{2, 5}));
  EXPECT_TRUE(shape_agrees({2, -1}, Shape{1, 6}));
  EXPECT_FALSE(shape_agrees({2, -1}, Shape{5}));
  EXPECT_TRUE(shape_agrees({1, -1}, Shape{5}));
  EXPECT_TRUE(shape_agrees({-1}, Shape{0}));
  EXPECT_TRUE(shape_agrees({-1}, Shape{2, 3, 4}));  // flat, as declared
  EXPECT_FALSE(shape_agrees({-1, 3}, Shape{3, 2}));
  EXPECT_TRUE(shape_agrees({3, -1}, Shape{3, 1}));
}

TEST_F(RecordTest, RowsComeBackFromManyPages) {
  write_set({path("a")}, 7, 40, 900);
  const RowReader reader(RecordSet::open({{path("a")}, true, {}, {}}), {});
  ASSERT_EQ(reader.set().rows(), 280);
  EXPECT_GT(reader.set().header().pages.size(), 5u);
  for (std::int64_t row = 0; row < 280; ++row) expect_row(reader, row, row, 900);
}

TEST_F(RecordTest, ShardsShareTheRowsInOrder) {
  write_set({path("s0"), path("s1"), path("s2")}, 1, 8, 10);
  const RowReader reader(RecordSet::open({{path("s1")}, true, {}, {}}), {});
  EXPECT_EQ(reader.set().shard_rows(), (std::vector<std::int64_t>{3, 3, 2}));
  for (std::int64_t row = 0; row < 8; ++row) expect_row(reader, row, row, 10);
  fs::remove(path("s2"));
  EXPECT_THROW(RecordSet::open({{path("s1")}, true, {}, {}}), platform::Error);
  EXPECT_EQ(RecordSet::open({{path("s1")}, false, {}, {}})->rows(), 3);
}

TEST_F(RecordTest, ScalarsThatOutgrowTheirPageMove) {
  RecordHeader header = header_for(R"({"text":{"type":"string"},"n":{"type":"int64"}})");
  const auto writer = RecordWriter::create({path("a")}, false, header, false);
  std::vector<std::string> texts;
  for (int i = 0; i < 90; ++i) {
    texts.emplace_back(static_cast<std::size_t>(500 + 37 * i), static_cast<char>('a' + i % 26));
    const std::vector<FieldValue> values{std::int64_t{i}, std::string_view(texts.back())};
    writer->write({encode_row(header.schema, values, 3)});
  }
  writer->finish();
  writer->publish();
  const RowReader reader(RecordSet::open({{path("a")}, true, {}, {}}), {"text", "n"});
  Items items;
  for (int i = 0; i < 90; ++i) {
    reader.read(i, items);
    EXPECT_EQ(items[0].text().values[0], texts[static_cast<std::size_t>(i)]);
    EXPECT_EQ(items[1].array().as_int(), i);
  }
}

TEST_F(RecordTest, RowsThatDoNotFitAreLeftOutAndToldOf) {
  const auto writer = RecordWriter::create({path("a")}, false, header_for(kSchema), true);
  const RecordField& label = *writer->header().schema.find("label");
  EXPECT_FALSE(label.holds(std::int64_t{1} << 40));
  GivenRows none(*writer);
  none.drop(out_of_range(label, "1099511627776"));
  EXPECT_THROW(none.write(), platform::Error);
  const std::vector<std::int64_t> mask{1, 2};
  const std::vector<FieldValue> values{std::string_view("image"), std::int64_t{7},
                                       ArrayValue{mask.data(), 2}, std::string_view("name")};
  GivenRows given(*writer);
  given.add(values);
  given.drop(missing_value(label));
  given.write();
  ASSERT_EQ(given.dropped().size(), 1U);
  EXPECT_EQ(given.dropped()[0].first, 1U);
  EXPECT_EQ(given.dropped()[0].second, "field 'label' is missing");
}

TEST_F(RecordTest, AnArrayThatDoesNotFitFailsTheCall) {
  const auto writer = RecordWriter::create({path("a")}, false, header_for(kSchema), true);
  const RecordField& field = *writer->header().schema.find("mask");
  EXPECT_FALSE(check_array(field, "int64", Shape{5}));
  const std::vector<std::int64_t> mask{1};
  const std::vector<FieldValue> values{std::string_view("image"), std::int64_t{7},
                                       ArrayValue{mask.data(), 1}, std::string_view("name")};
  GivenRows given(*writer);
  given.drop(wrong_kind(field, "str"));
  given.drop(check_array(field, "float32", Shape{5}));
  given.add(values);
  try {
    given.write();
    FAIL();
  } catch (const platform::Error& error) {  // the array is told of, not what came before it
    EXPECT_NE(error.message().find("Row 1: field 'mask'"), std::string::npos);
  }
}

TEST_F(RecordTest, AppendingContinuesTheSet) {
  write_set({path("a"), path("b")}, 1, 5, 2000);
  for (int round = 0; round < 3; ++round) {
    const auto writer = RecordWriter::append_to(path("a"), {}, "");
    std::vector<EncodedRow> rows;
    for (int i = 0; i < 20; ++i) rows.push_back(make_row(writer->header().schema, 100 + i, 2000));
    writer->write(rows);
    writer->finish();
    writer->publish();
  }
  const RowReader reader(RecordSet::open({{path("a")}, true, {}, {}}), {});
  ASSERT_EQ(reader.set().rows(), 65);
  expect_row(reader, 0, 0, 2000);
  expect_row(reader, 3, 100, 2000);   // the first file has three of the five rows
  expect_row(reader, 64, 119, 2000);  // the last one
}

TEST_F(RecordTest, UnpublishedWritersLeaveNoTrace) {
  write_set({path("a")}, 1, 5, 10);
  {
    const auto writer = RecordWriter::append_to(path("a"), {}, "");
    writer->write({make_row(writer->header().schema, 9, 10)});
    writer->finish();
  }
  EXPECT_EQ(RecordSet::open({{path("a")}, true, {}, {}})->rows(), 5);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
  EXPECT_THROW(write_set({path("a")}, 1, 1, 1), platform::Error);
}

TEST_F(RecordTest, AnIndexThatIsMissingOrOfAnotherFileIsMadeAnew) {
  write_set({path("a")}, 1, 50, 100);
  write_set({path("b")}, 1, 50, 90);
  fs::remove(path("a.db"));
  EXPECT_EQ(RecordSet::open({{path("a")}, true, {}, {}})->rows(), 50);
  EXPECT_TRUE(fs::exists(path("a.db")));
  for (const char* wrong : {"b.db", "b"}) {
    fs::copy_file(path(wrong), path("a.db"), fs::copy_options::overwrite_existing);
    const RowReader reader(RecordSet::open({{path("a")}, true, {}, {}}), {});
    for (std::int64_t row = 0; row < 50; ++row) expect_row(reader, row, row, 100);
  }
}

TEST_F(RecordTest, RowsThatAreTooBigGrowThePagesOfANewSet) {
  write_set({path("a")}, 1, 2, 100000);
  const RowReader reader(RecordSet::open({{path("a")}, true, {}, {}}), {});
  EXPECT_EQ(reader.set().header().page_size, 1 << 17);
  expect_row(reader, 1, 1, 100000);
  const RecordHeader header = header_for(kSchema);
  const auto strict = RecordWriter::create({path("b")}, false, header, false);
  EXPECT_THROW(strict->write({make_row(header.schema, 0, 100000)}), platform::Error);
}

TEST_F(RecordTest, ProtectedFilesNeedTheirKeys) {
  const RecordHeader header = header_for(kSchema);
  int number = 0;
  for (const char* mode : {"AES-GCM", "AES-CBC", "SM4-CBC"}) {
    const RecordProtection good{"0123456789abcdef", mode, "sha3_384"};
    const std::string file = path("p" + std::to_string(number++));
    const auto writer = RecordWriter::create({file}, false, header, true);
    writer->write({make_row(header.schema, 3, 50)});
    writer->finish(good.hash);
    writer->encrypt(good);
    writer->publish();
    const RowReader reader(RecordSet::open({{file}, true, good, {}}), {});
    expect_row(reader, 0, 3, 50);
    for (const RecordProtection& bad :
         {RecordProtection{}, RecordProtection{"0123456789abcdeX", mode, "sha3_384"},
          RecordProtection{"0123456789abcdef", mode, "sha256"},
          RecordProtection{"0123456789abcdef", mode, ""},
          RecordProtection{"0123456789abcdef", number == 1 ? "AES-CBC" : "AES-GCM", "sha3_384"}})
      EXPECT_THROW(RecordSet::open({{file}, true, bad, {}}), platform::Error);
    const auto more = RecordWriter::append_to(file, good, "");
    more->write({make_row(header.schema, 4, 50)});
    more->finish(good.hash);
    more->encrypt(good);
    more->publish();
    EXPECT_EQ(RecordSet::open({{file}, true, good, {}})->rows(), 2);
  }
}

// Whatever single byte is changed or cut off, reading ends in rows or in an error.
TEST_F(RecordTest, DamagedFilesNeverCrash) {
  write_set({path("a")}, 1, 6, 20);
  std::ifstream in(path("a"), std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  fs::remove(path("a.db"));
  const std::size_t header_end =
      8 + static_cast<unsigned char>(good[0]) + 256u * static_cast<unsigned char>(good[1]);
  const auto try_to_read = [&](const std::string& bytes) {
    std::ofstream(path("d"), std::ios::binary) << bytes;
    try {
      const RowReader reader(RecordSet::open({{path("d")}, true, {}, {}}), {});
      Items items;
      for (std::int64_t row = 0; row < reader.set().rows(); ++row) reader.read(row, items);
    } catch (const platform::Error&) {
    }
    fs::remove(path("d.db"));
  };
  for (std::size_t at = 0; at < good.size(); ++at) {
    if (at > header_end && good[at] == 0) continue;  // unused parts
    for (const char flip : {'\x01', '\x80', '\x7f'}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      try_to_read(bad);
    }
  }
  for (std::size_t length = 0; length < good.size(); length += 997)
    try_to_read(good.substr(0, length));
}

std::vector<RowNumbers> passes(RecordOrder order, int count) {
  const SamplerPtr sampler = record_sampler(order);
  const std::int64_t rows =
      std::accumulate(order.file_rows.begin(), order.file_rows.end(), order.padded);
  std::vector<RowNumbers> result;
  for (int i = 0; i < count; ++i) result.push_back(sampler->next_pass(rows));
  return result;
}

TEST(RecordSamplerTest, OrdersAreThoseUsersKnow) {
  RecordOrder order;
  order.file_rows = {10};
  order.seed = 1;
  EXPECT_EQ(passes(order, 3), (std::vector<RowNumbers>{{8, 0, 4, 7, 1, 9, 6, 5, 2, 3},
                                                       {7, 1, 6, 3, 4, 2, 9, 8, 5, 0},
                                                       {2, 0, 3, 7, 1, 9, 8, 4, 6, 5}}));
  order.shards = 3;
  order.shard = 1;
  EXPECT_EQ(passes(order, 1)[0], (RowNumbers{0, 1, 5, 8}));
  order.shuffle = RecordShuffle::None;
  EXPECT_EQ(passes(order, 1)[0], (RowNumbers{1, 4, 7, 0}));
  order.padded = 2;
  EXPECT_EQ(passes(order, 1)[0], (RowNumbers{1, 4, 7, 10}));
  order.padded = 1;
  EXPECT_THROW(passes(order, 1), platform::Error);
}

TEST(RecordSamplerTest, FilesAreShuffledAsAWholeOrWithin) {
  RecordOrder order;
  order.file_rows = {5, 5};
  order.seed = 1;
  order.shuffle = RecordShuffle::WithinFiles;
  EXPECT_EQ(passes(order, 1)[0], (RowNumbers{4, 3, 1, 0, 2, 9, 8, 6, 5, 7}));
  order.shuffle = RecordShuffle::Files;
  const std::vector<RowNumbers> found = passes(order, 3);
  EXPECT_EQ(found[0][0], 5);
  EXPECT_EQ(found[1][0], 0);
  EXPECT_EQ(found[2][0], 5);
}

}  // namespace
}  // namespace mycel::data
