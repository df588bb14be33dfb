// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/stored_tensors.h"

#include <algorithm>
#include <charconv>
#include <complex>

#include "operator/stored_call.h"
#include "platform/error/error.h"

namespace mycel::formats::onnx {

using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

namespace {

constexpr std::size_t kMostAxes = 64;
constexpr std::int64_t kInAnotherFile = 1;  // TensorProto's `data_location`

// The field that holds elements which are not raw bytes.
std::string_view field_of(DType dtype) {
  switch (dtype) {
    case DType::Float32:
    case DType::Complex64: return "float_data";
    case DType::Float64:
    case DType::Complex128: return "double_data";
    case DType::Int64: return "int64_data";
    case DType::UInt32:
    case DType::UInt64: return "uint64_data";
    default: return "int32_data";
  }
}

template <class Stored>
void fill(Tensor& target, const std::vector<Stored>& values) {
  tensor::with_any_type(target.dtype(), [&]<class T>() {
    T* const elements = target.data<T>();
    for (std::size_t i = 0; i < static_cast<std::size_t>(target.size()); ++i) {
      if constexpr (std::is_same_v<T, std::complex<float>> ||
                    std::is_same_v<T, std::complex<double>>) {
        using Part = typename T::value_type;
        elements[i] = {static_cast<Part>(values[2 * i]), static_cast<Part>(values[2 * i + 1])};
      } else if constexpr (tensor::is_half(tensor::kDTypeOf<T>)) {
        const auto bits = static_cast<std::uint16_t>(values[i]);  // that is how they are stored
        elements[i].bits = bits;
      } else if constexpr (std::is_same_v<T, bool>) {
        elements[i] = values[i] != 0;
      } else {
        elements[i] = static_cast<T>(values[i]);
      }
    }
  });
}

}  // namespace

// What a message tells of its tensor.
struct TensorReader::Described {
  std::string_view name;
  DType dtype;
  Shape shape;
  std::optional<std::size_t> bytes;  // none: more than there can be
};

Tensor TensorReader::tensor(const MessageView& message) {
  const auto known = known_.find(message.identity());
  if (known != known_.end()) return known->second;
  const Tensor read = made(message);
  return known_.emplace(message.identity(), filter_ ? filter_(read) : read).first->second;
}

Tensor TensorReader::made(const MessageView& message) {
  const std::string_view name = message.text("name");
  const std::int64_t number = message.integer("data_type");
  const std::optional<DType> dtype = op::stored_type(number);
  if (!dtype)
    refuse("tensor '", name, "' has elements of type ", number,
           ", which is unknown or not supported");
  const std::vector<std::int64_t> dims = message.integers("dims");
  const Shape shape(dims.begin(),
                    dims.begin() + static_cast<std::ptrdiff_t>(std::min(dims.size(), kMostAxes)));
  const bool is_possible =
      dims.size() <= kMostAxes && std::ranges::all_of(dims, [](std::int64_t n) { return n >= 0; });
  if (!is_possible) refuse("tensor '", name, "' has the impossible shape ", shape);
  const Described described{name, *dtype, shape, array_bytes(shape, *dtype)};
  if (message.integer("data_location") == kInAnotherFile) return from_file(described, message);
  if (!message.has("raw_data")) return from_fields(described, message);
  const std::string_view raw = message.text("raw_data");
  if (described.bytes != raw.size())
    refuse("tensor '", name, "' needs ",
           described.bytes ? std::to_string(*described.bytes) + " bytes by its shape"
                           : "more bytes by its shape than there can be",
           ", but has ", raw.size());
  Tensor target = Tensor::empty(shape, *dtype);
  take_bytes(described, content_, raw, target);
  return target;
}

void TensorReader::take_bytes(const Described& described, const ModelBytes& source,
                              std::string_view bytes, Tensor& target) const {
  if (!bytes.empty()) source.copy(bytes, static_cast<char*>(target.raw()));
  if (described.dtype == DType::Bool) clean_mask(target);
}

Tensor TensorReader::from_fields(const Described& described, const MessageView& message) const {
  const std::string_view field = field_of(described.dtype);
  const bool is_real = field == "float_data" || field == "double_data";
  const std::vector<double> reals = is_real ? message.reals(field) : std::vector<double>();
  const std::vector<std::int64_t> whole =
      is_real ? std::vector<std::int64_t>() : message.integers(field);
  const std::size_t parts = tensor::is_complex(described.dtype) ? 2 : 1;
  const std::size_t given = is_real ? reals.size() : whole.size();
  const std::size_t size = tensor::size_of(described.dtype);
  if (!described.bytes || given % parts != 0 || *described.bytes / size != given / parts)
    refuse("tensor '", described.name, "' needs ",
           described.bytes ? std::to_string(*described.bytes / size) : "more",
           " elements by its shape, but has ", given / parts);
  Tensor target = Tensor::empty(described.shape, described.dtype);
  is_real ? fill(target, reals) : fill(target, whole);
  return target;
}

namespace {

// A number that stands in a text; none: it is another text.
std::optional<std::int64_t> number_in(std::string_view text, std::int64_t otherwise) {
  if (text.empty()) return otherwise;
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Tensor TensorReader::from_file(const Described& described, const MessageView& message) {
  std::map<std::string_view, std::string_view> entries;
  for (const MessageView& entry : message.messages("external_data"))
    entries[entry.text("key")] = entry.text("value");
  const ModelBytes& file = opened(entries["location"], described.name);
  const std::size_t needed = described.bytes.value_or(std::size_t{1} << 62);
  const std::optional<std::int64_t> offset = number_in(entries["offset"], 0);
  const std::optional<std::int64_t> length =
      number_in(entries["length"], static_cast<std::int64_t>(needed));
  if (!offset || !length)
    refuse("the place of tensor '", described.name, "' in its file is not a number");
  if (*length != static_cast<std::int64_t>(needed))
    refuse("tensor '", described.name, "' needs ", needed,
           " bytes by its shape, but its file gives it ", *length);
  const std::string_view bytes = file.bytes();
  if (*offset < 0 || static_cast<std::size_t>(*offset) > bytes.size() ||
      bytes.size() - static_cast<std::size_t>(*offset) < needed)
    refuse("tensor '", described.name, "' reaches over the end of '", entries["location"], "'");
  if (!taken_[&file].add(needed, bytes.size()))
    refuse("its tensors take the bytes of '", entries["location"], "' again and again");
  Tensor target = Tensor::empty(described.shape, described.dtype);
  take_bytes(described, file, bytes.substr(static_cast<std::size_t>(*offset), needed), target);
  return target;
}

const ModelBytes& TensorReader::opened(std::string_view location, std::string_view tensor) {
  if (!folder_)
    refuse("tensor '", tensor, "' is in the file '", location,
           "', but the model was read from memory; load it by its path instead");
  const DataFolder::Place place = folder_->find(location);
  switch (place.problem) {
    case DataFolder::Problem::None: break;
    case DataFolder::Problem::NotAllowed:
      refuse("the file '", location, "' of tensor '", tensor, "' is not beside the model");
    case DataFolder::Problem::Outside:
      refuse("the file '", location, "' of tensor '", tensor, "' lies outside the model's folder");
    case DataFolder::Problem::Missing:
      refuse("the file '", location, "' of tensor '", tensor, "' does not exist");
  }
  const auto known = others_.find(place.path);
  if (known != others_.end()) return known->second;
  try {
    return others_.emplace(place.path, ModelBytes::of_file(place.path)).first->second;
  } catch (const platform::Error& error) {
    refuse("the file '", location, "' of tensor '", tensor, "': ", error.message());
  }
}

}  // namespace mycel::formats::onnx
