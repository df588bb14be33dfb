// SPDX-License-Identifier: Apache-2.0
#include "platform/json/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace mycel::platform {

namespace {

constexpr int kMaxDepth = 128;

class Parser {
 public:
  Parser(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}

  Json document() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
    Json value = parse(0);
    skip_blanks();
    if (at_ < text_.size()) mistake("the end of the text");
    return value;
  }

 private:
  // Where the text is wrong, what should be there and what is.
  [[noreturn]] void mistake(std::string_view expected) const {
    const std::string_view before = text_.substr(0, std::min(at_, text_.size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t newline = before.rfind('\n');
    const std::size_t column = before.size() - (newline == before.npos ? 0 : newline + 1) + 1;
    std::string got = "the end of the text";
    if (at_ < text_.size()) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      got = byte >= 0x20 && byte < 0x7f ? join("'", text_[at_], "'")
                                        : join("byte ", static_cast<int>(byte));
    }
    fail(ErrorKind::Runtime, origin_, ": line ", line, ", column ", column, ": expected ", expected,
         ", but got ", got);
  }

  void skip_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
      ++at_;
  }

  bool take(char wanted) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  bool take_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Json parse(int depth) {
    skip_blanks();
    if (depth > kMaxDepth) mistake("at most 128 levels of nesting");
    if (at_ >= text_.size()) mistake("a value");
    const char first = text_[at_];
    if (first == '{') return parse_object(depth);
    if (first == '[') return parse_array(depth);
    if (first == '"') return parse_string();
    if (take_word("true")) return true;
    if (take_word("false")) return false;
    if (take_word("null")) return {};
    if (take_word("NaN")) return std::numeric_limits<double>::quiet_NaN();
    if (take_word("Infinity")) return std::numeric_limits<double>::infinity();
    if (take_word("-Infinity")) return -std::numeric_limits<double>::infinity();
    return parse_number();
  }

  Json parse_object(int depth) {
    ++at_;
    Json::Object members;
    if (take('}')) return members;
    do {
      skip_blanks();
      if (at_ >= text_.size() || text_[at_] != '"') mistake("a member name in quotes");
      std::string name = parse_string();
      if (!take(':')) mistake("':'");
      members.emplace_back(std::move(name), parse(depth + 1));
    } while (take(','));
    if (!take('}')) mistake("',' or '}'");
    return members;
  }

  Json parse_array(int depth) {
    ++at_;
    Json::Array elements;
    if (take(']')) return elements;
    do {
      elements.push_back(parse(depth + 1));
    } while (take(','));
    if (!take(']')) mistake("',' or ']'");
    return elements;
  }

