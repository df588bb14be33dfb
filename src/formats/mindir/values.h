// SPDX-License-Identifier: Apache-2.0
// Attributes of MindIR messages as values.
#pragma once

#include <string>
#include <string_view>

#include "formats/message/message_view.h"
#include "formats/mindir/stored_tensors.h"
#include "operator/datum.h"

namespace mycel::formats::mindir {

using op::Datum;

// Stands for the order of side effects; carries no value.
class Monad final : public op::Opaque {
 public:
  std::string_view kind() const override { return "Monad"; }
};
Datum monad();
inline bool is_monad(const Datum& datum) { return datum.opaque<Monad>() != nullptr; }

// Something a file knows by its name only; nothing is looked up for it.
class Named final : public op::Opaque {
 public:
  Named(std::string what, std::string its_name)
      : name(std::move(its_name)), what_(std::move(what)) {}
  std::string_view kind() const override { return what_; }
  const std::string name;

 private:
  std::string what_;
};

// A registered calculation on shapes, with its state.
class Functor final : public op::Opaque {
 public:
  Functor(std::string its_name, Datum its_state)
      : name(std::move(its_name)), state(std::move(its_state)) {}
  std::string_view kind() const override { return "calculation on shapes"; }
  const std::string name;
  const Datum state;
};

// Makes values of AttributeProto messages.
class ValueReader {
 public:
  // Tensors are constants of that emitter.
  ValueReader(TensorReader& tensors, op::Emitter& emitter) : tensors_(tensors), emitter_(emitter) {}
  Datum value(const MessageView& attribute) const { return value(attribute, 0); }
  op::Emitter& emitter() const { return emitter_; }

 private:
  Datum value(const MessageView& attribute, int depth) const;
  Datum tensor_or_type(const std::vector<MessageView>& tensors, std::string_view name) const;
  Datum dictionary(const MessageView& attribute, int depth) const;
  Datum older_value(const MessageView& attribute) const;
  std::vector<Datum> older_leaves(const MessageView& attribute, std::string_view family) const;

  TensorReader& tensors_;
  op::Emitter& emitter_;
};

}  // namespace mycel::formats::mindir
