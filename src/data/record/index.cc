// SPDX-License-Identifier: Apache-2.0
#include "data/record/index.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <sqlite3.h>

namespace mycel::data {

using platform::fail;
using platform::join;
using platform::Path;
using platform::require;

namespace {

constexpr int kPlaceColumns = 8;
constexpr std::uint32_t kUnseen = ~std::uint32_t{0};

class Database {
 public:
  Database(const Path& path, int flags) : path_(path.string()) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(path_.c_str(), &opened, flags, nullptr);
    handle_.reset(opened);
    if (code != SQLITE_OK) mistake("open");
  }
  [[noreturn]] void mistake(std::string_view action) const {
    fail(ErrorKind::Runtime, "Failed to ", action, " meta file ", path_, ": ",
         sqlite3_errmsg(handle_.get()));
  }
  void run(const std::string& sql) const {
    if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
      mistake(join("execute the sql [ ", sql, " ] on"));
  }
  sqlite3* get() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

class Statement {
 public:
  Statement(const Database& database, const std::string& sql) : database_(database) {
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(database.get(), sql.c_str(), -1, &prepared, nullptr) != SQLITE_OK)
      database.mistake(join("execute the sql [ ", sql, " ] on"));
    handle_.reset(prepared);
  }
  bool step() const {  // false: no more rows
    const int code = sqlite3_step(handle_.get());
    if (code != SQLITE_ROW && code != SQLITE_DONE) database_.mistake("step through");
    return code == SQLITE_ROW;
  }
  void reset() const { sqlite3_reset(handle_.get()); }
  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  void bind(int place, std::int64_t value) const {
    sqlite3_bind_int64(handle_.get(), place, value);
  }
  void bind(int place, const ScalarValue& value) const {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return bind(place, *integer);
    if (const auto* text = std::get_if<std::string_view>(&value)) {
      sqlite3_bind_text64(handle_.get(), place, text->data(), text->size(), SQLITE_STATIC,
                          SQLITE_UTF8);
    } else if (const double real = std::get<double>(value); std::isnan(real)) {
      sqlite3_bind_null(handle_.get(), place);  // SQL has no NaN
    } else {
      sqlite3_bind_double(handle_.get(), place, real);
    }
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

std::string_view column_type(const RecordField& field) {
  if (field.type == FieldType::String) return "TEXT";
  return field.is_integer() ? "INTEGER" : "REAL";
}

// The statement that makes the table and the one that fills it.
std::pair<std::string, std::string> table_statements(const RecordHeader& header) {
  std::string create =
      "CREATE TABLE INDEXES(ROW_ID INT NOT NULL,PAGE_ID_RAW INT NOT NULL,PAGE_OFFSET_RAW INT NOT "
      "NULL,PAGE_OFFSET_RAW_END INT NOT NULL,ROW_GROUP_ID INT NOT NULL,PAGE_ID_BLOB INT NOT "
      "NULL,PAGE_OFFSET_BLOB INT NOT NULL,PAGE_OFFSET_BLOB_END INT NOT NULL";
  std::string insert = "INSERT INTO INDEXES VALUES(?,?,?,?,?,?,?,?";
  std::string key = "PRIMARY KEY(ROW_ID";
  for (std::size_t i = 0; i < header.index_fields.size(); ++i) {
    const std::string& name = header.index_fields[i];
    create += join(",INC_", i, " INT,", name, "_0 ", column_type(*header.schema.find(name)));
    insert += ",0,?";
    key += join(",INC_", i);
  }
  return {create + "," + key + "))", insert + ")"};
}

// The index's values of a row, in the order of the index fields.
class IndexValues {
 public:
  explicit IndexValues(const RecordHeader& header) : decoder_(sorted(header.index_fields)) {
    for (const std::string& name : header.index_fields)
      places_.push_back(static_cast<std::size_t>(
          std::find(decoder_.names().begin(), decoder_.names().end(), name) -
          decoder_.names().begin()));
  }
  void bind(const Statement& insert, ByteView raw) {
    decoder_.decode(raw, values_);
    for (std::size_t i = 0; i < places_.size(); ++i)
      insert.bind(kPlaceColumns + static_cast<int>(i) + 1, values_[places_[i]]);
  }

 private:
  static std::vector<std::string> sorted(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return names;
  }
  ScalarDecoder decoder_;
  std::vector<std::size_t> places_;
  std::vector<ScalarValue> values_;
};

// What the index says about one row, against what the header says.
bool take_row(const Statement& select, const RecordLayout& layout, RowTable& table) {
  const std::int64_t row = select.integer(0);
  if (row < 0 || row >= layout.rows()) return false;
  const RowArea& area = layout.area_of(row);
  const std::int64_t raw = select.integer(2);
  const std::int64_t blob = select.integer(4);
  const auto used = [&](std::int64_t page) {
    return layout.header().pages[static_cast<std::size_t>(page)].used;
  };
  const bool fits = select.integer(1) == area.raw_page && select.integer(3) == area.blob_page &&
                    raw >= area.raw_offset && raw < used(area.raw_page) && blob >= 0 &&
                    blob < used(area.blob_page);
  const auto place = static_cast<std::size_t>(row);
  if (!fits || table.blob[place] != kUnseen) return false;
  table.raw[place] = static_cast<std::uint32_t>(raw);
  table.blob[place] = static_cast<std::uint32_t>(blob);
  return true;
}

// The first row of an area lies at its beginning, later ones behind, and the last one's lengths
// lead to the area's end: then the index was made for this file.
bool rows_follow(const RecordLayout& layout, const RowTable& table) {
  for (const RowArea& area : layout.areas()) {
    if (area.first_row == area.last_row) continue;
    const auto first = static_cast<std::size_t>(area.first_row);
    const auto last = static_cast<std::size_t>(area.last_row);
    if (table.raw[first] != area.raw_offset || table.blob[first] != 0) return false;
    for (std::size_t row = first + 1; row < last; ++row)
      if (table.raw[row] < table.raw[row - 1] + 8 || table.blob[row] < table.blob[row - 1] + 8)
        return false;
    const std::int64_t offset = table.blob[last - 1];
    const std::int64_t end =
        offset + 8 + static_cast<std::int64_t>(layout.entry(area.blob_page, offset).size());
    if (end != layout.header().pages[static_cast<std::size_t>(area.blob_page)].used) return false;
  }
  return true;
}

RowTable read_table(const Database& database, const RecordLayout& layout) {
  const auto rows = static_cast<std::size_t>(layout.rows());
  RowTable table{std::vector(rows, kUnseen), std::vector(rows, kUnseen)};
  const Statement select(database,
                         "SELECT ROW_ID,PAGE_ID_RAW,PAGE_OFFSET_RAW,PAGE_ID_BLOB,PAGE_OFFSET_BLOB "
                         "FROM INDEXES");
  std::size_t seen = 0;
  for (; select.step(); ++seen)
    require(take_row(select, layout, table), ErrorKind::Runtime, "its entry number ", seen,
            " does not fit the data");
  require(seen == rows, ErrorKind::Runtime, "Unequal number of index entries and data entries (",
          seen, " and ", rows, ").");
  require(rows_follow(layout, table), ErrorKind::Runtime, "its entries do not follow each other");
  return table;
}

}  // namespace

std::optional<RowTable> read_index(const Path& index, const RecordLayout& layout,
                                   std::string& reason) {
  std::error_code code;
  if (!std::filesystem::exists(index, code)) {
    reason = "it is missing";
    return std::nullopt;
  }
  try {
    const Database database(index, SQLITE_OPEN_READONLY | SQLITE_OPEN_PRIVATECACHE);
    database.run("PRAGMA trusted_schema=OFF");
    return read_table(database, layout);
  } catch (const platform::Error& error) {
    reason = error.message();
    return std::nullopt;
  }
}

void write_index(const Path& index, const std::string& name, const RecordLayout& layout,
                 const RowTable& table) {
  const Database database(index, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  // The file is a temporary one until all is written: no journal is needed, and whoever puts it in
  // place flushes it.
  database.run("PRAGMA journal_mode=OFF");
  database.run("PRAGMA synchronous=OFF");
  database.run("BEGIN");
  database.run("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)");
  const Statement shard(database, "INSERT INTO SHARD_NAME VALUES(?)");
  shard.bind(1, ScalarValue(std::string_view(name)));
  shard.step();
  const auto [create, fill] = table_statements(layout.header());
  database.run(create);
  const Statement insert(database, fill);
  IndexValues values(layout.header());
  std::int64_t group = 0;
  for (const RowArea& area : layout.areas()) {
    for (std::int64_t row = area.first_row; row < area.last_row; ++row) {
      const std::int64_t raw = table.raw[static_cast<std::size_t>(row)];
      const std::int64_t blob = table.blob[static_cast<std::size_t>(row)];
      const ByteView scalars = layout.entry(area.raw_page, raw);
      const std::int64_t places[kPlaceColumns] = {
          row,   area.raw_page,
          raw,   raw + 8 + static_cast<std::int64_t>(scalars.size()),
          group, area.blob_page,
          blob,  blob + 8 + static_cast<std::int64_t>(layout.entry(area.blob_page, blob).size())};
      for (int i = 0; i < kPlaceColumns; ++i) insert.bind(i + 1, places[i]);
      values.bind(insert, scalars);
      insert.step();
      insert.reset();
    }
    ++group;
  }
  database.run("COMMIT");
}

}  // namespace mycel::data
