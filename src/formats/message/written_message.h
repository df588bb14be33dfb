// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "formats/message/message_spec.h"
#include "tensor/tensor.h"

namespace mycel::formats {

// A message that is put together to be written.
class WrittenMessage {
 public:
  struct Field;
  using Values =
      std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>,
                   tensor::Tensor, std::vector<WrittenMessage>>;

  explicit WrittenMessage(const MessageSpec& spec);

  // One more value of a field; of a field that is not repeated, the value.
  WrittenMessage& put(std::string_view name, std::int64_t value);
  WrittenMessage& put(std::string_view name, bool value) {
    return put(name, static_cast<std::int64_t>(value));
  }
  WrittenMessage& put(std::string_view name, int value) {
    return put(name, static_cast<std::int64_t>(value));
  }
  WrittenMessage& put(std::string_view name, double value);
  WrittenMessage& put(std::string_view name, std::string value);
  WrittenMessage& put(std::string_view name, const char* value) {
    return put(name, std::string(value));
  }
  WrittenMessage& put(std::string_view name, tensor::Tensor content);  // its bytes, dense
  WrittenMessage& put(std::string_view name, WrittenMessage value);
  WrittenMessage& put_all(std::string_view name, std::vector<WrittenMessage> values);
  WrittenMessage& put_all(std::string_view name, const tensor::Shape& values);
  // An empty message, as a value of a field.
  WrittenMessage& message(std::string_view name);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::string_view text(std::string_view name) const;  // empty where there is none
  std::vector<std::string> texts(std::string_view name) const;
  std::vector<std::int64_t> integers(std::string_view name) const;
  void set_integer(std::string_view name, std::int64_t value);
  std::span<WrittenMessage> messages(std::string_view name);
  std::span<const WrittenMessage> messages(std::string_view name) const;

  const MessageSpec& spec() const { return *spec_; }
  const std::vector<Field>& fields() const { return fields_; }
  std::vector<Field>& fields() { return fields_; }

  std::size_t size() const;  // of the bytes
  // Gives the bytes part by part; those of large tensors as they lie in memory.
  using Sink = std::function<void(std::string_view)>;
  void encode(const Sink& sink) const;
  bool operator==(const WrittenMessage& other) const;

 private:
  void encode(std::string& pending, const Sink& sink) const;
  const Field* find(std::string_view name) const;
  Field& field(std::string_view name);  // made where it is not there
  template <class Value>
  std::vector<Value>& values(std::string_view name);

  const MessageSpec* spec_;
  std::vector<Field> fields_;  // by ascending number
};

struct WrittenMessage::Field {
  const FieldSpec* spec;
  Values values;
  bool operator==(const Field& other) const;
};

// Here, where a field is known in whole: not every compiler can make a list of others.
inline WrittenMessage::WrittenMessage(const MessageSpec& spec) : spec_(&spec) {}

}  // namespace mycel::formats
