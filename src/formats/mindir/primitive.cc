// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/primitive.h"

#include <algorithm>
#include <array>

#include "formats/mindir/values.h"
#include "operator/registry.h"
#include "platform/error/error.h"

namespace mycel::formats::mindir {

namespace {

using platform::ErrorKind;

constexpr std::string_view kSignaturePrefix = "S-Prim-";

// Names of older releases.
std::string_view present_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kOlder{{
      {"TensorAdd", "Add"},
      {"FusedBatchNorm", "BatchNorm"},
      {"Gelu", "GeLU"},
      {"FastGelu", "FastGeLU"},
      {"GatherV2", "Gather"},
      {"Pack", "Stack"},
      {"Unpack", "Unstack"},
      {"stop_gradient", "StopGradient"},
      {"identity", "Identity"},
  }};
  for (const auto& [older, present] : kOlder)
    if (older == name) return present;
  return name;
}

// Attributes are also there under the names that this release has for them.
void add_present_names(op::DatumMap& attributes) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOlder{
      {{"format", "data_format"}, {"groups", "group"}, {"pad_list", "pad"}}};
  for (const auto& [older, present] : kOlder) {
    const auto found = attributes.find(older);
    if (found != attributes.end()) attributes.try_emplace(std::string(present), found->second);
  }
}

bool begins_like_writing(std::string_view name) {
  constexpr std::array<std::string_view, 9> kWriting{"Assign",      "Apply",    "SparseApply",
                                                     "FusedSparse", "Scatter",  "Inplace",
                                                     "Adam",        "Momentum", "SGD"};
  return std::ranges::any_of(kWriting,
                             [&](std::string_view start) { return name.starts_with(start); });
}

// Operators of ours that stand for a primitive and another one have no name that users know.
[[noreturn]] void rename_in(const platform::Error& error, const op::OpDef& definition,
                            std::string_view name) {
  const std::string own = platform::join("For '", definition.name, "'");
  if (definition.shown_name() != definition.name || !error.message().starts_with(own)) throw;
  platform::fail(error.kind(), "For '", name, "'", error.message().substr(own.size()));
}

std::vector<Datum> without_monads(std::span<const Datum> arguments) {
  std::vector<Datum> rest;
  rest.reserve(arguments.size());
  std::ranges::copy_if(arguments, std::back_inserter(rest),
                       [](const Datum& datum) { return !is_monad(datum); });
  return rest;
}

}  // namespace

Primitive::Primitive(std::string_view op_type, op::DatumMap attributes, bool is_function,
                     Version version)
    : attributes_(std::move(attributes)), is_function_(is_function), version_(version) {
  if (op_type.starts_with(kSignaturePrefix)) op_type.remove_prefix(kSignaturePrefix.size());
  name_ = present_name(op_type);
  add_present_names(attributes_);
  structural_ = structural_work(name_);
  if (structural_ != nullptr) return;
  mapping_ = op::find_mapping(op::ModelFormat::MindIR, name_);
  if (mapping_ == nullptr) definition_ = registered_primitive(name_);
}

Datum Primitive::call(std::span<const Datum> arguments, Host& host) const {
  if (structural_ != nullptr) return structural_(*this, arguments, host);
  std::vector<Datum> given = without_monads(arguments);
  if (mapping_ != nullptr) {
    for (std::size_t i = 0; i < std::min(given.size(), mapping_->parameters.size()); ++i)
      given[i] = converted(name_, mapping_->parameters[i].name, given[i], version_);
    return (*mapping_)({given, attributes_, host.emitter()});
  }
  if (definition_ == nullptr)
    return host.call_foreign({name_, given, attributes_, is_function_,
                              [&](std::string_view parameter, const Datum& datum) {
                                return converted(name_, parameter, datum, version_);
                              }});
  try {
    return call_registered({*definition_, name_, attributes_, is_function_, version_}, given,
                           host.emitter());
  } catch (const platform::Error& error) {
    rename_in(error, *definition_, name_);
  }
}

bool Primitive::is_passing() const {
  return is_depend() || name_ == "UpdateState" || name_ == "MakeTuple" || name_ == "make_tuple";
}

bool Primitive::is_writing() const {
  const Datum& marked = attribute("side_effect_mem");
  return (!marked.is_none() && op::truth_of(marked)) || begins_like_writing(name_);
}

// Operators that remember statistics when they train are told whether they do.
bool Primitive::may_write() const {
  if (is_writing()) return true;
  if (definition_ == nullptr || !definition_->has_effects) return false;
  const Datum& trains = attribute("is_training");
  return trains.is_none() || op::truth_of(trains);
}

std::shared_ptr<const Primitive> Primitive::with_bias() const {
  if (definition_ == nullptr || definition_->traits.with_bias.empty()) return nullptr;
  auto biased = std::make_shared<Primitive>(name_, attributes_, is_function_, version_);
  biased->copies_ = copies_;
  biased->definition_ = &op::find(definition_->traits.with_bias);
  return biased;
}

const Datum& Primitive::attribute(std::string_view name) const {
  static const Datum none;
  const auto found = attributes_.find(name);
  return found == attributes_.end() ? none : found->second;
}

namespace {

// A class of primitives that was called with what its constructor takes.
class Instance final : public Function {
 public:
  Instance(std::string name, std::vector<Datum> constructor, Version version)
      : primitive_(name, {}, true, version), constructor_(std::move(constructor)) {}
  Datum call(std::span<const Datum> arguments, Host& host) const override {
    std::vector<Datum> given = without_monads(arguments);
    given.insert(given.end(), constructor_.begin(), constructor_.end());
    return primitive_.call(given, host);
  }

 private:
  Primitive primitive_;
  std::vector<Datum> constructor_;
};

class BuiltIn final : public Function {
 public:
  BuiltIn(std::string_view kind, std::string_view name, Version version)
      : kind_(kind), name_(name), version_(version) {}

  Datum call(std::span<const Datum> arguments, Host& host) const override {
    if (kind_ == "ClassType") {
      const std::size_t dot = name_.rfind('.');
      return Datum(std::make_shared<Instance>(
          name_.substr(dot == std::string::npos ? 0 : dot + 1),
          std::vector<Datum>(arguments.begin(), arguments.end()), version_));
    }
    if (kind_ == "MetaFuncGraph" && name_.find("zeros_like") != std::string::npos &&
        !arguments.empty())
      return zeros_like(arguments[0], host.emitter());
    platform::fail(ErrorKind::NotImplemented, "The ", kind_, " '", name_,
                   "', which a MindIR file uses, is not available.");
  }

 private:
  static Datum zeros_like(const Datum& datum, op::Emitter& emitter) {
    if (datum.is_real()) return Datum(0.0);
    if (datum.is_tensor()) return Datum(emitter.call("zeros_like", {datum.tensor()}));
    if (!datum.is_sequence()) return Datum(std::int64_t{0});
    std::vector<Datum> items;
    for (const Datum& item : datum.items()) items.push_back(zeros_like(item, emitter));
    return datum.is_list() ? Datum::list(std::move(items)) : Datum::tuple(std::move(items));
  }

  std::string kind_, name_;
  Version version_;
};

}  // namespace

std::shared_ptr<const Function> built_in(std::string_view kind, std::string_view name,
                                         Version version) {
  return std::make_shared<BuiltIn>(kind, name, version);
}

}  // namespace mycel::formats::mindir
