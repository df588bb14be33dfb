// SPDX-License-Identifier: Apache-2.0
#include "formats/torch/torch_file.h"

#include <array>
#include <cstring>

#include "formats/torch/element_types.h"
#include "platform/error/error.h"

namespace mycel::formats {

using platform::ErrorKind;
using tensor::Tensor;
using Kind = PickleValue::Kind;

namespace {

// A number of ten bytes at the beginning of the old layout.
constexpr std::string_view kMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);
constexpr std::size_t kMostAxes = 64;
// An axis of stride 0 repeats elements, and so do tensors that share a storage; tensors that are
// together this much larger than their file are no data.
constexpr std::uint64_t kMostRepetition = 16, kAlwaysAllowed = std::uint64_t{64} << 20;
constexpr std::string_view kStoragePrefix = "torch.";

constexpr std::string_view kUntypedMaker = "torch._utils._rebuild_tensor_v3";

// What data may name besides what is called, and types of elements and of storages.
constexpr std::array kHarmless = {
    std::string_view("collections.OrderedDict"),
    std::string_view("torch.nn.parameter.Parameter"),
    std::string_view("torch.Tensor"),
    std::string_view("torch.storage.UntypedStorage"),
    std::string_view("torch.storage.TypedStorage"),
};

bool is_harmless(std::string_view global) {
  for (const std::string_view name : kHarmless) {
    if (name == global) return true;
  }
  if (is_torch_maker(global) || torch_element_of_dtype(global) != nullptr) return true;
  return global.starts_with(kStoragePrefix) &&
         torch_element_of_storage(global.substr(kStoragePrefix.size())) != nullptr;
}

std::string_view view(platform::Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::int64_t integer(const PickleValue& value, const char* what) {
  platform::require(value.kind == Kind::Int, ErrorKind::Value, "The file is damaged: ", what,
                    " must be a number, but is a ", name_of(value.kind), ".");
  return value.integer;
}

std::vector<std::int64_t> integers(const PickleValue& value, const char* what) {
  // A size may be written as a call of torch.Size with a tuple.
  const PickleValue& list =
      value.kind == Kind::Call && value.items.size() == 1 ? *value.items[0] : value;
  platform::require(list.kind == Kind::Tuple || list.kind == Kind::List, ErrorKind::Value,
                    "The file is damaged: ", what, " must be numbers.");
  std::vector<std::int64_t> numbers;
  for (const PickleValue* item : list.items) {
    numbers.push_back(integer(*item, what));
    platform::require(numbers.back() >= 0, ErrorKind::Value, "The file is damaged: ", what,
                      " must not be negative.");
  }
  return numbers;
}

// What a pickle says of a storage that lies outside it.
struct Reference {
  const TorchElement* element = nullptr;  // null: untyped
  std::string_view key;
};

Reference reference_of(const PickleValue& persistent) {
  const PickleValue& id = *persistent.items[0];
  const bool is_storage = id.kind == Kind::Tuple && id.items.size() >= 5 &&
                          id.items[0]->text == "storage" && id.items[1]->kind == Kind::Global &&
                          id.items[2]->kind == Kind::Text;
  platform::require(is_storage, ErrorKind::Value,
                    "The file is damaged: it refers to something that is no storage.");
  const bool is_view = id.items.size() > 5 && id.items[5]->kind != Kind::None;
  platform::require(!is_view, ErrorKind::Value,
                    "The file has storages that are parts of others, as very old versions wrote; "
                    "save it again with a later version of PyTorch.");
  const std::string_view name = id.items[1]->text;
  Reference reference{nullptr, id.items[2]->text};
  if (name.starts_with(kStoragePrefix))
    reference.element = torch_element_of_storage(name.substr(kStoragePrefix.size()));
  return reference;
}

// Bytes from the first to the last element of a view, or nothing when there is no element;
// ValueError when that is more than any file has.
std::uint64_t extent(const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, std::size_t element) {
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return 0;
    std::uint64_t step = 0;
    const bool overflows = __builtin_mul_overflow(static_cast<std::uint64_t>(sizes[i] - 1),
                                                  static_cast<std::uint64_t>(strides[i]), &step) ||
                           __builtin_add_overflow(last, step, &last);
    platform::require(!overflows, ErrorKind::Value, "The file is damaged: a tensor has no end.");
  }
  std::uint64_t bytes = 0;
  const bool overflows =
      last == ~std::uint64_t{0} || __builtin_mul_overflow(last + 1, element, &bytes);
  platform::require(!overflows, ErrorKind::Value, "The file is damaged: a tensor has no end.");
  return bytes;
}

// Copies the elements of a strided view, the last axis innermost.
class StridedCopy {
 public:
  StridedCopy(std::size_t element, const std::vector<std::int64_t>& sizes,
              const std::vector<std::int64_t>& strides)
      : element_(element), sizes_(sizes), strides_(strides) {}

