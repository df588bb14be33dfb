// SPDX-License-Identifier: Apache-2.0
#include "formats/pickle/pickle_decoder.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "platform/error/error.h"

namespace mycel::formats {

using platform::ErrorKind;

namespace {

constexpr std::string_view kOrderedDict = "collections.OrderedDict";
constexpr std::size_t kMostDigits = 256;  // bytes of a number
constexpr std::size_t kCopiesPerByte = 4, kAlwaysCopied = 1024;
constexpr int kMostKeyParts = 1000;  // values in a key, those of tuples in it included

bool has_few_parts(const PickleValue& value, int& left) {
  if (--left < 0) return false;
  return std::all_of(value.items.begin(), value.items.end(),
                     [&](const PickleValue* item) { return has_few_parts(*item, left); });
}

// Values of a single byte, of which a pickle may have millions.
PickleValue constant(PickleValue::Kind kind, std::int64_t integer = 0) {
  PickleValue value;
  value.kind = kind;
  value.integer = integer;
  return value;
}
const PickleValue kNone = constant(PickleValue::Kind::None);
const PickleValue kTrue = constant(PickleValue::Kind::Bool, 1);
const PickleValue kFalse = constant(PickleValue::Kind::Bool, 0);
const PickleValue kEmptyTuple = constant(PickleValue::Kind::Tuple);

std::int64_t parse_integer(std::string_view digits, bool& fits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  fits = error == std::errc() && end == digits.data() + digits.size();
  return value;
}

}  // namespace

void require_hashable(const PickleValue& key) {
  int left = kMostKeyParts;
  platform::require(has_few_parts(key, left), ErrorKind::Value,
                    "The file is damaged: a key has more than ", kMostKeyParts, " parts.");
}

void require_plain_dtype(const PickleValue& letters) {
  static constexpr std::string_view kPlain = "bifuc";
  const std::string& text = letters.text;
  platform::require(letters.kind == PickleValue::Kind::Text && text.size() >= 2 &&
                        kPlain.find(text[0]) != std::string_view::npos &&
                        text.find_first_not_of("0123456789", 1) == std::string::npos,
                    ErrorKind::Value, "The file has a NumPy number of the kind '", text, "'.");
}

const char* name_of(PickleValue::Kind kind) {
  static constexpr const char* kNames[] = {"None", "bool",   "int",    "int",   "float",
                                           "str",  "bytes",  "list",   "tuple", "set",
                                           "dict", "global", "stored", "call"};
  return kNames[static_cast<std::size_t>(kind)];
}

const PickleValue& PickleDecoder::decode(std::string_view& bytes) {
  reset();
  rest_ = bytes;
  budget_ = kAlwaysCopied + kCopiesPerByte * bytes.size();
  while (true) {
    const auto opcode = static_cast<unsigned char>(take(1)[0]);
    if (opcode == '.') break;
    step(opcode);
  }
  const PickleValue& result = pop();
  bytes = rest_;
  return result;
}

void PickleDecoder::reset() {
  position_ = 0;
  stack_.clear();
  marks_.clear();
  memo_.clear();
}

void PickleDecoder::step(unsigned char opcode) {
  if (number(opcode) || text(opcode) || container(opcode) || fill(opcode) || memory(opcode) ||
      call(opcode))
    return;
  static constexpr std::pair<unsigned char, const char*> kRefused[] = {
      {'i', "INST"},         {'o', "OBJ"},
      {'P', "PERSID"},       {0x81, "NEWOBJ"},
      {0x82, "EXT1"},        {0x83, "EXT2"},
      {0x84, "EXT4"},        {0x92, "NEWOBJ_EX"},
      {0x97, "NEXT_BUFFER"}, {0x98, "READONLY_BUFFER"}};
  for (const auto& [code, name] : kRefused) {
    if (code == opcode)
      refuse(platform::join("the instruction ", name, " makes objects, which data does not need"));
  }
  refuse(platform::join("the instruction ", static_cast<int>(opcode), " is unknown"));
}

bool PickleDecoder::number(unsigned char opcode) {
  switch (opcode) {
    case 'N': push(kNone); return true;
    case 0x88: push(kTrue); return true;
    case 0x89: push(kFalse); return true;
    case 'J': push_integer(take(4)); return true;
    case 'K': push_integer(std::string(take(1)) + '\0'); return true;
    case 'M': push_integer(std::string(take(2)) + '\0'); return true;
    case 0x8a: push_integer(take(take_unsigned(1))); return true;
    case 0x8b: push_integer(take(take_unsigned(4))); return true;
    case 'G': {
      std::uint64_t bits = 0;
      for (const char byte : take(8)) bits = bits << 8 | static_cast<unsigned char>(byte);
      PickleValue& value = make(Kind::Float);
      value.real = std::bit_cast<double>(bits);
      push(value);
      return true;
    }
    case 'I':
    case 'L': {
      std::string_view line = take_line();
      if (opcode == 'I' && (line == "00" || line == "01")) {
        push(line == "01" ? kTrue : kFalse);
        return true;
      }
      if (!line.empty() && line.back() == 'L') line.remove_suffix(1);
      bool fits = false;
      PickleValue& value = make(Kind::Int);
      value.integer = parse_integer(line, fits);
      if (!fits) refuse("a number is not written as one");
      push(value);
      return true;
    }
    default: return false;
  }
}

bool PickleDecoder::text(unsigned char opcode) {
  switch (opcode) {
    case 'X': push_text(Kind::Text, take(take_unsigned(4))); return true;
    case 0x8c: push_text(Kind::Text, take(take_unsigned(1))); return true;
    case 0x8d: push_text(Kind::Text, take(take_unsigned(8))); return true;
    // Texts of Python 2, which did not tell bytes from characters.
    case 'T': push_text(Kind::Text, take(take_unsigned(4))); return true;
    case 'U': push_text(Kind::Text, take(take_unsigned(1))); return true;
    case 'B': push_text(Kind::Bytes, take(take_unsigned(4))); return true;
    case 'C': push_text(Kind::Bytes, take(take_unsigned(1))); return true;
    case 0x8e:
    case 0x96: push_text(Kind::Bytes, take(take_unsigned(8))); return true;
    default: return false;
  }
}

bool PickleDecoder::container(unsigned char opcode) {
  switch (opcode) {
    case '(': marks_.push_back(stack_.size()); return true;
    case ')': push(kEmptyTuple); return true;
    case ']': push(make(Kind::List)); return true;
    case '}': push(make(Kind::Dict)); return true;
    case 0x8f: push(make(Kind::Set)); return true;
    case 't': push_sequence(Kind::Tuple, pop_to_mark()); return true;
    case 'l': push_sequence(Kind::List, pop_to_mark()); return true;
    case 0x91: push_sequence(Kind::Set, pop_to_mark()); return true;
    case 'd': {
      std::vector<const PickleValue*> items = pop_to_mark();
      if (items.size() % 2 != 0) refuse("a key has no value");
      push_sequence(Kind::Dict, std::move(items));
      return true;
    }
    case 0x85:
    case 0x86:
    case 0x87: {
      std::vector<const PickleValue*> items(opcode - 0x84U);
      for (std::size_t i = items.size(); i-- > 0;) items[i] = &pop();
      push_sequence(Kind::Tuple, std::move(items));
      return true;
    }
    default: return false;
  }
}

bool PickleDecoder::fill(unsigned char opcode) {
  std::vector<const PickleValue*> items;
  switch (opcode) {
    case 'a': items = {&pop()}; break;
    case 's': {
      const PickleValue& value = pop();
      items = {&pop(), &value};
      break;
    }
    case 'e':
    case 'u':
    case 0x90: items = pop_to_mark(); break;
    default: return false;
  }
  const bool pairs = opcode == 's' || opcode == 'u';
  const Kind kind = pairs ? Kind::Dict : opcode == 0x90 ? Kind::Set : Kind::List;
  if (pairs && items.size() % 2 != 0) refuse("a key has no value");
  PickleValue& target = top(kind, "elements are added to something else");
  target.items.insert(target.items.end(), items.begin(), items.end());
  return true;
}

bool PickleDecoder::memory(unsigned char opcode) {
  switch (opcode) {
    case 'q': remember(take_unsigned(1)); return true;
    case 'r': remember(take_unsigned(4)); return true;
    case 0x94: remember(memo_.size()); return true;
    case 'h': recall(take_unsigned(1)); return true;
    case 'j': recall(take_unsigned(4)); return true;
    case 'p':
    case 'g': {
      bool fits = false;
      const std::int64_t place = parse_integer(take_line(), fits);
      if (!fits || place < 0) refuse("a place in the memory is not a number");
      opcode == 'p' ? remember(static_cast<std::uint64_t>(place))
                    : recall(static_cast<std::uint64_t>(place));
      return true;
    }
    case '0': pop(); return true;
    case '1': pop_to_mark(); return true;
    case '2': {
      const PickleValue& value = pop();
      push(value);
      push(value);
      return true;
    }
    case 0x80: {
      const std::uint64_t protocol = take_unsigned(1);
      if (protocol > 5) refuse(platform::join("protocol ", protocol, " is unknown"));
      return true;
    }
    case 0x95: take_unsigned(8); return true;
    default: return false;
  }
}

bool PickleDecoder::call(unsigned char opcode) {
  switch (opcode) {
    case 'c': {
      const std::string_view module = take_line();
      look_up(module, take_line());
      return true;
    }
    case 0x93: {
      const PickleValue& name = pop();
      const PickleValue& module = pop();
      if (name.kind != Kind::Text || module.kind != Kind::Text) refuse("a global has no name");
      look_up(module.text, name.text);
      return true;
    }
    case 'R': reduce(); return true;
    case 'Q': {
      PickleValue& value = make(Kind::Persistent);
      value.items = {&pop()};
      push(value);
      return true;
    }
    case 'b': {
      // State of objects: nothing that data needs (attributes of an OrderedDict, flags of a dtype).
      pop();
      const PickleValue& target = pop();
      if (target.kind != Kind::Dict && target.kind != Kind::Call)
        refuse("state is given to something that has none");
      push(target);
      return true;
    }
    default: return false;
  }
}

void PickleDecoder::reduce() {
  const PickleValue& arguments = pop();
  const PickleValue& callee = pop();
  if (callee.kind != Kind::Global || arguments.kind != Kind::Tuple)
    refuse(platform::join("a call of a ", name_of(callee.kind)));
  spend(arguments.items.size());
  if (callee.text == kOrderedDict) {
    PickleValue& dict = make(Kind::Dict);
    dict.is_ordered = true;
    for (const PickleValue* list : arguments.items) {
      spend(2 * list->items.size());
      for (const PickleValue* pair : list->items) {
        if (pair->items.size() != 2) refuse("a key has no value");
        dict.items.insert(dict.items.end(), pair->items.begin(), pair->items.end());
      }
    }
    push(dict);
    return;
  }
  PickleValue& value = make(Kind::Call);
  value.text = callee.text;
  value.items = arguments.items;
  push(value);
}

void PickleDecoder::look_up(std::string_view module, std::string_view name) {
  std::string global = platform::join(module, ".", name);
  if (!allows_(global))
    refuse(
        platform::join("it names '", global, "', which is not data; nothing of the file was run"));
  PickleValue& value = make(Kind::Global);
  value.text = std::move(global);
  push(value);
}

PickleValue& PickleDecoder::make(Kind kind) {
  PickleValue& value = values_.emplace_back();
  value.kind = kind;
  return value;
}

const PickleValue& PickleDecoder::pop() {
  const std::size_t bottom = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= bottom) refuse("a value is missing");
  const PickleValue& value = *stack_.back();
  stack_.pop_back();
  return value;
}