  std::string parse_string() {
    const std::size_t begin = at_++;
    std::string value;
    for (;;) {
      const std::size_t from = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
             static_cast<unsigned char>(text_[at_]) >= 0x20)
        ++at_;
      value += text_.substr(from, at_ - from);
      if (at_ >= text_.size()) mistake("'\"' at the end of a string");
      if (text_[at_] == '"') break;
      if (text_[at_] != '\\') mistake("no control character inside a string");
      ++at_;
      append_escape(value);
    }
    ++at_;
    if (!is_utf8(value)) {
      at_ = begin;
      mistake("a string of UTF-8 text");
    }
    return value;
  }

  void append_escape(std::string& value) {
    static constexpr std::string_view kNames = "\"\\/bfnrt";
    static constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    if (at_ < text_.size() && text_[at_] == 'u') {
      ++at_;
      append_code_point(value, code_point());
      return;
    }
    const std::size_t which = at_ < text_.size() ? kNames.find(text_[at_]) : kNames.npos;
    if (which == kNames.npos) mistake("an escape sequence after '\\'");
    value.push_back(kValues[which]);
    ++at_;
  }

  std::uint32_t hexadecimal() {
    std::uint32_t value = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc() || end != digits.data() + 4 || digits.size() != 4)
      mistake("four hexadecimal digits");
    at_ += 4;
    return value;
  }

  std::uint32_t code_point() {
    const std::uint32_t first = hexadecimal();
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first > 0xDBFF || !take_word("\\u")) mistake("a pair of surrogates");
    const std::uint32_t second = hexadecimal();
    if (second < 0xDC00 || second > 0xDFFF) mistake("the second half of a pair of surrogates");
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }

  static void append_code_point(std::string& value, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { value.push_back(static_cast<char>(byte)); };
    const auto tail = [&](int shift) { put(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) return put(code);
    if (code < 0x800) return put(0xC0 | (code >> 6)), tail(0);
    if (code < 0x10000) return put(0xE0 | (code >> 12)), tail(6), tail(0);
    put(0xF0 | (code >> 18));
    for (const int shift : {12, 6, 0}) tail(shift);
  }

  Json parse_number() {
    std::size_t end = at_;
    while (end < text_.size() && std::string_view("+-.0123456789eE").find(text_[end]) != text_.npos)
      ++end;
    const std::string_view digits = text_.substr(at_, end - at_);
    if (!is_number_form(digits)) mistake("a value");
    const char* const last = digits.data() + digits.size();
    std::int64_t whole = 0;
    if (const auto [stop, error] = std::from_chars(digits.data(), last, whole);
        error == std::errc() && stop == last) {
      at_ = end;
      return whole;
    }
    double value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), last, value);
    if (stop != last) mistake("a number");
    if (error == std::errc::result_out_of_range) mistake("a number that a double can hold");
    at_ = end;
    return value;
  }

  // from_chars takes "01", "1." and ".5", which JSON does not.
  static bool is_number_form(std::string_view digits) {
    const auto is_digit = [&](std::size_t i) {
      return i < digits.size() && digits[i] >= '0' && digits[i] <= '9';
    };
    const auto skip_digits = [&](std::size_t i) {
      while (is_digit(i)) ++i;
      return i;
    };
    std::size_t at = digits.starts_with('-') ? 1 : 0;
    if (!is_digit(at)) return false;
    at = digits[at] == '0' ? at + 1 : skip_digits(at);
    if (at < digits.size() && digits[at] == '.') {
      if (!is_digit(at + 1)) return false;
      at = skip_digits(at + 1);
    }
    if (at < digits.size() && (digits[at] == 'e' || digits[at] == 'E')) {
      ++at;
      if (at < digits.size() && (digits[at] == '+' || digits[at] == '-')) ++at;
      if (!is_digit(at)) return false;
      at = skip_digits(at);
    }
    return at == digits.size();
  }

  std::string_view text_;
  std::string_view origin_;
  std::size_t at_ = 0;
};

void append_quoted(std::string& text, std::string_view value) {
  static constexpr std::string_view kNamed = "\"\\\b\f\n\r\t";
  static constexpr std::string_view kNames = "\"\\bfnrt";
  static constexpr std::string_view kDigits = "0123456789abcdef";
  text.push_back('"');
  for (const char letter : value) {
    const auto byte = static_cast<unsigned char>(letter);
    if (const std::size_t which = kNamed.find(letter); which != kNamed.npos) {
      text.push_back('\\');
      text.push_back(kNames[which]);
    } else if (byte < 0x20) {
      text += "\\u00";
      text.push_back(kDigits[byte >> 4]);
      text.push_back(kDigits[byte & 15]);
    } else {
      text.push_back(letter);
    }
  }
  text.push_back('"');
}

void append_real(std::string& text, double value) {
  if (!std::isfinite(value)) {
    text += "null";
    return;
  }
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  const std::string_view shortest(digits, end);
  text += shortest;
  if (shortest.find_first_of(".e") == shortest.npos) text += ".0";
}

[[noreturn]] void wrong_type(std::string_view wanted, const Json& value) {
  const std::string_view got = value.type_name();
  const bool vowel = got == "array" || got == "object";
  fail(ErrorKind::Runtime, "expected ", wanted, ", but got ",
       value.is_null() ? "" : (vowel ? "an " : "a "), got);
}

}  // namespace