  void run(const char* source, char*& target, std::size_t axis = 0) const {
    if (axis == sizes_.size()) {
      std::memcpy(target, source, element_);
      target += element_;
      return;
    }
    if (axis + 1 == sizes_.size() && strides_[axis] == 1) {
      const std::size_t bytes = static_cast<std::size_t>(sizes_[axis]) * element_;
      std::memcpy(target, source, bytes);
      target += bytes;
      return;
    }
    const std::ptrdiff_t step = strides_[axis] * static_cast<std::ptrdiff_t>(element_);
    for (std::int64_t i = 0; i < sizes_[axis]; ++i) run(source + i * step, target, axis + 1);
  }

 private:
  std::size_t element_;
  const std::vector<std::int64_t>&sizes_, &strides_;
};

}  // namespace

TorchFile::TorchFile(const platform::Path& path)
    : path_(path.string()),
      mapped_(platform::MappedFile::open(path).value()),
      decoder_(is_harmless) {
  const std::string_view bytes = view(mapped_.bytes());
  try {
    ZipArchive::is_one(bytes) ? read_archive(bytes) : read_sequence(bytes);
  } catch (const platform::Error& error) {
    platform::fail(error.kind(), "'", path_, "' cannot be read as a file of PyTorch. ",
                   error.what());
  }
}

void TorchFile::read_archive(std::string_view bytes) {
  archive_.emplace(bytes);
  constexpr std::string_view kData = "data.pkl";
  for (const ZipArchive::Entry& entry : archive_->entries()) {
    if (!entry.name.ends_with(kData)) continue;
    folder_ = entry.name.substr(0, entry.name.size() - kData.size());
    if (!folder_.empty() && folder_.back() != '/') continue;
    const std::string pickle = archive_->read(entry);
    std::string_view rest = pickle;
    root_ = &decoder_.decode(rest);
    return;
  }
  platform::fail(ErrorKind::Value, "The archive has no entry 'data.pkl'.");
}

void TorchFile::read_sequence(std::string_view bytes) {
  const PickleValue& magic = decoder_.decode(bytes);
  platform::require(magic.kind == Kind::BigInt && magic.text == kMagic, ErrorKind::Value,
                    "It begins with neither an archive nor the mark of the old layout.");
  decoder_.decode(bytes);  // version of the layout
  decoder_.decode(bytes);  // the writer's machine
  root_ = &decoder_.decode(bytes);
  const PickleValue& keys = decoder_.decode(bytes);
  platform::require(keys.kind == Kind::List, ErrorKind::Value, "The list of storages is missing.");
  // How long an element of a storage is stands only in the references to it.
  std::unordered_map<std::string_view, std::size_t> sizes;
  for (const PickleValue& value : decoder_.values()) {
    if (value.kind == Kind::Persistent) {
      const Reference reference = reference_of(value);
      sizes[reference.key] = reference.element == nullptr ? 1 : reference.element->size;
    }
  }
  for (const PickleValue* key : keys.items) {
    const auto size = sizes.find(key->text);
    std::uint64_t count = 0, length = 0;
    const bool is_whole = size != sizes.end() && bytes.size() >= sizeof(count);
    if (is_whole) std::memcpy(&count, bytes.data(), sizeof(count));
    platform::require(is_whole && !__builtin_mul_overflow(count, size->second, &length) &&
                          length <= bytes.size() - sizeof(count),
                      ErrorKind::Value, "The storage '", key->text, "' is cut short.");
    storage_bytes_[key->text] = bytes.substr(sizeof(count), length);
    bytes.remove_prefix(sizeof(count) + length);
  }
}

