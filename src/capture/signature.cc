// SPDX-License-Identifier: Apache-2.0
#include "capture/signature.h"

#include "platform/error/error.h"

namespace mycel::capture {

using Kind = Argument::Kind;

Signature::Signature(const Call& call, Interpreter& interpreter) {
  entries_.reserve(call.arguments().size());
  for (const Argument& argument : call.arguments()) {
    Entry& entry = entries_.emplace_back();
    entry.kind = argument.kind;
    entry.is_repeated = argument.is_repeated;
    entry.number = argument.number;
    entry.known = interpreter.hold(argument.type != nullptr ? argument.type : argument.object);
    if (argument.kind != Kind::Tensor) continue;
    entry.dtype = argument.tensor->dtype();
    entry.shape = argument.tensor->shape();
    if (!argument.tensor->is_contiguous()) entry.strides = argument.tensor->strides();
  }
}

inline bool Signature::is_same_tensor(const Entry& entry, const Argument& argument, Sizes sizes) {
  const Tensor& tensor = *argument.tensor;
  if (argument.type != entry.known.get() || tensor.dtype() != entry.dtype ||
      argument.number != entry.number || argument.is_repeated != entry.is_repeated)
    return false;
  if (sizes == Sizes::Any)
    return tensor.shape().size() == entry.shape.size() && entry.strides.empty() &&
           tensor.is_contiguous();
  if (!(tensor.shape() == entry.shape)) return false;
  return entry.strides.empty() ? tensor.is_contiguous() : tensor.strides() == entry.strides;
}

bool Signature::matches(const Call& call, Interpreter& interpreter, Sizes sizes) const {
  const std::span<const Argument> arguments = call.arguments();
  if (arguments.size() != entries_.size()) return false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Entry& entry = entries_[i];
    const Argument& argument = arguments[i];
    if (argument.kind != entry.kind) return false;
    switch (entry.kind) {
      case Kind::Tensor:
        if (!is_same_tensor(entry, argument, sizes)) return false;
        break;
      case Kind::Same:
        if (argument.object != entry.known.get()) return false;
        break;
      case Kind::Equal:
        if (argument.object != entry.known.get() &&
            !interpreter.is_equal(argument.object, entry.known.get()))
          return false;
        break;
      case Kind::Memory: return false;
      case Kind::Tuple:
      case Kind::List:
      case Kind::Dict:
        if (argument.type != entry.known.get() || argument.number != entry.number) return false;
        break;
    }
  }
  return true;
}

bool Signature::matches_row(std::span<const Tensor> row) const {
  // A tuple of tensors and no keywords.
  if (entries_.size() != row.size() + 2 || entries_.front().number != row.size()) return false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Entry& entry = entries_[i + 1];
    if (entry.kind != Kind::Tensor || entry.dtype != row[i].dtype() || entry.is_repeated ||
        !(entry.shape == row[i].shape()) || !entry.strides.empty() || !row[i].is_contiguous())
      return false;
  }
  return true;
}

bool Signature::is_like(const Signature& other, Interpreter& interpreter) const {
  if (entries_.size() != other.entries_.size()) return false;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry &a = entries_[i], &b = other.entries_[i];
    const bool is_one = a.kind == b.kind && a.number == b.number &&
                        a.is_repeated == b.is_repeated && a.dtype == b.dtype &&
                        a.shape.size() == b.shape.size() && a.strides.empty() && b.strides.empty();
    if (!is_one) return false;
    if (a.known == b.known) continue;
    if (a.kind != Kind::Equal || !interpreter.is_equal(a.known.get(), b.known.get())) return false;
  }
  return true;
}

void Signature::open_sizes(const Signature& other) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    tensor::Shape& shape = entries_[i].shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] != other.entries_[i].shape[axis]) shape[axis] = -1;
    }
  }
}

std::vector<op::TensorSpec> Signature::tensor_specs() const {
  std::vector<op::TensorSpec> specs;
  for (const Entry& entry : entries_) {
    if (entry.kind == Kind::Tensor && !entry.is_repeated)
      specs.push_back({entry.dtype, entry.shape, false});
  }
  return specs;
}

// ---- texts -------------------------------------------------------------------------------------

namespace {

std::string tensor_text(tensor::DType dtype, const tensor::Shape& shape) {
  std::string sizes;
  for (const std::int64_t size : shape)
    sizes += (sizes.empty() ? "" : ", ") + (size < 0 ? std::string("?") : platform::join(size));
  return platform::join("Tensor[", dtype, "](", sizes, shape.size() == 1 ? ",)" : ")");
}

}  // namespace

std::string Signature::text_at(std::size_t& at, Interpreter& interpreter) const {
  const Entry& entry = entries_[at++];
  if (entry.kind == Kind::Tensor) return tensor_text(entry.dtype, entry.shape);
  const bool is_dict = entry.kind == Kind::Dict;
  if (!is_dict && entry.kind != Kind::Tuple && entry.kind != Kind::List)
    return interpreter.describe(entry.known.get());
  std::string parts;
  for (std::size_t i = 0; i < entry.number; ++i) {
    if (i > 0) parts += ", ";
    if (is_dict) parts += text_at(at, interpreter) + ": ";
    parts += text_at(at, interpreter);
  }
  if (is_dict) return "{" + parts + "}";
  return entry.kind == Kind::Tuple ? "(" + parts + ")" : "[" + parts + "]";
}

Signature::Text Signature::describe(Interpreter& interpreter) const {
  std::size_t at = 0;
  std::string arguments = text_at(at, interpreter);
  return {std::move(arguments), text_at(at, interpreter)};
}

}  // namespace mycel::capture