std::string_view Json::type_name() const {
  static constexpr std::string_view kNames[] = {"null",   "boolean", "number", "number",
                                                "string", "array",   "object"};
  return kNames[value_.index()];
}

bool Json::boolean() const {
  if (!is_bool()) wrong_type("a boolean", *this);
  return std::get<1>(value_);
}

std::int64_t Json::integer() const {
  if (is_integer()) return std::get<2>(value_);
  constexpr double kLimit = 9223372036854775808.0;
  if (const double* real = std::get_if<3>(&value_);
      real != nullptr && *real == std::floor(*real) && *real >= -kLimit && *real < kLimit)
    return static_cast<std::int64_t>(*real);
  wrong_type("an integer", *this);
}

double Json::real() const {
  if (is_integer()) return static_cast<double>(std::get<2>(value_));
  if (!is_number()) wrong_type("a number", *this);
  return std::get<3>(value_);
}

const std::string& Json::string() const {
  if (!is_string()) wrong_type("a string", *this);
  return *std::get<4>(value_);
}

const Json::Array& Json::array() const {
  if (!is_array()) wrong_type("an array", *this);
  return *std::get<5>(value_);
}

const Json::Object& Json::object() const {
  if (!is_object()) wrong_type("an object", *this);
  return *std::get<6>(value_);
}

const Json* Json::find(std::string_view name) const {
  if (!is_object()) return nullptr;
  const Object& members = *std::get<6>(value_);
  const auto found = std::find_if(members.rbegin(), members.rend(),
                                  [&](const auto& member) { return member.first == name; });
  return found == members.rend() ? nullptr : &found->second;
}

const Json& Json::at(std::string_view name) const {
  if (!is_object()) wrong_type("an object", *this);
  const Json* member = find(name);
  if (member == nullptr) fail(ErrorKind::Runtime, "the member '", name, "' is missing");
  return *member;
}

std::string Json::text() const {
  std::string text;
  append_to(text);
  return text;
}

void Json::append_to(std::string& text) const {
  if (is_null()) text += "null";
  if (is_bool()) text += std::get<1>(value_) ? "true" : "false";
  if (is_integer()) text += std::to_string(std::get<2>(value_));
  if (value_.index() == 3) append_real(text, std::get<3>(value_));
  if (is_string()) append_quoted(text, string());
  if (is_array()) {
    text.push_back('[');
    for (const Json& element : array()) {
      if (&element != array().data()) text.push_back(',');
      element.append_to(text);
    }
    text.push_back(']');
  }
  if (is_object()) {
    text.push_back('{');
    for (const auto& member : object()) {
      if (&member != object().data()) text.push_back(',');
      append_quoted(text, member.first);
      text.push_back(':');
      member.second.append_to(text);
    }
    text.push_back('}');
  }
}

Json parse_json(std::string_view text, std::string_view origin) {
  return Parser(text, origin).document();
}

Json read_json(const Path& path) {
  const Result<std::string> text = read_text(path);
  if (!text) fail(ErrorKind::Runtime, text.error().message());
  return parse_json(text.value(), path.string());
}

bool is_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto first = static_cast<unsigned char>(text[at]);
    if (first < 0x80) {
      ++at;
      continue;
    }
    const int tails = first >= 0xF0 ? 3 : (first >= 0xE0 ? 2 : 1);
    if (first < 0xC2 || first > 0xF4 || at + static_cast<std::size_t>(tails) >= text.size())
      return false;
    const auto second = static_cast<unsigned char>(text[at + 1]);
    const bool bad_second = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                            (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
    if (bad_second) return false;
    for (int i = 1; i <= tails; ++i)
      if ((static_cast<unsigned char>(text[at + static_cast<std::size_t>(i)]) & 0xC0) != 0x80)
        return false;
    at += static_cast<std::size_t>(tails) + 1;
  }
  return true;
}

}  // namespace mycel::platform
