// SPDX-License-Identifier: Apache-2.0
#include "serving/worker/frame.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>

namespace mycel::serving {
namespace {

using platform::Error;
using platform::ErrorKind;
using platform::Result;

constexpr std::size_t kMostInstances = 1 << 20;
constexpr std::size_t kMostValues = 1 << 16;
constexpr std::array<std::byte, kDataAlignment> kNothing{};

std::size_t aligned(std::size_t size) {
  return (size + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
}

class Writer {
 public:
  template <class Number>
  void number(Number value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    text_ += value;
  }
  void value(const Value& value) {
    number(static_cast<std::uint8_t>(value.type));
    number(static_cast<std::uint8_t>(value.dims.size()));
    for (const std::int64_t length : value.dims) number(length);
    number(static_cast<std::uint64_t>(value.bytes.size()));
  }
  const std::string& done() const { return text_; }

 private:
  std::string text_;
};

// Reads what a Writer wrote. Past the end everything is zero, and `is_whole` says so.
class Reader {
 public:
  Reader(std::string_view text, std::span<const std::byte> data) : rest_(text), data_(data) {}
  template <class Number>
  Number number() {
    Number value{};
    if (rest_.size() < sizeof value) return fail(), value;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const auto size = number<std::uint32_t>();
    if (rest_.size() < size) return fail(), std::string();
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }
  // A count of things that take at least a byte each in what is left.
  std::size_t count(std::size_t limit) {
    const auto value = number<std::uint32_t>();
    if (value <= limit && value <= rest_.size()) return value;
    return fail(), 0;
  }
  // Its bytes are as many as they will be, but not in their place yet.
  Value value() {
    Value value;
    value.type = static_cast<ElementType>(number<std::uint8_t>());
    const auto rank = number<std::uint8_t>();
    if (value.type == ElementType::Unknown || value.type > ElementType::BFloat16 ||
        rank > kMostDims)
      return fail(), value;
    for (std::size_t i = 0; i < rank; ++i) value.dims.push_back(number<std::int64_t>());
    const auto size = number<std::uint64_t>();
    if (size > data_.size()) return fail(), value;
    value.bytes = data_.first(size);
    return value;
  }
  void fail() {
    is_whole_ = false;
    rest_ = {};
  }
  bool is_done() const { return is_whole_ && rest_.empty(); }

 private:
  std::string_view rest_;
  std::span<const std::byte> data_;
  bool is_whole_ = true;
};

std::string beginning(FrameKind kind, std::uint64_t id, std::string_view description,
                      std::size_t data_bytes) {
  const FrameHead head{
      .kind = kind, .id = id, .description_bytes = description.size(), .data_bytes = data_bytes};
  std::string text(reinterpret_cast<const char*>(&head), sizeof head);
  return text += description;
}

// Calls `visit` for every value that is there, column by column; a column begins aligned. Instances
// that have no more are dropped: the work is that of the values, whatever their counts.
template <class One, class Visit, class Align>
void each_by_column(std::vector<One*> instances, const Visit& visit, const Align& align) {
  for (std::size_t column = 0;; ++column) {
    std::erase_if(instances, [&](const One* instance) { return column >= instance->size(); });
    if (instances.empty()) return;
    align();
    for (One* instance : instances) visit((*instance)[column]);
  }
}

OutgoingFrame with_data(FrameKind kind, std::uint64_t id, const Writer& description,
                        const std::vector<const Instance*>& instances) {
  OutgoingFrame frame;
  std::size_t size = 0;
  const auto align = [&] {
    const std::size_t gap = aligned(size) - size;
    if (gap != 0) frame.data.push_back(std::span(kNothing).first(gap));
    size += gap;
  };
  const auto add = [&](const Value& value) {
    if (value.bytes.empty()) return;
    size += value.bytes.size();
    const bool continues =
        !frame.data.empty() &&
        frame.data.back().data() + frame.data.back().size() == value.bytes.data() &&
        !frame.owners.empty() && frame.owners.back() == value.owner;
    if (continues) {
      frame.data.back() = {frame.data.back().data(), frame.data.back().size() + value.bytes.size()};
      return;
    }
    frame.data.push_back(value.bytes);
    frame.owners.push_back(value.owner);
  };
  each_by_column(instances, add, align);
  frame.beginning = beginning(kind, id, description.done(), size);
  return frame;
}

// Gives the values their places in the data. False: there is less, or more, than they say.
bool place(const std::vector<Instance*>& instances, const std::shared_ptr<std::byte[]>& data,
           std::size_t data_bytes) {
  std::size_t at = 0;
  bool fits = true;
  const auto align = [&] { at = aligned(at); };
  const auto put = [&](Value& value) {
    const std::size_t size = value.bytes.size();
    fits = fits && at <= data_bytes && size <= data_bytes - at;
    if (!fits) return;
    value.bytes = {data.get() + at, size};
    value.owner = data;
    at += size;
    const Result<std::size_t> checked = check(value);
    fits = static_cast<bool>(checked);
  };
  each_by_column(instances, put, align);
  // Columns of nothing but empty values at the end leave the last gap unwritten.
  return fits && aligned(at) == aligned(data_bytes);
}

Error broken(std::string_view what) {
  return Error(ErrorKind::Runtime,
               platform::join("serving: a ", what, " between processes is broken"));
}

Instance read_instance(Reader& reader) {
  Instance instance;
  const std::size_t count = reader.count(kMostValues);
  for (std::size_t i = 0; i < count; ++i) instance.push_back(reader.value());
  return instance;
}

void write_instance(Writer& writer, const Instance& instance) {
  writer.number(static_cast<std::uint32_t>(instance.size()));
  for (const Value& value : instance) writer.value(value);
}

}  // namespace

Result<FrameHead> check_head(const FrameHead& head) {
  const bool fits = head.magic == FrameHead::kMagic && head.kind <= FrameKind::Stop &&
                    head.description_bytes <= FrameHead::kMostDescriptionBytes &&
                    head.data_bytes <= FrameHead::kMostDataBytes;
  if (!fits) return broken("frame");
  return head;
}

std::shared_ptr<std::byte[]> take_data(std::size_t size) {
  constexpr std::align_val_t kAlign{kDataAlignment};
  auto* bytes = static_cast<std::byte*>(::operator new(std::max<std::size_t>(size, 1), kAlign));
  return {bytes, [](std::byte* own) { ::operator delete(own, kAlign); }};
}

std::size_t OutgoingFrame::size() const {
  std::size_t total = beginning.size();
  for (const std::span<const std::byte> part : data) total += part.size();
  return total;
}

OutgoingFrame write_text(FrameKind kind, std::uint64_t id, std::string_view text) {
  return {beginning(kind, id, text, 0), {}, {}};
}

OutgoingFrame write_run(FrameKind kind, std::uint64_t id, const RunOrder& order) {
  Writer writer;
  writer.number(static_cast<std::uint8_t>(order.kind));
  writer.number(order.target);
  writer.number(order.subgraph);
  writer.number(order.batch_size);
  writer.text(order.tag);
  writer.number(static_cast<std::uint32_t>(order.instances.size()));
  std::vector<const Instance*> all;
  for (const Instance& instance : order.instances) {
    write_instance(writer, instance);
    all.push_back(&instance);
  }
  return with_data(kind, id, writer, all);
}

OutgoingFrame write_result(std::uint64_t id, std::span<const Outcome> outcomes,
                           std::chrono::nanoseconds busy) {
  Writer writer;
  writer.number(static_cast<std::uint32_t>(outcomes.size()));
  std::vector<const Instance*> all;
  for (const Outcome& outcome : outcomes) {
    if (const auto* failure = std::get_if<Failure>(&outcome)) {
      writer.number(static_cast<std::uint8_t>(failure->code));
      writer.text(failure->text);
      continue;
    }
    writer.number(static_cast<std::uint8_t>(FailureCode::None));
    write_instance(writer, std::get<Instance>(outcome));
    all.push_back(&std::get<Instance>(outcome));
  }
  OutgoingFrame frame = with_data(FrameKind::Result, id, writer, all);
  reinterpret_cast<FrameHead*>(frame.beginning.data())->busy_nanoseconds =
      static_cast<std::uint64_t>(busy.count());
  return frame;
}

Result<RunOrder> read_run(std::string_view description, const std::shared_ptr<std::byte[]>& data,
                          std::size_t data_bytes) {
  Reader reader(description, {data.get(), data_bytes});
  RunOrder order;
  order.kind = static_cast<StageKind>(reader.number<std::uint8_t>());
  order.target = reader.number<std::uint32_t>();
  order.subgraph = reader.number<std::uint32_t>();
  order.batch_size = reader.number<std::uint32_t>();
  order.tag = reader.text();
  const std::size_t count = reader.count(kMostInstances);
  for (std::size_t i = 0; i < count; ++i) order.instances.push_back(read_instance(reader));
  std::vector<Instance*> all;
  for (Instance& instance : order.instances) all.push_back(&instance);
  if (!reader.is_done() || order.kind > StageKind::Function || !place(all, data, data_bytes))
    return broken("run");
  return order;
}

Result<std::vector<Outcome>> read_result(std::string_view description,
                                         const std::shared_ptr<std::byte[]>& data,
                                         std::size_t data_bytes) {
  Reader reader(description, {data.get(), data_bytes});
  std::vector<Outcome> outcomes;
  const std::size_t count = reader.count(kMostInstances);
  for (std::size_t i = 0; i < count; ++i) {
    const auto code = static_cast<FailureCode>(reader.number<std::uint8_t>());
    if (code > FailureCode::Cancelled) return broken("result");
    if (code == FailureCode::None) {
      outcomes.emplace_back(read_instance(reader));
    } else {
      outcomes.emplace_back(Failure{code, reader.text()});
    }
  }
  std::vector<Instance*> all;
  for (Outcome& outcome : outcomes)
    if (auto* instance = std::get_if<Instance>(&outcome)) all.push_back(instance);
  if (!reader.is_done() || !place(all, data, data_bytes)) return broken("result");
  return outcomes;
}

}  // namespace mycel::serving
