// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "formats/mindir/primitive.h"
#include "operator/registry.h"
#include "platform/error/error.h"

namespace mycel::formats::mindir {

namespace {

using op::AttributeDef;
using op::OpDef;
using op::Value;
using platform::ErrorKind;

// ---- numbers that stand for something -----------------------------------------------------------

using Texts = std::map<std::int64_t, std::string_view>;

// Of an argument, by its name.
const Texts* texts_of(std::string_view op, std::string_view parameter) {
  static const std::map<std::string_view, Texts> known{
      {"data_format",
       {{0, "NCHW"},
        {1, "NHWC"},
        {14, "NCDHW"},
        {15, "NWC"},
        {16, "NCW"},
        {17, "NDHWC"},
        {20, "ND"}}},
      {"pad_mode", {{0, "pad"}, {1, "same"}, {2, "valid"}, {3, "full"}}},
      {"reduction", {{0, "sum"}, {1, "mean"}, {2, "none"}}},
      {"rounding_mode", {{0, "round"}, {1, "trunc"}, {2, "floor"}, {3, "ceil"}}},
      {"interpolation_mode", {{0, "bilinear"}, {1, "nearest"}}},
      {"padding_mode", {{0, "zeros"}, {1, "border"}, {2, "reflection"}}},
      {"norm", {{0, "backward"}, {1, "forward"}, {2, "ortho"}}},
      {"approximate", {{0, "none"}, {1, "tanh"}}},
      {"indexing", {{0, "ij"}, {1, "xy"}}},
      {"coordinate_transformation_mode",
       {{0, "asymmetric"}, {1, "align_corners"}, {2, "half_pixel"}}},
  };
  // Operators that number the choices in their own way.
  static const Texts of_scatter{{0, "none"}, {1, "add"}};
  if (op == "TensorScatterElements" && parameter == "reduction") return &of_scatter;
  const auto found = known.find(parameter);
  return found == known.end() ? nullptr : &found->second;
}

bool is_type_parameter(std::string_view name) {
  constexpr std::array<std::string_view, 6> kTypes{"dtype",    "dst_type",    "output_type",
                                                   "out_type", "argmax_type", "type"};
  return std::ranges::find(kTypes, name) != kTypes.end();
}

// ---- what the parameters of a primitive are -----------------------------------------------------

// An input or an attribute of the operator.
struct Entry {
  bool is_input;
  std::size_t index;
};

struct Form {
  std::vector<Entry> call, constructor;
  std::size_t least = 0;  // of a call
};

Form form_of(const OpDef& definition) {
  Form form;
  for (const op::ParameterRef parameter : definition.parameters) {
    const auto index = static_cast<std::size_t>(parameter.index);
    if (parameter.is_input) {
      form.least += definition.inputs[index].optional ? 0 : 1;
    } else if (definition.attributes[index].in_call) {
      form.least += definition.attributes[index].required ? 1 : 0;
    } else {
      continue;
    }
    form.call.push_back({parameter.is_input, index});
  }
  for (std::size_t i = 0; i < definition.attributes.size(); ++i)
    if (!definition.attributes[i].in_call) form.constructor.push_back({false, i});
  return form;
}

// ---- the call -----------------------------------------------------------------------------------

class Arguments {
 public:
  Arguments(const RegisteredCall& call, op::Emitter& emitter)
      : call_(call),
        emitter_(emitter),
        inputs_(static_cast<std::size_t>(
            std::ranges::count(call.definition.inputs, false, &op::InputDef::variadic))),
        attributes_(call.definition.attributes.size()),
        is_given_(call.definition.attributes.size()) {}

  void place(std::span<const Datum> arguments) {
    const Form form = form_of(call_.definition);
    std::size_t split = arguments.size();
    if (call_.is_function) {
      arguments = trimmed(arguments, form.call.size() + form.constructor.size());
      const std::size_t rest = std::max(arguments.size(), form.constructor.size());
      split = std::min(std::max(form.least, rest - form.constructor.size()), arguments.size());
    }
    platform::require(split <= form.call.size(), ErrorKind::Type, "For '", call_.name,
                      "', the call takes ", form.call.size(), " arguments, but got ", split, ".");
    for (std::size_t i = 0; i < split; ++i) place(form.call[i], arguments[i]);
    for (std::size_t i = split; i < arguments.size(); ++i)
      place(form.constructor[i - split], arguments[i]);
    for (std::size_t i = 0; i < attributes_.size(); ++i) take_attribute(i);
  }

  Datum run() {
    settle_sequences();
    const OpDef& definition = call_.definition;
    for (std::size_t i = 0; i < definition.inputs.size(); ++i) {
      const bool is_there = definition.inputs[i].variadic || definition.inputs[i].optional ||
                            (i < inputs_.size() && inputs_[i].defined());
      platform::require(is_there, ErrorKind::Type, "For '", call_.name,
                        "', missing 1 required argument: '", definition.inputs[i].name, "'.");
    }
    const op::ValueList outputs = emitter_.emit(definition, inputs_, std::move(attributes_));
    if (definition.outputs.size() == 1 && !definition.outputs[0].variadic)
      return Datum(outputs.front());
    return Datum::tuple(outputs);
  }

