// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "formats/mindir/types.h"
#include "formats/program/graph.h"
#include "operator/stored_call.h"

namespace mycel::formats::mindir {

class Primitive;
using StructuralWork = Datum (*)(const Primitive& primitive, std::span<const Datum> arguments,
                                 Host& host);

// A primitive of a file. Only operators that compute from their arguments are ever looked up for a
// name, so that a file cannot reach anything else.
class Primitive final : public Function {
 public:
  // `is_function`: all arguments come in the call, in the order of the operator's definition.
  Primitive(std::string_view op_type, op::DatumMap attributes, bool is_function, Version version);

  Datum call(std::span<const Datum> arguments, Host& host) const override;
  std::string_view name() const override { return name_; }
  bool is_passing() const override;
  bool is_depend() const override { return name_ == "Depend" || name_ == "depend"; }
  bool is_writing() const;  // into a parameter
  bool may_write() const;   // the same, or it depends on what it is called with
  const Datum& attribute(std::string_view name) const;
  Version version() const { return version_; }
  // The same with one more argument, which is added per channel; null: there is no such operator.
  std::shared_ptr<const Primitive> with_bias() const;

  // What it reads of a parameter must not follow what is written later.
  void copy_what_is_read() { copies_ = true; }
  bool copies() const { return copies_; }

 private:
  std::string name_;
  op::DatumMap attributes_;
  bool is_function_;
  Version version_;
  bool copies_ = false;
  // What does the work: the first of these that there is.
  StructuralWork structural_ = nullptr;
  const op::StoredMapping* mapping_ = nullptr;
  const op::OpDef* definition_ = nullptr;
};

// A primitive that passes values on, chooses among them, or computes with numbers and shapes; null:
// it is none of these.
StructuralWork structural_work(std::string_view name);

// Something built in that a file calls by name: a class of primitives or a function over
// structures.
std::shared_ptr<const Function> built_in(std::string_view kind, std::string_view name,
                                         Version version);

// Calls an operator of the registry as a primitive of a file.
struct RegisteredCall {
  const op::OpDef& definition;
  std::string_view name;  // in the file
  const op::DatumMap& attributes;
  bool is_function;
  Version version;
};
Datum call_registered(const RegisteredCall& call, std::span<const Datum> arguments,
                      op::Emitter& emitter);
const op::OpDef* registered_primitive(std::string_view name);

// Numbers stand for types and for texts where everything comes in the call; what one means depends
// on the parameter it is given for. Anything else stays as it is.
Datum converted(std::string_view op, std::string_view parameter, const Datum& datum,
                Version version);

}  // namespace mycel::formats::mindir
