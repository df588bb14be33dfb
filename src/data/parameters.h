// SPDX-License-Identifier: Apache-2.0
// Named arguments of a source or a transform, as they come from the layer above.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platform/error/error.h"

namespace mycel::data {

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;
using Strings = std::vector<std::string>;
using StringNumbers = std::map<std::string, std::int64_t>;

class Parameters {
 public:
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, Integers,
                             Reals, Strings, StringNumbers>;

  Parameters() = default;
  explicit Parameters(std::map<std::string, Value, std::less<>> values)
      : values_(std::move(values)) {}

  // Given and not None.
  bool has(std::string_view name) const {
    const auto found = values_.find(name);
    return found != values_.end() && found->second.index() != 0;
  }
  // The layer above has checked the types: another one here is our own mistake. An integer serves
  // as a real number, a single number or string as a list of one, an empty list as a list of any
  // type.
  bool flag(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double real(std::string_view name) const;
  const std::string& string(std::string_view name) const;
  Integers integers(std::string_view name) const;
  Reals reals(std::string_view name) const;
  Strings strings(std::string_view name) const;
  StringNumbers numbers(std::string_view name) const;

  void set(std::string name, Value value) { values_[std::move(name)] = std::move(value); }
  const std::map<std::string, Value, std::less<>>& all() const { return values_; }

 private:
  const Value& find(std::string_view name) const;
  [[noreturn]] void wrong_type(std::string_view name, std::string_view wanted) const;
  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace mycel::data
