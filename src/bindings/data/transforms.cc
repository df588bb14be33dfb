// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/data/items.h"
#include "bindings/data/parts.h"
#include "bindings/data/user_code.h"
#include "data/transform/registry.h"

namespace mycel::bindings {

namespace nb = nanobind;
using namespace data;  // NOLINT: this file is about nothing else

void bind_transforms(nb::module_& module) {
  nb::class_<Transform>(module, "Transform")
      .def_prop_ro("name", &Transform::name)
      .def_prop_ro("is_random", &Transform::is_random)
      .def("apply", [](const Transform& transform, const nb::list& values, std::uint64_t seed,
                       std::uint64_t stream) {
        Items items;
        for (const nb::handle value : values) items.push_back(item_from_python(value.ptr()));
        {
          const nb::gil_scoped_release release;
          RowRandom random(seed, stream);
          TransformContext context{random, nullptr};
          transform.apply(items, context);
        }
        nb::list results;
        for (const Item& item : items) results.append(nb::steal(python_from_item(item)));
        return results;
      });
  module.def("make_transform", [](const std::string& name, const nb::dict& arguments) {
    return std::const_pointer_cast<Transform>(
        make_transform(name, parameters_from_dict(arguments)));
  });
  module.def("transform_names", transform_names);
  module.def("python_transform", [](nb::callable function, std::string name, bool keep_objects) {
    return std::const_pointer_cast<Transform>(
        python_transform(std::move(function), std::move(name), keep_objects));
  });
}

}  // namespace mycel::bindings