PickleValue& PickleDecoder::top(Kind kind, const char* what) {
  if (stack_.empty() || stack_.back()->kind != kind) refuse(what);
  // Every value is ours; only finished parts are shared as constants.
  return const_cast<PickleValue&>(*stack_.back());
}

std::vector<const PickleValue*> PickleDecoder::pop_to_mark() {
  if (marks_.empty()) refuse("a mark is missing");
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<const PickleValue*> items(first, stack_.end());
  stack_.erase(first, stack_.end());
  marks_.pop_back();
  return items;
}

void PickleDecoder::push_sequence(Kind kind, std::vector<const PickleValue*> items) {
  PickleValue& value = make(kind);
  value.items = std::move(items);
  push(value);
}

void PickleDecoder::push_text(Kind kind, std::string_view text) {
  PickleValue& value = make(kind);
  value.text = text;
  push(value);
}

void PickleDecoder::push_integer(std::string_view little_endian) {
  if (little_endian.size() > kMostDigits) refuse("a number is too long");
  const bool is_big = little_endian.size() > 8;
  PickleValue& value = make(is_big ? Kind::BigInt : Kind::Int);
  if (is_big) {
    value.text = little_endian;
  } else {
    const bool is_negative = !little_endian.empty() && (little_endian.back() & 0x80) != 0;
    std::uint64_t bits = is_negative ? ~std::uint64_t{0} : 0;
    std::memcpy(&bits, little_endian.data(), little_endian.size());
    value.integer = static_cast<std::int64_t>(bits);
  }
  push(value);
}

