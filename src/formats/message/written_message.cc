// SPDX-License-Identifier: Apache-2.0
#include "formats/message/written_message.h"

#include <algorithm>

#include "formats/message/tensor_bytes.h"
#include "platform/error/error.h"
#include "platform/protobuf/message.h"

namespace mycel::formats {

using platform::MessageWriter;

namespace {

// Tensors from this size on are not copied.
constexpr std::size_t kLarge = std::size_t{1} << 16;

std::size_t varint_size(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

std::size_t head_size(const FieldSpec& spec) {
  return varint_size(std::uint64_t{spec.number} << 3);
}

std::size_t size_with_length(std::size_t size) { return varint_size(size) + size; }

std::size_t size_of_value(const FieldSpec&, std::int64_t value) {
  return varint_size(static_cast<std::uint64_t>(value));
}
std::size_t size_of_value(const FieldSpec& spec, double) {
  return spec.kind == FieldKind::Float ? sizeof(float) : sizeof(double);
}
std::size_t size_of_value(const FieldSpec&, const std::string& value) {
  return size_with_length(value.size());
}
std::size_t size_of_value(const FieldSpec&, const WrittenMessage& value) {
  return size_with_length(value.size());
}

void put_value(MessageWriter& writer, const FieldSpec& spec, std::int64_t value) {
  writer.varint(spec.number, static_cast<std::uint64_t>(value));
}
void put_value(MessageWriter& writer, const FieldSpec& spec, double value) {
  if (spec.kind == FieldKind::Float)
    writer.fixed32(spec.number, static_cast<float>(value));
  else
    writer.fixed64(spec.number, value);
}
void put_value(MessageWriter& writer, const FieldSpec& spec, const std::string& value) {
  writer.bytes(spec.number, value);
}

}  // namespace

const WrittenMessage::Field* WrittenMessage::find(std::string_view name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const Field& field) { return field.spec->name == name; });
  return found == fields_.end() ? nullptr : &*found;
}

WrittenMessage::Field& WrittenMessage::field(std::string_view name) {
  if (const Field* found = find(name)) return const_cast<Field&>(*found);
  const FieldSpec* spec = spec_->find(name);
  platform::require(spec != nullptr, platform::ErrorKind::Internal, "a message ", spec_->name,
                    " has no field ", name);
  const auto later = std::find_if(fields_.begin(), fields_.end(), [&](const Field& field) {
    return field.spec->number > spec->number;
  });
  return *fields_.insert(later, {spec, {}});
}

template <class Value>
std::vector<Value>& WrittenMessage::values(std::string_view name) {
  Values& values = field(name).values;
  if (!std::holds_alternative<std::vector<Value>>(values)) values = std::vector<Value>();
  return std::get<std::vector<Value>>(values);
}

WrittenMessage& WrittenMessage::put(std::string_view name, std::int64_t value) {
  values<std::int64_t>(name).push_back(value);
  return *this;
}

WrittenMessage& WrittenMessage::put(std::string_view name, double value) {
  values<double>(name).push_back(value);
  return *this;
}

WrittenMessage& WrittenMessage::put(std::string_view name, std::string value) {
  values<std::string>(name).push_back(std::move(value));
  return *this;
}

WrittenMessage& WrittenMessage::put(std::string_view name, tensor::Tensor content) {
  field(name).values = std::move(content);
  return *this;
}

WrittenMessage& WrittenMessage::put(std::string_view name, WrittenMessage value) {
  values<WrittenMessage>(name).push_back(std::move(value));
  return *this;
}

WrittenMessage& WrittenMessage::put_all(std::string_view name, std::vector<WrittenMessage> all) {
  if (!all.empty()) values<WrittenMessage>(name) = std::move(all);
  return *this;
}

WrittenMessage& WrittenMessage::put_all(std::string_view name, const tensor::Shape& all) {
  if (!all.empty()) values<std::int64_t>(name).assign(all.begin(), all.end());
  return *this;
}

WrittenMessage& WrittenMessage::message(std::string_view name) {
  const FieldSpec* spec = spec_->find(name);
  auto& all = values<WrittenMessage>(name);
  return all.emplace_back(*spec->message);
}

std::string_view WrittenMessage::text(std::string_view name) const {
  const Field* found = find(name);
  return found == nullptr ? std::string_view()
                          : std::get<std::vector<std::string>>(found->values).front();
}

std::vector<std::string> WrittenMessage::texts(std::string_view name) const {
  const Field* found = find(name);
  return found == nullptr ? std::vector<std::string>()
                          : std::get<std::vector<std::string>>(found->values);
}

std::vector<std::int64_t> WrittenMessage::integers(std::string_view name) const {
  const Field* found = find(name);
  return found == nullptr ? std::vector<std::int64_t>()
                          : std::get<std::vector<std::int64_t>>(found->values);
}

void WrittenMessage::set_integer(std::string_view name, std::int64_t value) {
  values<std::int64_t>(name) = {value};
}

std::span<WrittenMessage> WrittenMessage::messages(std::string_view name) {
  if (!has(name)) return {};
  return values<WrittenMessage>(name);
}

std::span<const WrittenMessage> WrittenMessage::messages(std::string_view name) const {
  const Field* found = find(name);
  if (found == nullptr) return {};
  return std::get<std::vector<WrittenMessage>>(found->values);
}

std::size_t WrittenMessage::size() const {
  std::size_t total = 0;
  for (const Field& field : fields_) {
    const std::size_t head = head_size(*field.spec);
    if (const auto* content = std::get_if<tensor::Tensor>(&field.values)) {
      total += head + size_with_length(content->bytes());
      continue;
    }
    std::visit(
        [&]<class Kind>(const Kind& values) {
          if constexpr (!std::is_same_v<Kind, tensor::Tensor>)
            for (const auto& value : values) total += head + size_of_value(*field.spec, value);
        },
        field.values);
  }
  return total;
}

void WrittenMessage::encode(const Sink& sink) const {
  std::string pending;
  encode(pending, sink);
  sink(pending);
}

void WrittenMessage::encode(std::string& pending, const Sink& sink) const {
  MessageWriter writer(pending);
  for (const Field& field : fields_) {
    if (const auto* content = std::get_if<tensor::Tensor>(&field.values)) {
      const tensor::Tensor here = dense(*content);
      writer.bytes_head(field.spec->number, here.bytes());
      if (here.bytes() < kLarge) {
        pending.append(bytes_of(here));
        continue;
      }
      sink(pending);
      sink(bytes_of(here));
      pending.clear();
    } else if (const auto* messages = std::get_if<std::vector<WrittenMessage>>(&field.values)) {
      for (const WrittenMessage& message : *messages) {
        writer.bytes_head(field.spec->number, message.size());
        message.encode(pending, sink);
      }
    } else {
      std::visit(
          [&]<class Kind>(const Kind& values) {
            if constexpr (requires { put_value(writer, *field.spec, values.front()); })
              for (const auto& value : values) put_value(writer, *field.spec, value);
          },
          field.values);
    }
  }
}

bool WrittenMessage::operator==(const WrittenMessage& other) const {
  return spec_ == other.spec_ && fields_ == other.fields_;
}

bool WrittenMessage::Field::operator==(const Field& other) const {
  if (spec != other.spec || values.index() != other.values.index()) return false;
  if (const auto* content = std::get_if<tensor::Tensor>(&values))
    return are_same(*content, std::get<tensor::Tensor>(other.values));
  return values == other.values;
}

}  // namespace mycel::formats
