// SPDX-License-Identifier: Apache-2.0
#include "formats/torch/torch_call.h"

#include <algorithm>
#include <iterator>

#include "platform/error/error.h"

namespace mycel::formats {

using platform::ErrorKind;
using Kind = TorchCall::Kind;

namespace {

// Makes a tensor of a class of its own: (what makes it, the class, arguments, state).
constexpr std::string_view kWrapper = "torch._tensor._rebuild_from_type_v2";
constexpr int kMostWrappers = 100;

struct Maker {
  std::string_view name;
  Kind kind;
  std::size_t least_arguments;
};

constexpr Maker kMakers[] = {
    {"torch._utils._rebuild_tensor", Kind::Tensor, 0},
    {"torch._utils._rebuild_tensor_v2", Kind::Tensor, 0},
    {"torch._utils._rebuild_tensor_v3", Kind::Tensor, 0},
    {"torch._utils._rebuild_parameter", Kind::Same, 1},
    {"torch._utils._rebuild_parameter_with_state", Kind::Same, 1},
    {"torch.Size", Kind::Same, 1},
    {"torch.device", Kind::Same, 1},
    {"_codecs.encode", Kind::Bytes, 1},
    {"builtins.set", Kind::Set, 1},
    {"__builtin__.set", Kind::Set, 1},
    {"builtins.bytearray", Kind::ByteArray, 0},
    {"builtins.complex", Kind::Complex, 2},
    {"numpy.dtype", Kind::NumpyType, 1},
    {"numpy.core.multiarray.scalar", Kind::NumpyNumber, 2},
    {"numpy._core.multiarray.scalar", Kind::NumpyNumber, 2},
};

const Maker* find_maker(std::string_view name) {
  const auto* const found = std::ranges::find(kMakers, name, &Maker::name);
  return found == std::end(kMakers) ? nullptr : found;
}

void require_arguments(const TorchCall& call, std::size_t least) {
  platform::require(call.arguments.size() >= least, ErrorKind::Value, "The file is damaged: '",
                    call.maker, "' has ", call.arguments.size(), " arguments.");
}

TorchCall unwrapped(const PickleValue& value) {
  TorchCall call{Kind::Same, value.text, value.items};
  for (int i = 0; call.maker == kWrapper; ++i) {
    require_arguments(call, 3);
    platform::require(call.arguments[0]->kind == PickleValue::Kind::Global && i < kMostWrappers,
                      ErrorKind::Value, "The file is damaged: a tensor is made by nothing.");
    call.maker = call.arguments[0]->text;
    call.arguments = call.arguments[2]->items;
  }
  return call;
}

// A number would be a length.
void require_bytes(const PickleValue& content) {
  platform::require(
      content.kind == PickleValue::Kind::Bytes || content.kind == PickleValue::Kind::Text,
      ErrorKind::Value, "The file is damaged: bytes are made of a ", name_of(content.kind), ".");
}

}  // namespace

bool is_torch_maker(std::string_view global) {
  return global == kWrapper || find_maker(global) != nullptr;
}

TorchCall torch_call(const PickleValue& value) {
  TorchCall call = unwrapped(value);
  const Maker* const maker = find_maker(call.maker);
  platform::require(maker != nullptr, ErrorKind::Value, "The file is damaged: '", call.maker,
                    "' is called, which is a type.");
  call.kind = maker->kind;
  require_arguments(call, maker->least_arguments);
  if (call.kind == Kind::NumpyType) require_plain_dtype(*call.arguments[0]);
  if (call.kind == Kind::ByteArray && !call.arguments.empty()) require_bytes(*call.arguments[0]);
  return call;
}

}  // namespace mycel::formats