TorchFile::Storage TorchFile::storage_of(const PickleValue& persistent) const {
  const Reference reference = reference_of(persistent);
  Storage storage{reference.element, {}};
  if (!archive_) {
    const auto found = storage_bytes_.find(std::string(reference.key));
    platform::require(found != storage_bytes_.end(), ErrorKind::Value, "The storage '",
                      reference.key, "' is missing.");
    storage.bytes = found->second;
    return storage;
  }
  const std::string name = folder_ + "data/" + std::string(reference.key);
  const ZipArchive::Entry* entry = archive_->find(name);
  platform::require(entry != nullptr, ErrorKind::Value, "The storage '", name, "' is missing.");
  if (archive_->is_packed(*entry)) {
    auto [place, is_new] = unpacked_.try_emplace(name);
    if (is_new) place->second = archive_->read(*entry);
    storage.bytes = place->second;
  } else {
    storage.bytes = archive_->view(*entry);
  }
  return storage;
}

TorchFile::View TorchFile::view_of(const TorchCall& call) const {
  const bool is_untyped = call.maker == kUntypedMaker;
  const std::size_t least = is_untyped ? 7 : 4;
  platform::require(call.arguments.size() >= least && call.arguments[0]->kind == Kind::Persistent,
                    ErrorKind::Value, "The file is damaged: a tensor has no storage.");
  View view;
  const Storage storage = storage_of(*call.arguments[0]);
  view.element = storage.element;
  if (is_untyped) view.element = torch_element_of_dtype(call.arguments[6]->text);
  platform::require(view.element != nullptr, ErrorKind::Value,
                    "A tensor has elements of an unknown type",
                    is_untyped ? " '" + call.arguments[6]->text + "'" : std::string(), ".");
  view.bytes = storage.bytes;
  view.offset = integer(*call.arguments[1], "a place in a storage");
  view.sizes = integers(*call.arguments[2], "a shape");
  view.strides = integers(*call.arguments[3], "strides");
  platform::require(view.sizes.size() <= kMostAxes, ErrorKind::Value,
                    "The file is damaged: a tensor has ", view.sizes.size(), " axes.");
  const std::uint64_t wanted = extent(view.sizes, view.strides, view.element->size);
  std::uint64_t first = 0, end = 0;
  const bool fits = view.offset >= 0 && view.sizes.size() == view.strides.size() &&
                    !__builtin_mul_overflow(static_cast<std::uint64_t>(view.offset),
                                            view.element->size, &first) &&
                    !__builtin_add_overflow(first, wanted, &end) &&
                    (wanted == 0 || end <= view.bytes.size());
  platform::require(fits, ErrorKind::Value,
                    "The file is damaged: a tensor lies outside its storage.");
  view.bytes = wanted == 0 ? std::string_view() : view.bytes.substr(first, wanted);
  return view;
}

Tensor TorchFile::tensor_of(const TorchCall& call) const {
  const View view = view_of(call);
  tensor::Shape shape;
  std::uint64_t bytes = view.element->size;
  bool is_sane = true;
  for (const std::int64_t size : view.sizes) {
    shape.push_back(size);
    is_sane = is_sane && !__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes);
  }
  is_sane = is_sane && !__builtin_add_overflow(made_bytes_, bytes, &made_bytes_);
  platform::require(
      is_sane && made_bytes_ <= kAlwaysAllowed + kMostRepetition * mapped_.bytes().size(),
      ErrorKind::Value, "The file is damaged: with a tensor of ", shape,
      " its tensors are many times as large as the file.");
  Tensor result = Tensor::empty(shape, view.element->ours);
  if (result.size() == 0) return result;
  const StridedCopy copy(view.element->size, view.sizes, view.strides);
  if (view.element->small == Float8::No) {
    char* target = result.data<char>();
    copy.run(view.bytes.data(), target);
    mapped_.check().value();
    return result;
  }
  std::string small(static_cast<std::size_t>(result.size()), '\0');
  char* target = small.data();
  copy.run(view.bytes.data(), target);
  mapped_.check().value();
  widen(view.element->small, small, result.data<float>());
  return result;
}

}  // namespace mycel::formats
