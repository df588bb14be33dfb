// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/data/parts.h"
#include "bindings/data/user_code.h"
#include "data/pipeline/sampler.h"

namespace mycel::bindings {

namespace nb = nanobind;
using namespace data;  // NOLINT: this file is about nothing else

void bind_samplers(nb::module_& module) {
  nb::class_<Sampler>(module, "Sampler")
      .def("set_child", &Sampler::set_child)
      .def("next_pass", &Sampler::next_pass, nb::call_guard<nb::gil_scoped_release>());
  module.def("sequential_sampler", sequential_sampler);
  module.def("random_sampler", random_sampler);
  module.def("subset_sampler", subset_sampler);
  module.def("subset_random_sampler", subset_random_sampler);
  module.def("weighted_sampler", weighted_sampler, nb::arg("seed").none(), nb::arg("weights"),
             nb::arg("limit"), nb::arg("replacement"));
  module.def("class_sampler", class_sampler);
  module.def("python_sampler", python_sampler);
  module.def("distributed_sampler",
             [](std::int64_t shards, std::int64_t shard, bool shuffle, std::uint32_t seed,
                std::int64_t limit, std::int64_t offset) {
               return distributed_sampler({shards, shard, shuffle, seed, limit, offset});
             });
}

}  // namespace mycel::bindings