// A list that is remembered can be given to one call after the other, in a few bytes each.
void PickleDecoder::spend(std::size_t elements) {
  if (elements > budget_) refuse("its calls have more arguments than the file can hold");
  budget_ -= elements;
}

std::string_view PickleDecoder::take(std::size_t count) {
  if (count > rest_.size()) refuse("it is cut short");
  const std::string_view part = rest_.substr(0, count);
  rest_.remove_prefix(count);
  position_ += count;
  return part;
}

std::string_view PickleDecoder::take_line() {
  const std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos) refuse("it is cut short");
  const std::string_view line = take(end);
  take(1);
  return line;
}

std::uint64_t PickleDecoder::take_unsigned(int bytes) {
  std::uint64_t value = 0;
  const std::string_view part = take(static_cast<std::size_t>(bytes));
  std::memcpy(&value, part.data(), part.size());
  return value;
}

void PickleDecoder::remember(std::uint64_t place) {
  if (stack_.empty()) refuse("a value is missing");
  memo_[place] = stack_.back();
}

void PickleDecoder::recall(std::uint64_t place) {
  const auto found = memo_.find(place);
  if (found == memo_.end()) refuse("it refers to a value that is not there");
  push(*found->second);
}

void PickleDecoder::refuse(std::string_view why) const {
  platform::fail(ErrorKind::Value, "The pickle is refused at byte ", position_, ": ", why, ".");
}

}  // namespace mycel::formats
