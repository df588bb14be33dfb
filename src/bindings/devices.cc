// SPDX-License-Identifier: Apache-2.0
// Memory statistics, threads, seeds, and devices.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/parts.h"
#include "bindings/tensor_caster.h"
#include "device/backend.h"
#include "device/current.h"
#include "device/named_device.h"
#include "device/pool.h"
#include "eager/random_state.h"
#include "platform/thread/parallel_for.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;
using device::named_device;

nb::dict statistics(const std::string& target) {
  const device::MemoryStatistics now = device::memory_statistics(named_device(target));
  nb::dict entry;
  entry["in_use"] = now.in_use;
  entry["peak_in_use"] = now.peak_in_use;
  entry["reserved"] = now.reserved;
  entry["peak_reserved"] = now.peak_reserved;
  entry["limit"] = now.limit;
  entry["allocations"] = now.allocations;
  entry["backend_allocations"] = now.backend_allocations;
  return entry;
}

}  // namespace

void bind_devices(nb::module_& module) {
  module.def("backend_names", &device::backend_names);
  module.def("device_description", [](const std::string& target) {
    const device::Device device = named_device(target);
    return device::backend_at(device.backend).capabilities(device.index).description;
  });
  module.def("device_count", [](const std::string& target) {
    return device::backend_at(named_device(target).backend).device_count();
  });
  module.def("set_device", [](const std::string& target, int index) {
    device::set_process_device(named_device(target, index));
  });
  module.def("memory_information", [](const std::string& target, int index) {
    const device::Device device = named_device(target, index);
    const auto now = device::backend_at(device.backend).memory_information(index);
    return nb::make_tuple(now.free, now.total);
  });
  module.def(
      "synchronize_device",
      [] {
        const device::Device device = device::current_device();
        device::backend_at(device.backend).synchronize(device.index);
      },
      nb::call_guard<nb::gil_scoped_release>());
  module.def("load_plugin", &device::load_plugin);
  module.def("memory_statistics", statistics);
  module.def("reset_peak_statistics", [](const std::string& target) {
    device::reset_peak_statistics(named_device(target));
  });
  module.def("empty_cache",
             [](const std::string& target) { device::empty_cache(named_device(target)); });
  module.def("set_memory_limit", [](const std::string& target, std::size_t bytes) {
    device::set_memory_limit(named_device(target), bytes);
  });
  module.def("copy_to_device", [](const Tensor& tensor, const std::string& target) {
    return tensor::copy_to_device(tensor, named_device(target));
  });
  module.def("device_of",
             [](const Tensor& tensor) { return device::backend_name(tensor.device().backend); });
  module.def("compute_threads", &platform::compute_threads);
  module.def("set_compute_threads", &platform::set_compute_threads);
  module.def("set_global_seed", &eager::set_global_seed);
  module.def("clear_global_seed", &eager::clear_global_seed);
  module.def("generator_state", &eager::generator_state);
  module.def("set_generator_state",
             [](const std::vector<std::uint64_t>& words) { eager::set_generator_state(words); });
}

}  // namespace mycel::bindings
