// SPDX-License-Identifier: Apache-2.0
// All native transforms by name. One file under image/, transform/ (text/, audio/) registers one:
//
//   MYCEL_TRANSFORM(Resize)
//       .in("vision")
//       .doc("Gives the picture another size.")
//       .parameter({.name = "size", .kind = ParameterKind::Edge, .doc = "…", .low = 1})
//       .input(InputLayout::Video)
//       .sample({.arguments = {{"size", Integers{4, 6}}}, .shape = {8, 9, 3}})
//       .make(make_resize);
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/parameters.h"
#include "data/transform/schema.h"
#include "data/transform/transform.h"

namespace mycel::data {

// Gathers a schema; `make` completes it and puts it into the registry.
class TransformDefinition {
 public:
  explicit TransformDefinition(const char* name) { schema_.name = name; }
  TransformDefinition& in(std::string module) { return set(schema_.module, std::move(module)); }
  TransformDefinition& doc(std::string text) { return set(schema_.doc, std::move(text)); }
  TransformDefinition& input(InputLayout layout) { return set(schema_.layout, layout); }
  TransformDefinition& takes_columns() { return set(schema_.takes_columns, true); }
  TransformDefinition& random() { return set(schema_.is_random, true); }
  TransformDefinition& parameter(ParameterSchema parameter) {
    schema_.parameters.push_back(std::move(parameter));
    return *this;
  }
  TransformDefinition& sample(TransformSample sample) {
    schema_.samples.push_back(std::move(sample));
    return *this;
  }
  bool make(TransformFactory factory);

 private:
  template <class T>
  TransformDefinition& set(T& member, T value) {
    member = std::move(value);
    return *this;
  }
  TransformSchema schema_;
};

#define MYCEL_TRANSFORM(name) \
  [[maybe_unused]] static const bool registered_##name = ::mycel::data::TransformDefinition(#name)

// Arguments that are not given take their defaults; the ranges of the schema are checked.
TransformPtr make_transform(const std::string& name, const Parameters& parameters);
const TransformSchema& transform_schema(const std::string& name);
std::vector<std::string> transform_names();

}  // namespace mycel::data
