// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/message/written_message.h"
#include "formats/writing/known_constants.h"
#include "formats/writing/network.h"
#include "operator/mindir_symbol.h"

namespace mycel::formats::mindir {

class GraphWriter;

// A parameter, whose content is in the message or in a file beside it.
struct Weight {
  WrittenMessage entry;  // all but the content
  tensor::Tensor tensor;
  std::string_view name() const { return entry.text("name"); }
};

// What the graphs of a file share.
struct FileWriter {
  op::Emitter& emitter;
  bool is_for_all_sizes = false;
  std::map<std::string, std::string> primitives = {};
  std::vector<WrittenMessage> primitive_entries = {};
  std::vector<Weight> weights = {};
  std::vector<std::unique_ptr<GraphWriter>> functions = {};
  std::set<std::string> taken = {};
  std::size_t count = 0;

  std::string number() { return std::to_string(++count); }
  // The name, or with a number behind it where something has it already.
  std::string free(const std::string& name);
};

// A graph of a file while it grows.
class GraphWriter final : public op::mindir::Graph {
 public:
  using Value = writing::Value;
  using Node = writing::Node;
  using Names = std::vector<std::string>;

  GraphWriter(FileWriter& file, const std::string& name, GraphWriter* above = nullptr)
      : file_(file), name_(file.free(name)), above_(above) {}

  const std::string& name() const { return name_; }
  // The name of a value in this graph; a branch gets it as an input from the graph above.
  std::string name_of(const Value& value);
  void name_values(const std::vector<Value>& values, const Names& names);
  op::mindir::Symbol symbol(const Value& value);

  void add_input(const Value& argument, const std::string& name);
  void add_parameter(Node& node);
  // Reads a parameter now, before anything writes to it.
  void load(Node& node);
  // Writes a value to a parameter, after all that was read and written before.
  void store(const Node& parameter, const Value& value);

  // What the graph returns: one value, or a tuple.
  void set_results(const std::vector<Value>& values);

  // ---- functions ----
  // A graph of its own, which gets what it uses from this one as inputs.
  GraphWriter& function(const std::string& suffix);
  // A graph of its own with these inputs and no others.
  GraphWriter& loop_function(const std::string& suffix, const std::vector<Value>& values,
                             const std::vector<const Node*>& parameters);
  // What such a function is called with.
  Names given(const std::vector<Value>& values, const std::vector<const Node*>& parameters);
  const Names& passed() const { return passed_; }  // what the graph above gives for the inputs
  Names call_function(const GraphWriter& function, Names inputs,
                      std::span<const op::TensorSpec> types);
  // The result is that of a function.
  void set_call(const GraphWriter& function, Names inputs, std::span<const op::TensorSpec> types);
  struct Choice {
    const GraphWriter& function;
    Names inputs;
  };
  // The result is that of the first function where a condition holds, else that of the second.
  void set_choice(const std::string& condition, const Choice& first, const Choice& second,
                  std::span<const op::TensorSpec> types);

  // ---- what rules write with ----
  std::string call(std::string_view primitive, Names inputs, std::span<const op::TensorSpec> types,
                   bool is_tuple, const op::mindir::NamedList& attributes) override;
  std::string constant(const op::Datum& value) override;
  op::Emitter& emitter() override { return file_.emitter; }
  bool is_for_all_sizes() const override { return file_.is_for_all_sizes; }
  std::int64_t type_number(tensor::DType dtype) const override;

  // Puts the graph into its message.
  void write_nodes(WrittenMessage& graph) const;
  void write_ends(WrittenMessage& graph) const;

 private:
  void add_value(const Value& value);
  void add_input_message(const std::string& name, WrittenMessage type);
  std::string parameter(const Node& node);
  std::string input_parameter(const Node& node);
  std::string new_weight(const Node& node);
  std::string& order();
  std::string add_call(std::string_view primitive, Names inputs, const WrittenMessage* result,
                       const op::mindir::NamedList& attributes);
  std::string call_by_name(const std::string& function, Names inputs,
                           std::span<const op::TensorSpec> types);
  std::string primitive(std::string_view kind, const op::mindir::NamedList& attributes);
  std::string add_constant(const op::Datum& value);

  FileWriter& file_;
  std::string name_;
  GraphWriter* above_;  // the graph that uses this one as a function
  std::vector<WrittenMessage> nodes_, inputs_;
  WrittenMessage output_{*value_info()};
  std::map<Value, std::string> names_;
  std::map<std::string, std::string> constants_;
  writing::KnownConstants tensors_;
  Names passed_;
  std::unordered_map<const Node*, std::string> parameters_, loaded_;
  std::string order_;  // of what parameters were read and written so far

  static const MessageSpec* value_info();
};

}  // namespace mycel::formats::mindir
