// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "formats/pickle/pickle_value.h"

namespace mycel::formats {

// Reads pickles without running anything in them. A pickle is a program for a stack machine whose
// dangerous steps are looking up a function by name and calling it; here a name must be on the
// caller's list, and a call becomes a value that says what was to be called. Values live as long as
// the decoder.
class PickleDecoder {
 public:
  // Whether data may name this global.
  using Allows = std::function<bool(std::string_view global)>;

  explicit PickleDecoder(Allows allows) : allows_(std::move(allows)) {}

  // One pickle from the beginning of `bytes`, which then begin behind it. ValueError for what is no
  // pickle, is cut short, or wants more than data.
  const PickleValue& decode(std::string_view& bytes);

  const std::deque<PickleValue>& values() const { return values_; }  // of all pickles so far

 private:
  using Kind = PickleValue::Kind;

  void reset();
  void step(unsigned char opcode);
  bool number(unsigned char opcode);
  bool text(unsigned char opcode);
  bool container(unsigned char opcode);
  bool fill(unsigned char opcode);
  bool memory(unsigned char opcode);
  bool call(unsigned char opcode);
  void reduce();
  void look_up(std::string_view module, std::string_view name);

  PickleValue& make(Kind kind);
  void push(const PickleValue& value) { stack_.push_back(&value); }
  const PickleValue& pop();
  PickleValue& top(Kind kind, const char* what);
  std::vector<const PickleValue*> pop_to_mark();
  void push_sequence(Kind kind, std::vector<const PickleValue*> items);
  void push_text(Kind kind, std::string_view text);
  void push_integer(std::string_view little_endian);

  // Counts elements that are copied once more; ValueError for more of them than a pickle of this
  // length can need.
  void spend(std::size_t elements);

  std::string_view take(std::size_t count);
  std::string_view take_line();
  std::uint64_t take_unsigned(int bytes);
  void remember(std::uint64_t place);
  void recall(std::uint64_t place);
  [[noreturn]] void refuse(std::string_view why) const;

  Allows allows_;
  std::deque<PickleValue> values_;
  std::string_view rest_;
  std::size_t position_ = 0;
  std::size_t budget_ = 0;  // elements that may still be copied
  std::vector<const PickleValue*> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, const PickleValue*> memo_;
};

}  // namespace mycel::formats
