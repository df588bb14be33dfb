// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings/data/items.h"
#include "bindings/data/parts.h"
#include "bindings/data/remote_code.h"
#include "bindings/data/user_code.h"
#include "data/image/codec/encode_image.h"
#include "data/transform/composite.h"
#include "data/transform/registry.h"

namespace mycel::bindings {

namespace nb = nanobind;
using namespace data;  // NOLINT: this file is about nothing else

namespace {

using SharedTransform = std::shared_ptr<Transform>;

TransformList transform_list(const std::vector<SharedTransform>& transforms) {
  return {transforms.begin(), transforms.end()};
}

SharedTransform shared(const TransformPtr& transform) {
  return std::const_pointer_cast<Transform>(transform);
}

nb::dict described(const ParameterSchema& parameter) {
  nb::dict result;
  result["name"] = parameter.name;
  result["kind"] = name_of(parameter.kind);
  result["doc"] = parameter.doc;
  result["low"] = parameter.low;
  result["high"] = parameter.high;
  result["low_is_open"] = parameter.low_is_open;
  if (parameter.fallback.has_value()) result["default"] = nb::cast(*parameter.fallback);
  return result;
}

// Everything the package makes classes, checks, documentation and tests from.
nb::dict described(const TransformSchema& schema) {
  nb::dict result;
  result["name"] = schema.name;
  result["module"] = schema.module;
  result["doc"] = schema.doc;
  result["layout"] = name_of(schema.layout);
  result["takes_columns"] = schema.takes_columns;
  result["is_random"] = schema.is_random;
  nb::list samples;
  for (const TransformSample& sample : schema.samples) {
    nb::dict arguments;
    for (const auto& [name, value] : sample.arguments) arguments[name.c_str()] = nb::cast(value);
    const std::string_view type = python_name(sample.dtype);
    samples.append(nb::make_tuple(arguments, type == "bool_" ? "bool" : type,
                                  nb::tuple(list_of(sample.shape))));
  }
  result["parameters"] = list_of(
      schema.parameters, [](const ParameterSchema& parameter) { return described(parameter); });
  result["samples"] = samples;
  return result;
}

void bind_composites(nb::module_& module) {
  using Shared = std::vector<SharedTransform>;
  module.def("compose", [](const Shared& list) { return shared(compose(transform_list(list))); });
  module.def("random_apply", [](const Shared& list, double probability) {
    return shared(random_apply(transform_list(list), probability));
  });
  module.def("random_choice",
             [](const Shared& list) { return shared(random_choice(transform_list(list))); });
  module.def("random_order",
             [](const Shared& list) { return shared(random_order(transform_list(list))); });
  module.def("join_neighbours", [](const Shared& list) {
    Shared result;
    for (const ListedTransform& one : join_neighbours(listed(transform_list(list))))
      result.push_back(shared(one.transform));
    return result;
  });
}

void bind_encoders(nb::module_& module) {
  const auto encode = [](auto encoder) {
    return [encoder](nb::handle image, int level) {
      const Item item = item_from_python(image.ptr());
      return python_from_item(unlocked([&] { return encoder(item, level); }));
    };
  };
  module.def("encode_jpeg", encode(encode_jpeg));
  module.def("encode_png", encode(encode_png));
}

}  // namespace

void bind_transforms(nb::module_& module) {
  bind_composites(module);
  bind_encoders(module);
  module.def("transform_schema",
             [](const std::string& name) { return described(transform_schema(name)); });
  nb::class_<Transform>(module, "Transform")
      .def_prop_ro("name", &Transform::name)
      .def_prop_ro("is_random", &Transform::is_random)
      .def(
          "apply",
          [](const Transform& transform, const nb::list& values, std::uint64_t seed,
             std::uint64_t row, std::uint64_t place) {
            Items items;
            for (const nb::handle value : values) items.push_back(item_from_python(value.ptr()));
            unlocked([&] {
              const RowStreams streams(seed, row);
              RowRandom random = streams.at(place);
              TransformContext context{random, nullptr, {}, &streams};
              transform.apply(items, context);
            });
            return list_of(items, python_from_item);
          },
          nb::arg("values"), nb::arg("seed"), nb::arg("row"), nb::arg("place") = 0);
  module.def("make_transform", [](const std::string& name, const nb::dict& arguments) {
    return std::const_pointer_cast<Transform>(
        make_transform(name, parameters_from_dict(arguments)));
  });
  module.def("transform_names", transform_names);
  module.def("row_bits", row_bits);
  module.def("python_transform", [](nb::callable function, std::string name, bool keep_objects) {
    return std::const_pointer_cast<Transform>(
        python_transform(std::move(function), std::move(name), keep_objects));
  });
  module.def("remote_transform",
             [](nb::callable function, std::string name, bool keep_objects, bool seeded) {
               return std::const_pointer_cast<Transform>(
                   remote_transform(std::move(function), std::move(name), {keep_objects, seeded}));
             });
  module.def("unpacked_calls", unpacked_calls);
  module.def("packed_results", packed_results, nb::arg("results"), nb::arg("keep_objects"));
  module.def("packed_source_rows", packed_source_rows);
}

}  // namespace mycel::bindings
