// SPDX-License-Identifier: Apache-2.0
// The part of MessagePack that MindRecord uses: maps of strings to integers, real numbers, strings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace mycel::data {

// The shortest form of each.
void pack_map(std::string& out, std::size_t members);
void pack_string(std::string& out, std::string_view text);
void pack_integer(std::string& out, std::int64_t value);
void pack_real(std::string& out, double value);  // float32 where that keeps the value

class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : bytes_(bytes) {}
  // RuntimeError with the offset when the next thing is something else or does not fit.
  std::size_t map();
  std::string_view string();
  // Of another type (boolean, nil, list, ...): RuntimeError.
  std::variant<std::monostate, std::int64_t, double, std::string_view> scalar();
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::uint8_t byte();
  std::uint64_t big_endian(int bytes);
  std::string_view take(std::uint64_t bytes);
  [[noreturn]] void mistake(std::string_view expected, std::uint8_t got) const;
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace mycel::data
