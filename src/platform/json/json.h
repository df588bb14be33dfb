// SPDX-License-Identifier: Apache-2.0
// JSON: annotations, schemas, headers of MindRecord and safetensors files. What is read
// comes from files nobody vouches for, so nesting is bounded and every mistake is told with its
// place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "platform/file/file.h"

namespace mycel::platform {

// One value; 16 bytes, so that an annotation file of many million numbers fits memory. Move-only.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;  // in the order of the text

  Json() = default;                                      // null
  Json(bool value) : value_(value) {}                    // NOLINT: a value is JSON
  Json(std::int64_t value) : value_(value) {}            // NOLINT
  Json(int value) : value_(std::int64_t{value}) {}       // NOLINT
  Json(double value) : value_(value) {}                  // NOLINT
  Json(const char* value) : Json(std::string(value)) {}  // NOLINT
  Json(std::string value) : value_(std::make_unique<std::string>(std::move(value))) {}  // NOLINT
  Json(Array value) : value_(std::make_unique<Array>(std::move(value))) {}              // NOLINT
  Json(Object value) : value_(std::make_unique<Object>(std::move(value))) {}            // NOLINT

  bool is_null() const { return value_.index() == 0; }
  bool is_bool() const { return value_.index() == 1; }
  bool is_integer() const { return value_.index() == 2; }
  bool is_number() const { return value_.index() == 2 || value_.index() == 3; }
  bool is_string() const { return value_.index() == 4; }
  bool is_array() const { return value_.index() == 5; }
  bool is_object() const { return value_.index() == 6; }
  std::string_view type_name() const;  // "null", "boolean", "number", "string", "array", "object"

  // RuntimeError "expected a string, but got a number" when the value is of another type.
  bool boolean() const;
  std::int64_t integer() const;  // 3.0 is an integer too
  double real() const;           // any number
  const std::string& string() const;
  const Array& array() const;
  const Object& object() const;

  // A member of an object. find: null when there is none (or this is no object). at: RuntimeError
  // naming the member. Of members with the same name the last one counts.
  const Json* find(std::string_view name) const;
  const Json& at(std::string_view name) const;

  // No blanks, members in their order, text as raw UTF-8. Numbers that JSON cannot hold become
  // null.
  std::string text() const;

 private:
  void append_to(std::string& text) const;
  std::variant<std::monostate, bool, std::int64_t, double, std::unique_ptr<std::string>,
               std::unique_ptr<Array>, std::unique_ptr<Object>>
      value_;
};

// RuntimeError "<origin>: line 3, column 7: expected ..., but got ..." for what is not JSON. NaN
// and Infinity are taken, since Python writes them.
Json parse_json(std::string_view text, std::string_view origin);

// The same for a whole file. RuntimeError when it cannot be read.
Json read_json(const Path& path);

// The bytes are well-formed UTF-8.
bool is_utf8(std::string_view text);

}  // namespace mycel::platform