 private:
  // Arguments without those that newer releases added, as long as they say nothing.
  std::span<const Datum> trimmed(std::span<const Datum> arguments, std::size_t most) const {
    for (std::size_t i = most; i < arguments.size(); ++i) {
      const bool says_nothing =
          arguments[i].is_none() || (arguments[i].is_number() && !op::truth_of(arguments[i]));
      platform::require(says_nothing, ErrorKind::NotImplemented, "The operator '", call_.name,
                        "', which a MindIR file uses, takes ", most, " arguments here.");
    }
    return arguments.first(std::min(most, arguments.size()));
  }

  void place(const Entry& entry, const Datum& datum) {
    if (!entry.is_input) {
      set_attribute(entry.index, datum);
    } else if (call_.definition.inputs[entry.index].variadic) {
      add_variadic(entry.index, datum);
    } else if (!datum.is_none()) {
      inputs_[entry.index] = input(entry.index, datum);
    }
  }

  Value input(std::size_t index, const Datum& datum) {
    Value value = op::operand_of(datum, emitter_);
    platform::require(value.defined(), ErrorKind::Type, "For '", call_.name, "', the input '",
                      call_.definition.inputs[index].name,
                      "' must be a Tensor or a number, but got ", datum.type_name(), ".");
    if (datum.is_sequence()) sequences_.push_back(index);
    return value;
  }

  void add_variadic(std::size_t index, const Datum& datum) {
    if (!datum.is_sequence()) {
      inputs_.push_back(input(index, datum));
      return;
    }
    for (const Datum& item : datum.items()) inputs_.push_back(input(index, item));
    sequences_.clear();
  }

  void set_attribute(std::size_t index, const Datum& datum) {
    const AttributeDef& definition = call_.definition.attributes[index];
    Datum value = converted(call_.name, definition.name, datum, call_.version);
    // Of some releases a tuple, of others a number; one is the same in both.
    const bool wants_one =
        definition.type == op::AttributeType::Int || definition.type == op::AttributeType::Number;
    if (wants_one && value.is_sequence() && value.items().size() == 1) value = value.items()[0];
    attributes_[index] = op::attribute_of(value, definition, call_.name);
    is_given_[index] = true;
  }

  // What the call did not say.
  void take_attribute(std::size_t index) {
    if (is_given_[index]) return;
    const AttributeDef& definition = call_.definition.attributes[index];
    const auto found = call_.attributes.find(definition.name);
    if (found != call_.attributes.end()) {
      set_attribute(index, found->second);
      return;
    }
    platform::require(!definition.required, ErrorKind::Type, "For '", call_.name,
                      "', missing 1 required argument: '", definition.name, "'.");
    attributes_[index] = definition.initial;
  }

  // A sequence beside a tensor takes the tensor's type.
  void settle_sequences() {
    if (!call_.definition.is_elementwise()) return;
    for (const std::size_t index : sequences_) {
      for (std::size_t other = 0; other < inputs_.size(); ++other) {
        const bool is_plain = std::ranges::find(sequences_, other) == sequences_.end() &&
                              inputs_[other].defined() && !inputs_[other].spec().is_number &&
                              !call_.definition.inputs[other].is_mask;
        if (!is_plain) continue;
        inputs_[index] =
            emitter_.call("cast", {inputs_[index]}, {{"dtype", inputs_[other].dtype()}});
        break;
      }
    }
  }

  const RegisteredCall& call_;
  op::Emitter& emitter_;
  op::ValueList inputs_;
  op::AttributeList attributes_;
  std::vector<bool> is_given_;
  std::vector<std::size_t> sequences_;  // inputs that were given as such
};

}  // namespace

Datum converted(std::string_view op, std::string_view parameter, const Datum& datum,
                Version version) {
  if (!datum.is_int()) return datum;
  if (is_type_parameter(parameter)) {
    const auto dtype = argument_type(datum.integer(), version);
    return dtype ? Datum(*dtype) : datum;
  }
  const Texts* texts = texts_of(op, parameter);
  if (texts == nullptr) return datum;
  const auto text = texts->find(datum.integer());
  return text == texts->end() ? datum : Datum(std::string(text->second));
}

Datum call_registered(const RegisteredCall& call, std::span<const Datum> arguments,
                      op::Emitter& emitter) {
  Arguments placed(call, emitter);
  placed.place(arguments);
  return placed.run();
}

const OpDef* registered_primitive(std::string_view name) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const OpDef*> by_name;
    for (const OpDef* definition : op::all()) {
      if (!definition->primitive.empty()) by_name[definition->primitive] = definition;
      for (const std::string& alias : definition->primitive_aliases) by_name[alias] = definition;
    }
    return by_name;
  }();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace mycel::formats::mindir
