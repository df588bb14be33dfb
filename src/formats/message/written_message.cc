// SPDX-License-Identifier: Apache-2.0
#include "formats/message/written_message.h"

#include <algorithm>
#include <cstring>

#include "platform/error/error.h"
#include "platform/protobuf/message.h"

namespace mycel::formats {

using platform::Wire;

namespace {

std::size_t varint_size(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

char* put_varint(char* target, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *target++ = static_cast<char>(value | 0x80);
  *target++ = static_cast<char>(value);
  return target;
}

template <class Number>
char* put_fixed(char* target, Number value) {
  std::memcpy(target, &value, sizeof value);
  return target + sizeof value;
}

char* put_bytes(char* target, const void* bytes, std::size_t size) {
  if (size > 0) std::memcpy(target, bytes, size);
  return target + size;
}

std::size_t head_size(const FieldSpec& spec) {
  return varint_size(std::uint64_t{spec.number} << 3);
}

char* put_head(char* target, const FieldSpec& spec, Wire wire) {
  return put_varint(target, std::uint64_t{spec.number} << 3 | static_cast<std::uint64_t>(wire));
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

char* put_value(char* target, const FieldSpec& spec, std::int64_t value) {
  return put_varint(put_head(target, spec, Wire::Varint), static_cast<std::uint64_t>(value));
}
char* put_value(char* target, const FieldSpec& spec, double value) {
  if (spec.kind == FieldKind::Float)
    return put_fixed(put_head(target, spec, Wire::Fixed32), static_cast<float>(value));
  return put_fixed(put_head(target, spec, Wire::Fixed64), value);
}
char* put_value(char* target, const FieldSpec& spec, const std::string& value) {
  target = put_varint(put_head(target, spec, Wire::Bytes), value.size());
  return put_bytes(target, value.data(), value.size());
}
char* put_value(char* target, const FieldSpec& spec, const WrittenMessage& value) {
  return value.encode(put_varint(put_head(target, spec, Wire::Bytes), value.size()));
}

tensor::Tensor dense(const tensor::Tensor& tensor) {
  const tensor::Tensor known = tensor.readable();
  const bool is_here = known.device().backend == device::kHostBackend;
  return tensor::contiguous(is_here ? known : tensor::copy_to_device(known, {}));
}

bool have_same_bytes(const tensor::Tensor& a, const tensor::Tensor& b) {
  if (a == b) return true;
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(dense(a).raw(), dense(b).raw(), a.bytes()) == 0;
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

char* WrittenMessage::encode(char* target) const {
  for (const Field& field : fields_) {
    std::visit(
        [&]<class Kind>(const Kind& values) {
          if constexpr (std::is_same_v<Kind, tensor::Tensor>) {
            target = put_varint(put_head(target, *field.spec, Wire::Bytes), values.bytes());
            target = put_bytes(target, dense(values).raw(), values.bytes());
          } else {
            for (const auto& value : values) target = put_value(target, *field.spec, value);
          }
        },
        field.values);
  }
  return target;
}

bool WrittenMessage::operator==(const WrittenMessage& other) const {
  return spec_ == other.spec_ && fields_ == other.fields_;
}

bool WrittenMessage::Field::operator==(const Field& other) const {
  if (spec != other.spec || values.index() != other.values.index()) return false;
  if (const auto* content = std::get_if<tensor::Tensor>(&values))
    return have_same_bytes(*content, std::get<tensor::Tensor>(other.values));
  return values == other.values;
}

}  // namespace mycel::formats
