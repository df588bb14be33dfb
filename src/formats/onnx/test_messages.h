// SPDX-License-Identifier: Apache-2.0
// ONNX files of a few nodes, for tests.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "platform/protobuf/message.h"

namespace mycel::formats::onnx {

class Message {
 public:
  Message& number(std::uint32_t field, std::uint64_t value) {
    writer().varint(field, value);
    return *this;
  }
  Message& text(std::uint32_t field, std::string_view value) {
    writer().bytes(field, value);
    return *this;
  }
  Message& inner(std::uint32_t field, const Message& message) { return text(field, message.out_); }
  const std::string& content() const { return out_; }

 private:
  platform::MessageWriter writer() { return platform::MessageWriter(out_); }
  std::string out_;
};

using Names = std::initializer_list<std::string_view>;

inline Message node(std::string_view kind, Names inputs, Names outputs) {
  Message message;
  for (const std::string_view name : inputs) message.text(1, name);
  for (const std::string_view name : outputs) message.text(2, name);
  return message.text(4, kind);
}

inline Message with_graph(Message node, std::string_view attribute, const Message& graph) {
  return node.inner(5, Message().text(1, attribute).number(20, 5).inner(6, graph));
}

inline Message with_integer(Message node, std::string_view attribute, std::uint64_t value) {
  return node.inner(5, Message().text(1, attribute).number(20, 2).number(3, value));
}

inline Message named(std::string_view name) { return Message().text(1, name); }

// A tensor with `elem_type` and no axis.
inline Message single(std::string_view name, std::uint64_t type) {
  return named(name).inner(2, Message().inner(1, Message().number(1, type).inner(2, Message())));
}

// A tensor with `elem_type` and one axis of a length.
inline Message described(std::string_view name, std::uint64_t type, std::uint64_t length) {
  const Message shape = Message().inner(1, Message().number(1, length));
  return named(name).inner(2, Message().inner(1, Message().number(1, type).inner(2, shape)));
}

inline Message floats(std::string_view name, const std::vector<float>& values) {
  const std::string raw(reinterpret_cast<const char*>(values.data()), values.size() * 4);
  return Message().number(1, values.size()).number(2, 1).text(8, name).text(9, raw);
}

inline Message scalar(std::string_view name, float value) {
  const std::string raw(reinterpret_cast<const char*>(&value), 4);
  return Message().number(2, 1).text(8, name).text(9, raw);
}

inline Message whole(std::string_view name, std::int64_t value) {
  const std::string raw(reinterpret_cast<const char*>(&value), 8);
  return Message().number(2, 7).text(8, name).text(9, raw);
}

inline std::string model(const Message& graph, std::vector<Message> functions = {},
                         int opset = 17) {
  Message made;
  made.number(1, 8).inner(7, graph);
  made.inner(8, Message().number(2, static_cast<std::uint64_t>(opset)));
  for (const Message& function : functions) made.inner(25, function);
  return made.content();
}

inline Message adding() {
  return Message()
      .inner(1, node("Add", {"x", "w"}, {"y"}))
      .text(2, "sum")
      .inner(5, floats("w", {1, 2, 3}))
      .inner(11, described("x", 1, 3))
      .inner(12, named("y"));
}

// Halves the number x until it is not greater than 1.
inline Message halving() {
  const Message body = Message()
                           .inner(1, node("Mul", {"state", "half"}, {"next"}))
                           .inner(1, node("Greater", {"next", "one"}, {"more"}))
                           .inner(11, named("turn"))
                           .inner(11, named("go"))
                           .inner(11, named("state"))
                           .inner(12, named("more"))
                           .inner(12, named("next"));
  return Message()
      .inner(1, node("Greater", {"x", "one"}, {"first"}))
      .inner(1, with_graph(node("Loop", {"", "first", "x"}, {"y"}), "body", body))
      .text(2, "halving")
      .inner(5, scalar("one", 1))
      .inner(5, scalar("half", 0.5F))
      .inner(11, single("x", 1))
      .inner(12, named("y"));
}

// x + the sum of the numbers of turns, of which there are as many as x says, or as `turns` does.
// Where `keeps_rows`, the sums after every turn besides.
inline Message counting(std::int64_t turns = 0, bool keeps_rows = false) {
  Message body = Message()
                     .inner(1, with_integer(node("Cast", {"turn"}, {"real"}), "to", 1))
                     .inner(1, node("Add", {"state", "real"}, {"next"}))
                     .inner(1, node("Identity", {"next"}, {"row"}))
                     .inner(11, named("turn"))
                     .inner(11, named("go"))
                     .inner(11, named("state"))
                     .inner(12, named("go"))
                     .inner(12, named("next"));
  Message loop = node("Loop", {turns == 0 ? "count" : "fixed", "", "x"}, {"y"});
  if (keeps_rows) {
    body.inner(12, named("row"));
    loop.text(2, "rows");
  }
  Message graph = Message()
                      .inner(1, with_integer(node("Cast", {"x"}, {"count"}), "to", 7))
                      .inner(1, with_graph(loop, "body", body))
                      .text(2, "counting")
                      .inner(5, whole("fixed", turns))
                      .inner(11, single("x", 1))
                      .inner(12, named("y"));
  if (keeps_rows) graph.inner(12, named("rows"));
  return graph;
}

// -x where x is positive, its square otherwise.
inline Message deciding() {
  const Message when = Message().inner(1, node("Neg", {"x"}, {"a"})).inner(12, named("a"));
  const Message when_not = Message().inner(1, node("Mul", {"x", "x"}, {"b"})).inner(12, named("b"));
  return Message()
      .inner(1, node("Greater", {"x", "zero"}, {"holds"}))
      .inner(1, with_graph(with_graph(node("If", {"holds"}, {"y"}), "then_branch", when),
                           "else_branch", when_not))
      .text(2, "deciding")
      .inner(5, scalar("zero", 0))
      .inner(11, single("x", 1))
      .inner(12, named("y"));
}

}  // namespace mycel::formats::onnx
