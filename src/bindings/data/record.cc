// SPDX-License-Identifier: Apache-2.0
// MindRecord for the package: a writer, a reader, and the rows and orders of MindDataset.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/data/items.h"
#include "bindings/data/parts.h"
#include "bindings/data/record_values.h"
#include "bindings/objects.h"
#include "data/record/record_set.h"
#include "data/record/record_source.h"
#include "platform/error/error.h"

namespace mycel::bindings {

namespace nb = nanobind;
using namespace data;  // NOLINT: this file is about nothing else
using platform::fail;

namespace {

// Writes the rows that fit the schema; (number, why) of the others comes back.
std::vector<std::pair<std::size_t, std::string>> write_rows(RecordWriter& writer,
                                                            const nb::list& rows) {
  GivenRows given(writer);
  std::vector<FieldValue> values;
  std::vector<nb::object> owners;
  const auto mistake_in = [&](const nb::dict& row) -> FieldMistake {
    values.clear();
    owners.clear();
    for (const RecordField& field : writer.header().schema.fields()) {
      CheckedValue checked = check_value(field, row);
      if (checked.mistake) return checked.mistake;
      values.push_back(checked.value);
      owners.push_back(std::move(checked.owner));
    }
    return {};
  };
  for (const nb::handle row : rows) {
    const FieldMistake mistake = mistake_in(nb::cast<nb::dict>(row));
    mistake ? given.drop(mistake) : given.add(values);
  }
  const nb::gil_scoped_release release;
  given.write();
  return given.dropped();
}

std::unique_ptr<RecordWriter> create_writer(const std::vector<std::string>& files, bool overwrite,
                                            const std::string& schema,
                                            const std::string& description,
                                            std::vector<std::string> index_fields,
                                            std::int64_t header_size, std::int64_t page_size,
                                            bool may_grow) {
  RecordHeader header;
  header.schema = RecordSchema::from_json(parse_json(schema, "schema"));
  header.description = description;
  header.index_fields =
      index_fields.empty() ? header.schema.default_index() : std::move(index_fields);
  header.schema.check_index(header.index_fields);
  header.header_size = header_size;
  header.page_size = page_size;
  const nb::gil_scoped_release release;
  return RecordWriter::create(files, overwrite, header, may_grow);
}

std::shared_ptr<const MindRecordSource> opened(const nb::dict& arguments) {
  const Parameters parameters = parameters_from_dict(arguments);
  return unlocked([&] { return MindRecordSource::open(parameters); });
}

// A set open for reading, with chosen columns.
class RecordReader {
 public:
  explicit RecordReader(const nb::dict& arguments) : source_(opened(arguments)) {}

  const RecordSet& set() const { return source_->set(); }
  const RowReader& rows() const { return source_->reader(); }

  nb::dict read(std::int64_t row) const {
    std::vector<RowPart> parts;
    rows().read_parts(row, parts);
    nb::dict result;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const RecordField& field = *rows().fields()[i];
      result[field.name.c_str()] = record_object(field, parts[i], set().header().version);
    }
    set().shard_of(row).check_touched();
    return result;
  }

  // The stored hash of a file and a piece of what it was made from, for hash functions of users.
  nb::bytes digest(std::size_t shard) const {
    return bytes_object(set().shards().at(shard).content().digest());
  }
  nb::bytes content(std::size_t shard, std::size_t begin, std::size_t bytes) const {
    const ByteView all = set().shards().at(shard).content().bytes();
    const ByteView piece = all.substr(std::min(begin, all.size()), bytes);
    nb::bytes copy = bytes_object(piece);
    set().shards().at(shard).check_touched();
    return copy;
  }

  nb::list category_rows(const std::string& field) const {
    const auto all = unlocked([&] { return categories(set(), field); });
    return list_of(all, [](const RecordCategory& category) {
      return nb::make_tuple(category.name, nb::cast(category.rows));
    });
  }

 private:
  std::shared_ptr<const MindRecordSource> source_;
};

// Rows of a set for the pipeline, followed by copies of one row of the user's, and how many rows
// every file has.
nb::tuple open_source(const nb::dict& arguments, const nb::dict& sample, std::int64_t count) {
  const auto source = opened(arguments);
  IndexedSourcePtr whole = source;
  if (count > 0) {
    Items items;
    for (const RecordField* field : source->reader().fields()) {
      if (!sample.contains(field->name.c_str()))
        fail(ErrorKind::Value, "padded_sample cannot match columns_list: '", field->name,
             "' is missing.");
      const CheckedValue checked = check_value(*field, sample);
      if (checked.mistake) fail(ErrorKind::Runtime, "padded_sample: ", checked.mistake.text);
      items.push_back(field_item(*field, checked.value));
    }
    whole = padded_source(source, std::move(items), count);
  }
  return nb::make_tuple(std::const_pointer_cast<IndexedSource>(whole), source->set().shard_rows());
}

}  // namespace

void bind_record(nb::module_& module) {
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<RecordWriter>(module, "RecordWriter")
      .def_static("create", create_writer)
      .def_static(
          "append_to",
          [](const std::string& file, const std::string& key, const std::string& mode,
             const std::string& hash, const std::string& plain) {
            return RecordWriter::append_to(file, {key, mode, hash}, plain);
          },
          unlocked)
      .def("write", write_rows)
      .def("finish", &RecordWriter::finish, unlocked)
      .def(
          "encrypt",
          [](RecordWriter& writer, const std::string& key, const std::string& mode) {
            writer.encrypt({key, mode, {}});
          },
          unlocked)
      .def("publish", &RecordWriter::publish, unlocked)
      .def("unpublished", &RecordWriter::unpublished)
      .def_prop_ro("schema", [](const RecordWriter& writer) {
        return writer.header().schema.to_json().text();
      });
  nb::class_<RecordReader>(module, "RecordReader")
      .def(nb::init<nb::dict>())
      .def("read", &RecordReader::read)
      .def("digest", &RecordReader::digest)
      .def("content", &RecordReader::content)
      .def("category_rows", &RecordReader::category_rows)
      .def_prop_ro("rows", [](const RecordReader& reader) { return reader.set().rows(); })
      .def_prop_ro("shard_rows",
                   [](const RecordReader& reader) { return reader.set().shard_rows(); })
      .def_prop_ro("columns", [](const RecordReader& reader) { return reader.rows().columns(); })
      .def_prop_ro("index_fields",
                   [](const RecordReader& reader) { return reader.set().header().index_fields; })
      .def_prop_ro(
          "schema",
          [](const RecordReader& reader) { return reader.set().schema().to_json().text(); })
      .def_prop_ro("header",
                   [](const RecordReader& reader) { return reader.set().header().text(); });
  module.def("check_record_schema", [](const std::string& schema) {
    return RecordSchema::from_json(parse_json(schema, "schema")).to_json().text();
  });
  module.def("check_record_index",
             [](const std::string& schema, const std::vector<std::string>& fields) {
               RecordSchema::from_json(parse_json(schema, "schema")).check_index(fields);
             });
  module.def("check_record_sizes", [](std::int64_t header_size, std::int64_t page_size) {
    check_header_size(header_size);
    check_page_size(page_size);
  });
  module.def("open_record_source", open_source);
  module.def("record_sampler", [](const std::string& shuffle, std::vector<std::int64_t> file_rows,
                                  std::int64_t padded, std::uint32_t seed, std::int64_t shards,
                                  std::int64_t shard, std::int64_t limit, bool replacement) {
    return record_sampler({record_shuffle(shuffle), std::move(file_rows), padded, seed, shards,
                           shard, limit, replacement});
  });
}

}  // namespace mycel::bindings
