// SPDX-License-Identifier: Apache-2.0
#include "data/row_codec.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>

#include "data/lent_array.h"

namespace mycel::data {

using platform::Error;
using platform::fail;
using platform::join;

namespace {

constexpr std::uint32_t kMark = 0x31'77'6F'72;  // "row1"
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmallAlignment = 16;

struct Head {
  std::uint32_t mark;
  std::uint32_t values;
  std::uint64_t size;
  std::uint32_t file_size;
  std::uint32_t unused;
};

struct Entry {
  RowReader::Kind kind;
  std::uint8_t dtype;
  std::uint16_t rank;
  std::uint32_t unused;
  std::uint64_t begin;
  std::uint64_t size;
};

std::size_t rounded_up(std::size_t size, std::size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

std::size_t payload_begin(std::size_t position, std::size_t size) {
  return rounded_up(position, size < kAlignment ? kSmallAlignment : kAlignment);
}

std::size_t text_size(const TextArray& text) {
  std::size_t size = text.values.size() * sizeof(std::uint64_t);
  for (const std::string_view value : text.values) size += value.size();
  return size;
}

Entry entry_of(const Item& item, const std::vector<std::string>& columns, std::size_t number) {
  if (item.is_object()) {
    const std::string name = number < columns.size() ? columns[number] : join(number);
    fail(
        ErrorKind::Runtime, "The column '", name, "' holds ", item.type_name(),
        ", which cannot be stored in a cache: only arrays, numbers and text can. Turn it into one ",
        "of these, or put the cache below the operation that makes it.");
  }
  Entry entry{};
  if (item.empty()) return entry;
  require(item.shape().size() <= std::numeric_limits<std::uint16_t>::max(), ErrorKind::Internal,
          "an array of a row has too many dimensions");
  entry.rank = static_cast<std::uint16_t>(item.shape().size());
  if (item.is_array()) {
    entry.kind = RowReader::Kind::Array;
    entry.dtype = static_cast<std::uint8_t>(item.array().dtype());
    entry.size = item.array().bytes();
    return entry;
  }
  entry.kind = item.text().is_bytes ? RowReader::Kind::Bytes : RowReader::Kind::Text;
  entry.size = text_size(item.text());
  return entry;
}

template <class T>
T read(Bytes bytes, std::size_t position) {
  T value;
  std::memcpy(&value, bytes.data() + position, sizeof value);
  return value;
}

// Nothing: a negative dimension, or more elements than can be counted, also if one dimension is 0.
std::optional<std::uint64_t> count_of(const Shape& shape) {
  std::int64_t count = 1;
  bool is_empty = false;
  for (const std::int64_t length : shape) {
    if (length < 0) return std::nullopt;
    is_empty = is_empty || length == 0;
    if (__builtin_mul_overflow(count, std::max<std::int64_t>(length, 1), &count))
      return std::nullopt;
  }
  return is_empty ? 0 : static_cast<std::uint64_t>(count);
}

bool are_ends_in_order(Bytes payload, std::uint64_t count) {
  const std::uint64_t strings = payload.size() - count * sizeof(std::uint64_t);
  std::uint64_t before = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto end = read<std::uint64_t>(payload, i * sizeof(std::uint64_t));
    if (end < before || end > strings) return false;
    before = end;
  }
  return before == strings;
}

bool is_sound(const RowReader::Value& value) {
  using Kind = RowReader::Kind;
  if (value.kind == Kind::Empty) return value.payload.empty();
  const std::optional<std::uint64_t> count = count_of(value.shape);
  if (!count) return false;
  std::uint64_t size = 0;
  const std::size_t each = value.kind == Kind::Array ? size_of(value.dtype) : sizeof(std::uint64_t);
  if (__builtin_mul_overflow(*count, std::uint64_t{each}, &size)) return false;
  if (value.kind == Kind::Array) return size == value.payload.size();
  return size <= value.payload.size() && are_ends_in_order(value.payload, *count);
}

Error no_row(const char* reason) {
  return {ErrorKind::Runtime, join("The bytes of a stored row are damaged: ", reason, ".")};
}

}  // namespace

void RowEncoder::append(const void* data, std::size_t size) {
  if (size == 0) return;
  if (!parts_.empty() && parts_.back().data == nullptr)
    parts_.back().size += size;
  else
    parts_.push_back({nullptr, own_.size(), size});
  own_.append(static_cast<const char*>(data), size);
  size_ += size;
}

void RowEncoder::lend(const void* data, std::size_t size) {
  constexpr std::size_t kCheaperCopied = 256;
  if (size <= kCheaperCopied) return append(data, size);
  parts_.push_back({data, 0, size});
  size_ += size;
}

void RowEncoder::pad_to(std::size_t position) {
  static constexpr std::array<char, kAlignment> kZeros{};
  append(kZeros.data(), position - size_);
}

void RowEncoder::append_text(const TextArray& text) {
  std::uint64_t end = 0;
  for (const std::string_view value : text.values) {
    end += value.size();
    append(&end, sizeof end);
  }
  for (const std::string_view value : text.values) lend(value.data(), value.size());
}

std::span<const Bytes> RowEncoder::encode(const Items& items, std::string_view file,
                                          const std::vector<std::string>& columns) {
  own_.clear();
  parts_.clear();
  size_ = 0;
  std::vector<Entry> entries;
  entries.reserve(items.size());
  std::size_t position = sizeof(Head) + file.size();
  for (std::size_t i = 0; i < items.size(); ++i) {
    entries.push_back(entry_of(items[i], columns, i));
    position += sizeof(Entry) + entries.back().rank * sizeof(std::int64_t);
  }
  for (Entry& entry : entries) {
    entry.begin = payload_begin(position, entry.size);
    position = entry.begin + entry.size;
  }
  const Head head{kMark, static_cast<std::uint32_t>(items.size()), position,
                  static_cast<std::uint32_t>(file.size()), 0};
  append(&head, sizeof head);
  for (std::size_t i = 0; i < items.size(); ++i) {
    append(&entries[i], sizeof(Entry));
    append(items[i].shape().data(), entries[i].rank * sizeof(std::int64_t));
  }
  append(file.data(), file.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    pad_to(entries[i].begin);
    if (items[i].is_array())
      lend(entries[i].size == 0 ? nullptr : items[i].array().raw(), entries[i].size);
    else if (items[i].is_text())
      append_text(items[i].text());
  }
  result_.clear();
  for (const Part& part : parts_) {
    const void* const data = part.data == nullptr ? own_.data() + part.begin : part.data;
    result_.emplace_back(static_cast<const std::byte*>(data), part.size);
  }
  return result_;
}

Result<RowReader> RowReader::open(Bytes bytes) {
  if (bytes.size() < sizeof(Head)) return no_row("they end early");
  const auto head = read<Head>(bytes, 0);
  if (head.mark != kMark) return no_row("they are no row");
  if (head.size != bytes.size()) return no_row("their number is wrong");
  RowReader reader;
  std::size_t position = sizeof(Head);
  if (head.values > (bytes.size() - position) / sizeof(Entry)) return no_row("they end early");
  reader.values_.reserve(head.values);
  for (std::uint32_t i = 0; i < head.values; ++i) {
    if (bytes.size() - position < sizeof(Entry)) return no_row("they end early");
    const auto entry = read<Entry>(bytes, position);
    position += sizeof(Entry);
    if (entry.kind > Kind::Bytes || entry.dtype >= tensor::kDTypeCount)
      return no_row("a type is unknown");
    if ((bytes.size() - position) / sizeof(std::int64_t) < entry.rank)
      return no_row("they end early");
    Value& value = reader.values_.emplace_back();
    value.kind = entry.kind;
    value.dtype = static_cast<DType>(entry.dtype);
    for (std::uint16_t axis = 0; axis < entry.rank; ++axis, position += sizeof(std::int64_t))
      value.shape.push_back(read<std::int64_t>(bytes, position));
    if (entry.begin > bytes.size() || entry.size > bytes.size() - entry.begin)
      return no_row("a value lies outside of them");
    value.payload = bytes.subspan(entry.begin, entry.size);
    if (!is_sound(value)) return no_row("a value does not fit its shape");
  }
  if (bytes.size() - position < head.file_size) return no_row("they end early");
  reader.file_ = {reinterpret_cast<const char*>(bytes.data() + position), head.file_size};
  return reader;
}

namespace {

Item text_item(const RowReader::Value& value, const std::shared_ptr<const void>& owner) {
  const std::uint64_t count = *count_of(value.shape);
  const auto* const strings =
      reinterpret_cast<const char*>(value.payload.data()) + count * sizeof(std::uint64_t);
  std::vector<std::string_view> views;
  views.reserve(count);
  std::uint64_t begin = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto end = read<std::uint64_t>(value.payload, i * sizeof(std::uint64_t));
    views.emplace_back(strings + begin, end - begin);
    begin = end;
  }
  return Ref<TextArray>(
      new TextArray(std::move(views), owner, value.shape, value.kind == RowReader::Kind::Bytes));
}

}  // namespace

Item RowReader::item(std::size_t number, const std::shared_ptr<const void>& owner) const {
  const Value& value = values_[number];
  if (value.kind == Kind::Empty) return {};
  if (value.kind != Kind::Array) return text_item(value, owner);
  const auto address = reinterpret_cast<std::uintptr_t>(value.payload.data());
  const bool is_aligned = address % std::min<std::size_t>(size_of(value.dtype), 16) == 0;
  if (is_aligned && !value.payload.empty())
    return lent_array(value.payload, value.dtype, value.shape, owner);
  Tensor copy = Tensor::empty(value.shape, value.dtype);
  if (!value.payload.empty()) std::memcpy(copy.raw(), value.payload.data(), value.payload.size());
  return copy;
}

Items RowReader::items(const std::shared_ptr<const void>& owner) const {
  Items items;
  items.reserve(values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) items.push_back(item(i, owner));
  return items;
}

}  // namespace mycel::data
