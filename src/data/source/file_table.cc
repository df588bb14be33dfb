// SPDX-License-Identifier: Apache-2.0
// FileTable: a layout whose rows the layer above has listed. `columns` describes each column as
// "name=kind"; its values are the parameter of that name. Kinds: file, text_file, wave, rate_int32,
// rate_uint32 (both of the wave column before), string, int32, uint32, int64, float32. A kind may
// be followed by "*" (the row has entries of its own number, told by the parameter "<name>.counts")
// and by the shape of an entry: "bbox=float32*[4]".
#include <charconv>
#include <optional>

#include "data/source/files.h"
#include "data/source/registry.h"
#include "data/source/row_table.h"

namespace mycel::data {

namespace {

struct ColumnText {
  std::string name;
  std::string kind;
  Shape entry;
  RowForm form = RowForm::Fixed;
};

Shape parse_entry(std::string_view text) {
  Shape entry;
  if (text.empty()) return entry;
  for (const std::string& length : split_at(text.substr(1, text.size() - 2), ',')) {
    std::int64_t value = 0;
    platform::require(parse_number(length, value) && value > 0, ErrorKind::Internal,
                      "the shape of a column is no shape: ", text);
    entry.push_back(value);
  }
  return entry;
}

ColumnText parse_column(const std::string& text) {
  const std::size_t equals = text.find('=');
  platform::require(equals != std::string::npos, ErrorKind::Internal, "no kind in column ", text);
  ColumnText column{.name = text.substr(0, equals), .kind = text.substr(equals + 1), .entry = {}};
  const std::size_t bracket = column.kind.find('[');
  if (bracket != std::string::npos) {
    column.entry = parse_entry(std::string_view(column.kind).substr(bracket));
    column.kind.resize(bracket);
  }
  if (column.kind.ends_with('*')) {
    column.form = RowForm::Ragged;
    column.kind.pop_back();
  }
  return column;
}

// Pushes all values and ends the rows where the counts say so.
template <class Target, class Values>
void fill(Target& target, const ColumnText& column, Values values, const Parameters& parameters) {
  const std::int64_t entry_values = tensor::element_count(column.entry);
  std::size_t next = 0;
  const auto push_row = [&](std::int64_t entries) {
    for (std::int64_t i = 0; i < entries * entry_values; ++i) {
      platform::require(next < values.size(), ErrorKind::Runtime, "column '", column.name,
                        "' has fewer values than its counts say");
      target.push(std::move(values[next++]));
    }
    target.end_row();
  };
  if (column.form == RowForm::Ragged) {
    for (const std::int64_t entries : parameters.integers(column.name + ".counts"))
      push_row(entries);
  } else {
    while (next < values.size()) push_row(1);
  }
}

std::optional<FileUse> file_use(std::string_view kind) {
  if (kind == "file") return FileUse::Bytes;
  if (kind == "text_file") return FileUse::Text;
  if (kind == "wave") return FileUse::Wave;
  if (kind == "rate_int32") return FileUse::WaveRateInt32;
  if (kind == "rate_uint32") return FileUse::WaveRateUInt32;
  return std::nullopt;
}

DType number_type(std::string_view kind) {
  for (const DType dtype : {DType::Int32, DType::UInt32, DType::Int64, DType::Float32})
    if (tensor::python_name(dtype) == kind) return dtype;
  platform::fail(ErrorKind::Internal, "there is no kind of column '", kind, "'");
}

ColumnPtr value_column(const ColumnText& column, const Parameters& parameters) {
  if (column.kind == "string") {
    auto texts = std::make_shared<TextColumn>(column.entry, column.form);
    fill(*texts, column, parameters.strings(column.name), parameters);
    return texts;
  }
  auto numbers =
      std::make_shared<NumberColumn>(number_type(column.kind), column.entry, column.form);
  fill(*numbers, column, parameters.reals(column.name), parameters);
  return numbers;
}

IndexedSourcePtr open_table(const Parameters& parameters) {
  auto table = std::make_shared<RowTable>();
  Paths waves;
  for (const std::string& text : parameters.strings("columns")) {
    const ColumnText column = parse_column(text);
    const std::optional<FileUse> use = file_use(column.kind);
    if (!use) {
      table->add(column.name, value_column(column, parameters));
      continue;
    }
    const bool is_rate = column.kind.starts_with("rate_");
    platform::require(!is_rate || waves, ErrorKind::Internal, "a rate needs a wave before it");
    Paths paths =
        is_rate ? waves : std::make_shared<const Strings>(parameters.strings(column.name));
    if (*use == FileUse::Wave) waves = paths;
    const std::string seconds = column.name + ".seconds";
    table->add(column.name, parameters.has(seconds)
                                ? wave_part_column(std::move(paths), parameters.reals(seconds))
                            : *use == FileUse::Bytes ? picture_column(std::move(paths), parameters)
                                                     : file_column(std::move(paths), *use));
  }
  if (table->rows() == 0)
    nothing_to_read(parameters.string("dataset"), parameters.string("what"),
                    parameters.string("path"));
  return table;
}

MYCEL_SOURCE(FileTable, open_table);

}  // namespace

}  // namespace mycel::data
