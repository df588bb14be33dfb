// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mycel::formats {

// What a pickle describes, as plain data. A call is written down, not made.
struct PickleValue {
  enum class Kind : std::uint8_t {
    None,
    Bool,
    Int,
    BigInt,  // bytes of a two's complement number, the lowest first
    Float,
    Text,
    Bytes,
    List,
    Tuple,
    Set,
    Dict,        // keys and values take turns in `items`
    Global,      // "module.name"
    Persistent,  // something kept outside the pickle; the only item says what
    Call,        // of the global `text` with `items`
  };

  Kind kind = Kind::None;
  bool is_ordered = false;   // a Dict that was an OrderedDict
  std::int64_t integer = 0;  // Int and Bool
  double real = 0;
  std::string text;  // Text, Bytes, BigInt, Global, Call
  std::vector<const PickleValue*> items;
};

const char* name_of(PickleValue::Kind kind);

// An error for what must not be a key or member of a set: it is hashed with all its parts, each as
// often as it is named, and a tuple of tuples can be small in a file and endless then.
void require_hashable(const PickleValue& key);
// An error for what is not the letters of a plain number's type in NumPy, whose types may also name
// fields and objects.
void require_plain_dtype(const PickleValue& letters);

}  // namespace mycel::formats
