// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/values.h"

#include <optional>

#include "formats/mindir/types.h"

namespace mycel::formats::mindir {

namespace {

// AttributeProto's `type`.
constexpr std::int64_t kString = 8, kBool = 9, kUInt64 = 13, kTensor = 17, kTensors = 19,
                       kTuple = 20, kList = 21, kDict = 22, kUMonad = 23, kIOMonad = 24, kNone = 25,
                       kNullType = 36, kFunctor = 38;
constexpr int kDeepest = 100;

enum class ScalarField : std::uint8_t { None, Integer, Float, Text, Double };

ScalarField field_of(std::int64_t kind) {
  switch (kind) {
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case kBool:
    case 12:
    case kUInt64: return ScalarField::Integer;
    case 1:
    case 10:
    case 16: return ScalarField::Float;
    case kString: return ScalarField::Text;
    case 11: return ScalarField::Double;
    default: return ScalarField::None;
  }
}

Datum integer_of(std::int64_t value, std::int64_t kind) {
  if (kind == kBool) return Datum(value != 0);
  if (kind == kUInt64 && value < 0)
    return Datum(std::make_shared<op::LargeNumber>(static_cast<std::uint64_t>(value)));
  return Datum(value);
}

// Those of the field for one, or of the field for several.
std::vector<Datum> scalars(const MessageView& attribute, std::int64_t kind) {
  std::vector<Datum> found;
  const auto add_reals = [&](std::string_view single, std::string_view plural) {
    if (attribute.has(single)) {
      found.emplace_back(attribute.real(single));
      return;
    }
    for (const double value : attribute.reals(plural)) found.emplace_back(value);
  };
  switch (field_of(kind)) {
    case ScalarField::Integer:
      if (attribute.has("i")) return {integer_of(attribute.integer("i"), kind)};
      for (const std::int64_t value : attribute.integers("ints"))
        found.push_back(integer_of(value, kind));
      break;
    case ScalarField::Float: add_reals("f", "floats"); break;
    case ScalarField::Double: add_reals("d", "doubles"); break;
    case ScalarField::Text:
      if (attribute.has("s")) return {Datum(std::string(attribute.text("s")))};
      for (const std::string_view value : attribute.texts("strings"))
        found.emplace_back(std::string(value));
      break;
    case ScalarField::None: break;
  }
  return found;
}

Datum scalar(const MessageView& attribute, std::int64_t kind) {
  std::vector<Datum> found = scalars(attribute, kind);
  if (!found.empty()) return found[0];
  switch (field_of(kind)) {
    case ScalarField::Integer: return integer_of(0, kind);
    case ScalarField::Text: return Datum(std::string());
    default: return Datum(0.0);
  }
}

std::optional<std::string_view> named_kind(std::int64_t kind) {
  switch (kind) {
    case 26: return "primitive";
    case 27: return "graph";
    case 28: return "partial";
    case 33: return "class";
    case 34: return "name space";
    case 35: return "symbol";
    default: return std::nullopt;
  }
}

Datum named(std::string_view what, std::string_view name) {
  return Datum(std::make_shared<Named>(std::string(what), std::string(name)));
}

}  // namespace

Datum monad() {
  static const Datum only(std::make_shared<Monad>());
  return only;
}

Datum ValueReader::value(const MessageView& attribute, int depth) const {
  if (depth > kDeepest) refuse("Sequences are nested too deeply.");
  if (!attribute.text("ref_attr_name").empty()) return older_value(attribute);
  const std::int64_t kind = attribute.integer("type");
  if (kind == kUMonad || kind == kIOMonad) return monad();
  if (kind == kNone || kind == kNullType) return {};
  if (field_of(kind) != ScalarField::None) return scalar(attribute, kind);
  if (kind == kTensor || kind == kTensors) {
    std::vector<MessageView> tensors = attribute.messages("tensors");
    if (tensors.empty()) tensors = attribute.messages("t");
    return tensor_or_type(tensors, attribute.text("name"));
  }
  if (kind == kTuple || kind == kList) {
    std::vector<Datum> items;
    for (const MessageView& item : attribute.messages("values"))
      items.push_back(value(item, depth + 1));
    return kind == kTuple ? Datum::tuple(std::move(items)) : Datum::list(std::move(items));
  }
  if (kind == kDict) return dictionary(attribute, depth);
  if (const auto what = named_kind(kind)) return named(*what, attribute.text("s"));
  if (kind == kFunctor) {
    const MessageView functor = attribute.message("functor");
    const std::vector<MessageView> states = functor.messages("values");
    return Datum(std::make_shared<Functor>(std::string(functor.text("name")),
                                           states.empty() ? Datum() : value(states[0], depth + 1)));
  }
  return named("value", platform::join("of kind ", kind));
}

Datum ValueReader::dictionary(const MessageView& attribute, int depth) const {
  std::vector<std::pair<Datum, Datum>> entries;
  for (const MessageView& entry : attribute.messages("values")) {
    const std::vector<MessageView> values = entry.messages("values");
    if (values.size() != 1)
      refuse("The entry '", entry.text("name"), "' of a dictionary has ", values.size(),
             " values.");
    entries.emplace_back(Datum(std::string(entry.text("name"))), value(values[0], depth + 1));
  }
  return Datum(std::make_shared<op::Dictionary>(std::move(entries)));
}

Datum ValueReader::tensor_or_type(const std::vector<MessageView>& tensors,
                                  std::string_view name) const {
  if (tensors.empty()) refuse("The attribute '", name, "' should hold a tensor, but holds none.");
  const MessageView& message = tensors[0];
  if (message.has("raw_data") || message.has("external_data")) {
    return Datum(op::Value(&emitter_,
                           tensors_.tensor(message, platform::join("the constant '", name, "'"))));
  }
  const std::int64_t number = message.integer("data_type");
  if (number == kStringData) return named("type", "String");
  const std::optional<DType> dtype = data_type(number);
  if (!dtype) refuse("The data type ", number, " is not supported.");
  return Datum(*dtype);
}

// ---- the form of 0.1.0: `ref_attr_name` tells what is where -------------------------------------

namespace {

// Values in the brackets that a text such as `Tuple[value1,List[value2,],],` describes.
class OlderStructure {
 public:
  OlderStructure(std::string_view text, std::vector<Datum> leaves)
      : text_(text), leaves_(std::move(leaves)) {}

