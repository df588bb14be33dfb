// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/written_values.h"

#include <bit>

#include "formats/mindir/messages.h"
#include "operator/stored_call.h"
#include "platform/error/error.h"

namespace mycel::formats::mindir {

using op::Datum;

namespace {

// Kinds of values in attributes.
constexpr int kFloat = 1, kInt64 = 7, kString = 8, kBool = 9, kTensors = 19, kTuple = 20,
              kMonad = 23, kNone = 25;
constexpr const char* kTensorName = "value0";

void put_tensor(WrittenMessage& attribute, WrittenMessage tensor) {
  attribute.put("type", kTensors).put("tensors", std::move(tensor));
}

// `is_inside`: an element of a tuple, whose numbers are lists of one.
void put_value(WrittenMessage& attribute, const Datum& value, bool is_inside) {
  if (value.is_none()) {
    attribute.put("type", kNone);
  } else if (value.opaque<Monad>()) {
    attribute.put("type", kMonad);
  } else if (value.is_bool()) {
    attribute.put(is_inside ? "ints" : "i", value.flag()).put("type", kBool);
  } else if (value.is_int()) {
    attribute.put(is_inside ? "ints" : "i", value.integer()).put("type", kInt64);
  } else if (value.is_real()) {
    attribute.put(is_inside ? "floats" : "f", value.real()).put("type", kFloat);
  } else if (value.is_text()) {
    attribute.put(is_inside ? "strings" : "s", value.text()).put("type", kString);
  } else if (value.is_sequence()) {
    attribute.put("type", kTuple);
    for (const Datum& item : value.items()) put_value(attribute.message("values"), item, true);
  } else if (value.is_tensor()) {
    const tensor::Tensor& content = value.tensor().tensor();
    WrittenMessage tensor = type_message({content.dtype(), content.shape()});
    tensor.put("name", kTensorName).put("raw_data", content);
    put_tensor(attribute, std::move(tensor));
  } else {
    platform::require(value.is_dtype(), platform::ErrorKind::Internal, "no file holds a ",
                      value.type_name());
    WrittenMessage type(tensor_spec());  // a tensor without elements
    type.put("name", kTensorName).put("data_type", op::stored_number(value.dtype()));
    put_tensor(attribute, std::move(type));
  }
}

}  // namespace

const MessageSpec& node_spec() { return mindir_graph().part("node"); }
const MessageSpec& attribute_spec() { return node_spec().part("attribute"); }
const MessageSpec& primitive_spec() { return mindir_model().part("primitives"); }
const MessageSpec& tensor_spec() { return mindir_graph().part("parameter"); }
const MessageSpec& value_info_spec() { return mindir_graph().part("input"); }

WrittenMessage type_message(const op::TensorSpec& type) {
  WrittenMessage message(tensor_spec());
  message.put_all("dims", type.shape).put("data_type", op::stored_number(type.dtype));
  return message;
}

WrittenMessage attribute_message(std::string name, const Datum& value) {
  WrittenMessage attribute(attribute_spec());
  attribute.put("name", std::move(name));
  put_value(attribute, value, false);
  return attribute;
}

WrittenMessage result_message(std::span<const op::TensorSpec> types, bool is_tuple) {
  WrittenMessage attribute(attribute_spec());
  attribute.put("name", "shape");
  if (!is_tuple) {
    put_tensor(attribute, type_message(types[0]));
    return attribute;
  }
  attribute.put("type", kTuple);
  for (const op::TensorSpec& type : types)
    put_tensor(attribute.message("values"), type_message(type));
  attribute.message("seq_info").put("is_dyn_len", false);
  return attribute;
}

std::string key_of(const Datum& value) {
  if (value.is_bool()) return value.flag() ? "True" : "False";
  if (value.is_int()) return std::to_string(value.integer());
  if (value.is_real()) return platform::join("float ", std::bit_cast<std::uint64_t>(value.real()));
  if (value.is_text()) return platform::join("'", value.text(), "'");
  if (value.is_dtype()) return std::string(tensor::name_of(value.dtype()));
  if (!value.is_sequence()) return value.type_name();
  std::string key = "(";
  for (const Datum& item : value.items()) key += key_of(item) + ",";
  return key + ")";
}

}  // namespace mycel::formats::mindir
