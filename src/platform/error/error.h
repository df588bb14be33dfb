// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace mycel::platform {

// What went wrong, in the classes a Python caller distinguishes. Each kind is one Python exception;
// the translation lives in bindings/exceptions.cc and nowhere else.
enum class ErrorKind : std::uint8_t {
  Type,
  Value,
  Index,
  Key,
  Attribute,
  Runtime,
  NotImplemented,
  Memory,
  Io,
  Internal,  // our own bug
};

std::string_view name_of(ErrorKind kind);

class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorKind kind_;
  std::string message_;
};

// Text building for messages: strings, characters, numbers, and whatever has a `to_string(x)`.
void append_text(std::string& text, std::string_view part);
void append_text(std::string& text, double part);
void append_text(std::string& text, long long part);
void append_text(std::string& text, unsigned long long part);
void append_text(std::string& text, bool part);

template <class Part>
void append_part(std::string& text, const Part& part) {
  if constexpr (std::is_same_v<Part, bool>) {
    append_text(text, part);
  } else if constexpr (std::is_same_v<Part, char>) {
    text.push_back(part);
  } else if constexpr (std::is_floating_point_v<Part>) {
    append_text(text, static_cast<double>(part));
  } else if constexpr (std::is_integral_v<Part> && std::is_signed_v<Part>) {
    append_text(text, static_cast<long long>(part));
  } else if constexpr (std::is_integral_v<Part>) {
    append_text(text, static_cast<unsigned long long>(part));
  } else if constexpr (std::is_convertible_v<const Part&, std::string_view>) {
    append_text(text, std::string_view(part));
  } else {
    append_text(text, std::string_view(to_string(part)));
  }
}

template <class... Parts>
std::string join(const Parts&... parts) {
  std::string text;
  (append_part(text, parts), ...);
  return text;
}

template <class... Parts>
[[noreturn]] void fail(ErrorKind kind, const Parts&... parts) {
  throw Error(kind, join(parts...));
}

template <class... Parts>
void require(bool ok, ErrorKind kind, const Parts&... parts) {
  if (!ok) [[unlikely]]
    throw Error(kind, join(parts...));  // text is built only on failure
}

// A value, or the error the caller is expected to handle (a missing file, a cache miss).
template <class T>
class Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}
  explicit operator bool() const { return content_.index() == 0; }
  const T& value() const& { return check(), std::get<0>(content_); }
  T value() && { return check(), std::get<0>(std::move(content_)); }
  const Error& error() const { return std::get<1>(content_); }

 private:
  void check() const {
    if (content_.index() != 0) throw std::get<1>(content_);
  }
  std::variant<T, Error> content_;
};

}  // namespace mycel::platform