  Datum read() {
    for (std::string_view rest = text_; !rest.empty();) {
      const std::size_t length = token_length(rest);
      take(rest.substr(0, length));
      rest.remove_prefix(length);
    }
    if (open_.size() != 1 || open_[0].items.size() != 1)
      refuse("The structure '", text_, "' is not one value.");
    return open_[0].items[0];
  }

 private:
  struct Open {
    std::vector<Datum> items;
    bool is_tuple = false;
  };

  static std::size_t token_length(std::string_view rest) {
    const std::size_t end = rest.find_first_of("[],");
    if (end == std::string_view::npos) return rest.size();
    if (end == 0) return 1;
    const std::string_view word = rest.substr(0, end);
    return rest[end] == '[' && (word == "Tuple" || word == "List") ? end + 1 : end;
  }

  void take(std::string_view token) {
    if (token.ends_with('[')) {
      open_.push_back({{}, token == "Tuple["});
      if (open_.size() > kDeepest) refuse("Sequences are nested too deeply.");
    } else if (token == "]") {
      Open closed = std::move(open_.back());
      open_.pop_back();
      if (open_.empty()) refuse("The structure '", text_, "' has a bracket too many.");
      open_.back().items.push_back(closed.is_tuple ? Datum::tuple(std::move(closed.items))
                                                   : Datum::list(std::move(closed.items)));
    } else if (token != ",") {
      if (next_ == leaves_.size())
        refuse("The structure '", text_, "' has more elements than there are values.");
      open_.back().items.push_back(leaves_[next_++]);
    }
  }

  std::string_view text_;
  std::vector<Datum> leaves_;
  std::size_t next_ = 0;
  std::vector<Open> open_{Open{}};
};

}  // namespace

std::vector<Datum> ValueReader::older_leaves(const MessageView& attribute,
                                             std::string_view family) const {
  if (family == "scalar") {
    const std::int64_t kind = attribute.integer("type");
    if (field_of(kind) == ScalarField::None)
      refuse("The attribute '", attribute.text("name"), "' is a scalar of the unknown kind ", kind,
             ".");
    return scalars(attribute, kind);
  }
  std::vector<Datum> leaves;
  for (const MessageView& tensor : attribute.messages("tensors"))
    leaves.push_back(tensor_or_type({tensor}, attribute.text("name")));
  return leaves;
}

Datum ValueReader::older_value(const MessageView& attribute) const {
  const std::string_view form = attribute.text("ref_attr_name");
  const std::size_t colon = std::min(form.find(':'), form.size());
  const std::string_view family = form.substr(0, colon);
  if (family == "Monad") return monad();
  if (family == "none") return {};
  if (family != "scalar" && family != "tensor" && family != "type") return named("value", form);
  const std::string_view structure = form.substr(std::min(colon + 1, form.size()));
  return OlderStructure(structure, older_leaves(attribute, family)).read();
}

}  // namespace mycel::formats::mindir
