// SPDX-License-Identifier: Apache-2.0
// MindIR files of a few nodes, for tests.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/protobuf/message.h"

namespace mycel::formats::mindir {

using platform::MessageWriter;

inline std::string message(const std::function<void(MessageWriter&)>& fill) {
  std::string bytes;
  MessageWriter writer(bytes);
  fill(writer);
  return bytes;
}

inline std::string node(std::string_view output, std::string_view op_type,
                        const std::vector<std::string_view>& inputs,
                        std::string_view attribute = {}) {
  return message([&](MessageWriter& writer) {
    for (const std::string_view input : inputs) writer.bytes(1, input);
    writer.bytes(2, output);
    writer.bytes(4, op_type);
    if (!attribute.empty()) writer.bytes(5, attribute);
  });
}

inline std::string tensor_type(std::string_view name) {
  const std::string type = message([&](MessageWriter& writer) { writer.varint(2, 1); });
  return message([&](MessageWriter& writer) {
    writer.bytes(1, name);
    writer.bytes(2, type);
  });
}

inline std::string number(double value) {
  return message([&](MessageWriter& writer) {
    writer.bytes(1, "value");
    writer.fixed32(2, static_cast<float>(value));
    writer.varint(16, 1);
  });
}

struct GraphParts {
  std::string_view name;
  std::vector<std::string_view> inputs;
  std::vector<std::string> nodes;
  std::vector<std::string_view> outputs;
};

inline std::string graph(const GraphParts& parts) {
  return message([&](MessageWriter& writer) {
    for (const std::string& one : parts.nodes) writer.bytes(1, one);
    writer.bytes(2, parts.name);
    for (const std::string_view input : parts.inputs) {
      const bool is_plain = input.starts_with("plain");
      writer.bytes(
          5, is_plain ? message([&](MessageWriter& w) { w.bytes(1, input); }) : tensor_type(input));
    }
    for (const std::string_view output : parts.outputs) writer.bytes(6, tensor_type(output));
  });
}

inline std::string file(const GraphParts& top, const std::vector<GraphParts>& functions = {}) {
  return message([&](MessageWriter& writer) {
    writer.bytes(2, "MindSpore");
    writer.bytes(5, "2.3.0");
    writer.bytes(7, graph(top));
    for (const GraphParts& function : functions) writer.bytes(8, graph(function));
  });
}

// Halves x until it is below 1: the head calls itself through a switch.
inline std::string halving() {
  const GraphParts top{"top", {"x"}, {node("y", "REF::head", {"x"})}, {"y"}};
  const GraphParts head{
      "head",
      {"h"},
      {node("one", "Constant", {}, number(1)), node("is_large", "GreaterEqual", {"h", "one"}),
       node("chosen", "Switch", {"is_large", "body", "end"}), node("r", "REF::chosen", {})},
      {"r"}};
  const GraphParts body{"body",
                        {},
                        {node("half", "Constant", {}, number(0.5)),
                         node("less", "Mul", {"h", "half"}), node("b", "REF::head", {"less"})},
                        {"b"}};
  const GraphParts end{"end", {}, {node("e", "Neg", {"h"})}, {"e"}};
  return file(top, {head, body, end});
}

}  // namespace mycel::formats::mindir
