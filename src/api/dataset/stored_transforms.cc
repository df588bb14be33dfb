// SPDX-License-Identifier: Apache-2.0
#include "api/dataset/stored_transforms.h"

#include <initializer_list>
#include <map>

#include "include/dataset/vision.h"
#include "include/dataset/vision_lite.h"
#include "platform/error/error.h"

namespace mindspore {
namespace dataset {

namespace {

using mycel::platform::ErrorKind;
using mycel::platform::Json;
using Operation = std::shared_ptr<TensorOperation>;

// The arguments of one transform.
class Arguments {
 public:
  explicit Arguments(const Json* given) : given_(given) {}

  bool flag(std::string_view name, bool otherwise) const {
    const Json* const found = find(name);
    return found == nullptr ? otherwise : found->boolean();
  }
  template <class Number>
  Number number(std::string_view name, Number otherwise) const {
    const Json* const found = find(name);
    return found == nullptr ? otherwise : static_cast<Number>(found->real());
  }
  // A number stands for a list of one.
  template <class Number>
  std::vector<Number> numbers(std::string_view name, std::vector<Number> otherwise = {}) const {
    const Json* const found = find(name);
    if (found == nullptr) return otherwise;
    if (found->is_number()) return {static_cast<Number>(found->real())};
    std::vector<Number> values;
    for (const Json& each : found->array()) values.push_back(static_cast<Number>(each.real()));
    return values;
  }
  // A word: itself, or within an object that tells its kind, such as {"enum": "Inter.AREA"}; the
  // part behind the last point. Empty: there is none.
  std::string word(std::string_view name) const {
    const Json* found = find(name);
    if (found != nullptr && found->is_object() && found->object().size() == 1)
      found = &found->object().front().second;
    if (found == nullptr || !found->is_string()) return {};
    return found->string().substr(found->string().rfind('.') + 1);
  }
  const Json* find(std::string_view name) const {
    const Json* const found = given_ == nullptr ? nullptr : given_->find(name);
    return found == nullptr || found->is_null() ? nullptr : found;
  }

 private:
  const Json* given_;
};

// One of these words, or its number in C++; `otherwise` where nothing is given.
template <class Enum>
Enum chosen(const Arguments& given, std::string_view name, Enum otherwise,
            std::initializer_list<std::pair<std::string_view, Enum>> words) {
  const Json* const found = given.find(name);
  if (found == nullptr) return otherwise;
  if (found->is_integer()) return static_cast<Enum>(found->integer());
  const std::string word = given.word(name);
  for (const auto& [known, value] : words)
    if (known == word) return value;
  mycel::platform::fail(ErrorKind::NotImplemented, "'", name, "' is ", found->text(),
                        ", which is not known here");
}

InterpolationMode interpolation(const Arguments& given, std::string_view name,
                                InterpolationMode otherwise) {
  using Mode = InterpolationMode;
  return chosen<Mode>(given, name, otherwise,
                      {{"LINEAR", Mode::kLinear},
                       {"BILINEAR", Mode::kLinear},
                       {"NEAREST", Mode::kNearestNeighbour},
                       {"CUBIC", Mode::kCubic},
                       {"BICUBIC", Mode::kCubic},
                       {"AREA", Mode::kArea},
                       {"PILCUBIC", Mode::kCubicPil}});
}

BorderType border(const Arguments& given, std::string_view name) {
  return chosen<BorderType>(given, name, BorderType::kConstant,
                            {{"CONSTANT", BorderType::kConstant},
                             {"EDGE", BorderType::kEdge},
                             {"REFLECT", BorderType::kReflect},
                             {"SYMMETRIC", BorderType::kSymmetric}});
}

template <class Transform, class... Parts>
Operation made(const Parts&... parts) {
  Transform transform(parts...);
  return TensorOperation::of(&transform);
}

template <class Transform>
Operation plain(const Arguments& /*given*/) {
  return made<Transform>();
}

// A transform whose only argument is a type of elements.
Operation with_type(const char* name, const char* argument, const Arguments& given,
                    const char* otherwise) {
  std::string word = given.word(argument);
  if (word.empty()) word = otherwise;
  return TensorOperation::make(name, {{argument, word == "bool_" ? "bool" : word}});
}

using Maker = Operation (*)(const Arguments&);

Maker maker_of(std::string_view name) {
  using namespace vision;      // NOLINT: a table of their names
  using namespace transforms;  // NOLINT
  using Mode = InterpolationMode;
  static const std::map<std::string_view, Maker> makers = {
      {"CenterCrop",
       [](const Arguments& given) { return made<CenterCrop>(given.numbers<int32_t>("size")); }},
      {"Crop",
       [](const Arguments& given) {
         return made<Crop>(given.numbers<int32_t>("coordinates"), given.numbers<int32_t>("size"));
       }},
      {"Decode",
       [](const Arguments& given) {
         mycel::platform::require(!given.flag("to_pil", false), ErrorKind::NotImplemented,
                                  "pictures of Pillow, which only Python has");
         return made<Decode>(given.flag("rgb", true));
       }},
      {"Equalize", plain<Equalize>},
      {"HWC2CHW", plain<HWC2CHW>},
      {"HorizontalFlip", plain<HorizontalFlip>},
      {"Invert", plain<Invert>},
      {"Normalize",
       [](const Arguments& given) {
         return made<Normalize>(given.numbers<float>("mean"), given.numbers<float>("std"),
                                given.flag("is_hwc", true));
       }},
      {"OneHot",
       [](const Arguments& given) {
         return made<OneHot>(given.number<int32_t>("num_classes", 0),
                             given.number<double>("smoothing_rate", 0));
       }},
      {"Pad",
       [](const Arguments& given) {
         return made<Pad>(given.numbers<int32_t>("padding"),
                          given.numbers<uint8_t>("fill_value", {0}), border(given, "padding_mode"));
       }},
      {"RGB2BGR", plain<RGB2BGR>},
      {"RGB2GRAY", plain<RGB2GRAY>},
      {"Rescale",
       [](const Arguments& given) {
         return made<Rescale>(given.number<float>("rescale", 1), given.number<float>("shift", 0));
       }},
      {"Resize",
       [](const Arguments& given) {
         return made<Resize>(given.numbers<int32_t>("size"),
                             interpolation(given, "interpolation", Mode::kLinear));
       }},
      {"Rotate",
       [](const Arguments& given) {
         return made<Rotate>(given.number<float>("degrees", 0),
                             interpolation(given, "resample", Mode::kNearestNeighbour),
                             given.flag("expand", false), given.numbers<float>("center"),
                             given.numbers<uint8_t>("fill_value", {0, 0, 0}));
       }},
      {"SwapRedBlue", plain<SwapRedBlue>},
      {"ToTensor",
       [](const Arguments& given) {
         return with_type("ToTensor", "output_type", given, "float32");
       }},
      {"TypeCast",
       [](const Arguments& given) { return with_type("TypeCast", "data_type", given, ""); }},
      {"VerticalFlip", plain<VerticalFlip>},
  };
  const auto found = makers.find(name);
  return found == makers.end() ? nullptr : found->second;
}

}  // namespace

std::shared_ptr<TensorOperation> stored_operation(const Json& described) {
  const std::string& name = described.at("tensor_op_name").string();
  const Maker maker = maker_of(name);
  if (maker == nullptr)
    return TensorOperation::missing(name, "a transform that cannot be run without Python");
  try {
    return maker(Arguments(described.find("tensor_op_params")));
  } catch (const mycel::platform::Error& error) {
    return TensorOperation::missing(name, error.message());
  }
}

}  // namespace dataset
}  // namespace mindspore
