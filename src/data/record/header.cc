// SPDX-License-Identifier: Apache-2.0
#include "data/record/header.h"

#include <algorithm>
#include <set>

namespace mycel::data {

using platform::fail;
using platform::require;

namespace {

constexpr std::int64_t kMaxRows = std::int64_t{1} << 40;

Json names_list(const std::vector<std::string>& names) {
  Json::Array list;
  for (const std::string& name : names) list.emplace_back(name);
  return list;
}

// Empty lists are written as null.
Json list_or_null(Json::Array list) { return list.empty() ? Json() : Json(std::move(list)); }

Json index_json(const std::vector<std::string>& fields) {
  Json::Array list;
  for (const std::string& field : fields) {
    Json::Object entry;
    entry.emplace_back("index_field", field);
    entry.emplace_back("schema_id", 0);
    list.emplace_back(std::move(entry));
  }
  return list_or_null(std::move(list));
}

Json page_json(const RecordPage& page, std::int64_t id, std::int64_t shard) {
  Json::Array groups;
  const std::vector<RowGroup> none{{0, 0}};
  for (const RowGroup& group : page.type == PageType::Raw ? page.groups : none) {
    Json::Object entry;
    entry.emplace_back("id", group.id);
    entry.emplace_back("offset", group.offset);
    groups.emplace_back(std::move(entry));
  }
  Json::Object json;
  json.emplace_back("end_row_id", page.last_row);
  json.emplace_back("page_id", id);
  json.emplace_back("page_size", page.used);
  json.emplace_back("page_type", page.type == PageType::Raw ? "RAW_DATA" : "BLOB_DATA");
  json.emplace_back("page_type_id", page.type_id);
  json.emplace_back("row_group_ids", list_or_null(std::move(groups)));
  json.emplace_back("shard_id", shard);
  json.emplace_back("start_row_id", page.first_row);
  return json;
}

Json schema_json(const RecordHeader& header) {
  Json::Object entry;
  entry.emplace_back("blob_fields", names_list(header.schema.blob_names()));
  entry.emplace_back("desc", header.description);
  entry.emplace_back("schema", header.schema.to_json());
  Json::Array list;
  list.emplace_back(std::move(entry));
  return list;
}

// A whole number of the header, within bounds.
std::int64_t number(const Json& parent, std::string_view name, std::int64_t low,
                    std::int64_t high) {
  const std::int64_t value = parent.at(name).integer();
  require(low <= value && value <= high, ErrorKind::Runtime, "'", name, "' must be in [", low, ", ",
          high, "], but got ", value);
  return value;
}

RecordPage parse_page(const Json& json, std::int64_t position, std::int64_t page_size) {
  RecordPage page;
  const std::string& type = json.at("page_type").string();
  require(type == "RAW_DATA" || type == "BLOB_DATA", ErrorKind::Runtime, "'page_type' of page ",
          position, " must be RAW_DATA or BLOB_DATA, but got ", type);
  page.type = type == "RAW_DATA" ? PageType::Raw : PageType::Blob;
  number(json, "page_id", position, position);
  page.type_id = number(json, "page_type_id", 0, kMaxRows);
  page.used = number(json, "page_size", 0, page_size);
  page.first_row = number(json, "start_row_id", 0, kMaxRows);
  page.last_row = number(json, "end_row_id", 0, kMaxRows);
  const Json& groups = json.at("row_group_ids");
  if (page.type == PageType::Blob || groups.is_null()) return page;
  for (const Json& group : groups.array())
    page.groups.push_back(
        {number(group, "id", 0, kMaxRows), number(group, "offset", 0, page.used)});
  return page;
}

// Blob pages hold the rows one after another, and each has its scalars in exactly one raw page.
void check_pages(const std::vector<RecordPage>& pages) {
  std::int64_t rows = 0;
  std::int64_t blobs = 0;
  std::set<std::int64_t> groups;
  for (const RecordPage& page : pages) {
    for (const RowGroup& group : page.groups)
      require(groups.insert(group.id).second, ErrorKind::Runtime, "row group ", group.id,
              " lies in two raw pages");
    if (page.type != PageType::Blob) continue;
    require(page.type_id == blobs, ErrorKind::Runtime, "'page_type_id' of a blob page must be ",
            blobs, ", but got ", page.type_id);
    require(page.first_row == rows && page.last_row >= rows, ErrorKind::Runtime,
            "the rows of blob page ", blobs, " must begin at ", rows, ", but got [", page.first_row,
            ", ", page.last_row, ")");
    // Every row has at least the length of its blob there.
    require((page.last_row - page.first_row) <= page.used / 8, ErrorKind::Runtime, "blob page ",
            blobs, " of ", page.used, " bytes cannot hold ", page.last_row - page.first_row,
            " rows");
    rows = page.last_row;
    ++blobs;
  }
  const auto expected = static_cast<std::size_t>(blobs);
  require(groups.size() == expected && (groups.empty() || *groups.rbegin() == blobs - 1),
          ErrorKind::Runtime, "there are ", blobs, " blob pages, but raw pages name ",
          groups.size(), " row groups");
}

void parse_schema(const Json& list, RecordHeader& header) {
  require(list.is_array() && list.array().size() == 1, ErrorKind::Runtime,
          "'schema' must be a list with one element");
  const Json& entry = list.array().front();
  header.description = entry.at("desc").string();
  header.schema = RecordSchema::from_json(entry.at("schema"));
  std::vector<std::string> blobs;
  if (const Json& names = entry.at("blob_fields"); !names.is_null())
    for (const Json& name : names.array()) blobs.push_back(name.string());
  require(blobs == header.schema.blob_names(), ErrorKind::Runtime,
          "'blob_fields' are not the blob fields of the schema");
}

void parse_index(const Json& list, RecordHeader& header) {
  if (list.is_null()) return;
  for (const Json& entry : list.array())
    header.index_fields.push_back(entry.at("index_field").string());
  for (const std::string& name : header.index_fields) {
    const RecordField* field = header.schema.find(name);
    require(field != nullptr && !field->is_blob(), ErrorKind::Runtime, "'", name,
            "' is an index field, but not a scalar of the schema");
  }
}

void parse_into(const Json& json, const std::string& file, RecordHeader& header) {
  const std::string& version = json.at("version").string();
  require(version == "2.0" || version == "3.0", ErrorKind::Runtime,
          "Invalid file, the version of mindrecord file ", file, " must be 2.0 or 3.0, but got ",
          version);
  header.version = version == "2.0" ? 2 : 3;
  header.header_size = number(json, "header_size", kMinHeaderBytes, kMaxHeaderBytes);
  header.page_size = number(json, "page_size", kMinPageBytes, kMaxPageBytes);
  if (const Json* saved = json.find("compression_size"))
    header.compression_size = std::max<std::int64_t>(saved->integer(), 0);
  parse_schema(json.at("schema"), header);
  parse_index(json.at("index_fields"), header);
  for (const Json& name : json.at("shard_addresses").array())
    header.shard_names.push_back(name.string());
  require(!header.shard_names.empty() && header.shard_names.size() <= 1000, ErrorKind::Runtime,
          "'shard_addresses' must name 1 to 1000 files");
  for (const std::string& name : header.shard_names)
    require(!name.empty() && name != "." && name != ".." && name.find('/') == name.npos &&
                name.find('\0') == name.npos,
            ErrorKind::Runtime, "'shard_addresses' must hold base names of files, but got '", name,
            "'");
  header.shard = number(json, "shard_id", 0, 1000);
  if (const Json* statistics = json.find("statistics")) header.statistics = statistics->text();
  if (const Json& pages = json.at("page"); !pages.is_null())
    for (const Json& page : pages.array())
      header.pages.push_back(
          parse_page(page, static_cast<std::int64_t>(header.pages.size()), header.page_size));
  check_pages(header.pages);
}

}  // namespace

std::int64_t RecordHeader::rows() const {
  std::int64_t rows = 0;
  for (const RecordPage& page : pages)
    if (page.type == PageType::Blob) rows = page.last_row;
  return rows;
}

std::string RecordHeader::text() const {
  Json::Array page_list;
  for (std::size_t i = 0; i < pages.size(); ++i)
    page_list.push_back(page_json(pages[i], static_cast<std::int64_t>(i), shard));
  Json::Object json;
  json.emplace_back("header_size", header_size);
  json.emplace_back("index_fields", index_json(index_fields));
  json.emplace_back("page", list_or_null(std::move(page_list)));
  json.emplace_back("page_size", page_size);
  if (version >= 3) json.emplace_back("compression_size", compression_size);
  json.emplace_back("schema", schema_json(*this));
  json.emplace_back("shard_addresses", names_list(shard_names));
  json.emplace_back("shard_id", shard);
  json.emplace_back("statistics", parse_json(statistics, "statistics"));
  json.emplace_back("version", version == 2 ? "2.0" : "3.0");
  return Json(std::move(json)).text();
}

RecordHeader parse_header(std::string_view text, const std::string& file) {
  RecordHeader header;
  try {
    parse_into(parse_json(text, "header"), file, header);
  } catch (const platform::Error& error) {
    fail(ErrorKind::Runtime, "Invalid file, failed to parse the header content of file ", file,
         ": ", error.message());
  }
  return header;
}

void check_same_set(const RecordHeader& first, const RecordHeader& other, const std::string& file) {
  const char* what = nullptr;
  if (first.header_size != other.header_size) what = "header_size";
  if (first.page_size != other.page_size) what = "page_size";
  if (first.version != other.version) what = "version";
  if (first.index_fields != other.index_fields) what = "index_fields";
  if (!(first.schema == other.schema)) what = "schema";
  if (what != nullptr)
    fail(ErrorKind::Runtime, "Invalid data, the metadata of mindrecord file: ", file,
         " is different from others (", what,
         "), please make sure all the mindrecord files are generated by the same script.");
}

void check_header_size(std::int64_t bytes) {
  require(kMinHeaderBytes <= bytes && bytes <= kMaxHeaderBytes && bytes % 4 == 0,
          ErrorKind::Runtime, "Invalid data, header size: ", bytes, " should be in range [",
          kMinHeaderBytes, ", ", kMaxHeaderBytes, "] and divisible by 4.");
}

void check_page_size(std::int64_t bytes) {
  require(kMinPageBytes <= bytes && bytes <= kMaxPageBytes && bytes % 4 == 0, ErrorKind::Runtime,
          "Invalid data, page size: ", bytes, " should be in range [", kMinPageBytes, ", ",
          kMaxPageBytes, "] and divisible by 4.");
}

}  // namespace mycel::data
