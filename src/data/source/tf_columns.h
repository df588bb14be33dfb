// SPDX-License-Identifier: Apache-2.0
// Columns of a TFRecord data set: what a schema says about them, and how a feature becomes a value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/item.h"
#include "data/parameters.h"
#include "data/source/tf_example.h"

namespace mycel::data {

struct TfColumn {
  enum class Type : std::uint8_t { ByFeature, Text, Number };
  std::string name;
  Type type = Type::ByFeature;
  DType dtype = DType::UInt8;  // of Type::Number
  std::optional<Shape> shape;  // -1: to be computed; none: one axis
};

// The columns of parameters `schema_names`, `schema_types` and `schema_shapes` ("2,-1"; "*": none).
std::vector<TfColumn> schema_columns(const Parameters& parameters);

// Lists of bytes are made equally long with blanks. RuntimeError when type or shape do not fit.
Item tf_item(const TfFeature& feature, const TfColumn& column);

}  // namespace mycel::data
