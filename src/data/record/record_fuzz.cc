// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: the bytes are a MindRecord file without an index. Not part of the build:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address -Isrc src/data/record/*.cc (without
//   *_test.cc) ...
#include <cstddef>
#include <cstdint>

#include "data/record/layout.h"
#include "platform/error/error.h"

using namespace mycel::data;  // NOLINT: a program of its own

namespace {

// Everything that reading a row does, without the file system.
void read_all(ByteView bytes) {
  const RecordLayout layout(read_header(bytes, "fuzz"), bytes, "fuzz");
  const RowTable table = layout.scan();
  const RecordHeader& header = layout.header();
  const ScalarDecoder decoder(header.schema.default_index());
  const std::size_t blobs = header.schema.blob_count();
  std::vector<ScalarValue> scalars;
  for (std::int64_t row = 0; row < layout.rows(); ++row) {
    const RowArea& area = layout.area_of(row);
    const auto at = static_cast<std::size_t>(row);
    decoder.decode(layout.entry(area.raw_page, table.raw[at]), scalars);
    const ByteView blob = layout.entry(area.blob_page, table.blob[at]);
    std::size_t next_scalar = 0;
    std::size_t next_blob = 0;
    for (const RecordField& field : header.schema.fields()) {
      if (field.is_blob())
        blob_item(field, blob_field(blob, next_blob++, blobs), header.version);
      else
        scalar_item(field, scalars[next_scalar++]);
    }
  }
  static_cast<void>(header.text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    read_all({reinterpret_cast<const char*>(data), size});
  } catch (const mycel::platform::Error&) {
  }
  return 0;
}
