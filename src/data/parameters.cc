// SPDX-License-Identifier: Apache-2.0
#include "data/parameters.h"

namespace mycel::data {

using platform::ErrorKind;
using platform::fail;

const Parameters::Value& Parameters::find(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end())
    fail(ErrorKind::Internal, "the argument '", name, "' was not passed on");
  return found->second;
}

void Parameters::wrong_type(std::string_view name, std::string_view wanted) const {
  fail(ErrorKind::Internal, "the argument '", name, "' was passed on as another type than ",
       wanted);
}

bool Parameters::flag(std::string_view name) const {
  if (const auto* value = std::get_if<bool>(&find(name))) return *value;
  wrong_type(name, "bool");
}

std::int64_t Parameters::integer(std::string_view name) const {
  if (const auto* value = std::get_if<std::int64_t>(&find(name))) return *value;
  wrong_type(name, "int");
}

double Parameters::real(std::string_view name) const {
  const Value& value = find(name);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  wrong_type(name, "float");
}

const std::string& Parameters::string(std::string_view name) const {
  if (const auto* value = std::get_if<std::string>(&find(name))) return *value;
  wrong_type(name, "str");
}

Integers Parameters::integers(std::string_view name) const {
  const Value& value = find(name);
  if (const auto* list = std::get_if<Integers>(&value)) return *list;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return {*integer};
  wrong_type(name, "a list of int");
}

Reals Parameters::reals(std::string_view name) const {
  const Value& value = find(name);
  if (const auto* list = std::get_if<Reals>(&value)) return *list;
  if (const auto* list = std::get_if<Integers>(&value)) return {list->begin(), list->end()};
  return {real(name)};
}

Strings Parameters::strings(std::string_view name) const {
  const Value& value = find(name);
  if (const auto* list = std::get_if<Strings>(&value)) return *list;
  if (const auto* list = std::get_if<Integers>(&value); list != nullptr && list->empty()) return {};
  return {string(name)};
}

StringNumbers Parameters::numbers(std::string_view name) const {
  if (const auto* map = std::get_if<StringNumbers>(&find(name))) return *map;
  wrong_type(name, "a dict of int");
}

}  // namespace mycel::data
