// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "formats/pickle/pickle_value.h"

namespace mycel::formats {

// What a call in a file of PyTorch stands for; wrappers around it are gone.
struct TorchCall {
  enum class Kind : std::uint8_t {
    Tensor,       // TorchFile::tensor_of gives it
    Same,         // the argument itself
    Bytes,        // written as the Latin-1 text that is the argument
    Set,          // of the argument's items
    ByteArray,    // of bytes or such a text; without an argument it is empty
    Complex,      // real and imaginary part
    NumpyType,    // by its letters
    NumpyNumber,  // type and bytes
  };
  Kind kind = Kind::Same;
  std::string_view maker;  // the global that is called
  std::span<const PickleValue* const> arguments;
};

// Whether data may call this global.
bool is_torch_maker(std::string_view global);
// ValueError when an argument is missing or of the wrong kind, or when this is nothing to call.
TorchCall torch_call(const PickleValue& call);

}  // namespace mycel::formats
