// SPDX-License-Identifier: Apache-2.0
// Memory statistics, threads, seeds, random arrays of NumPy, and devices.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/parts.h"
#include "bindings/tensor_caster.h"
#include "device/backend.h"
#include "device/pool.h"
#include "eager/random_state.h"
#include "platform/error/error.h"
#include "platform/random/philox.h"
#include "platform/thread/parallel_for.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;

device::Device device_named(const std::string& name) {
  platform::require(device::find_backend(name) != nullptr, platform::ErrorKind::Runtime,
                    "Unsupported device target ", name);
  return {device::reserve_backend(name), 0};
}

nb::dict statistics(const std::string& target) {
  const device::MemoryStatistics now = device::memory_statistics(device_named(target));
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

using FloatArray = nb::ndarray<float, nb::c_contig, nb::device::cpu>;

// Sets every element to what draw(words, value) makes of random words, which depend on the seed,
// the element and the attempt only; false: once more.
template <class Draw>
void fill(std::uint64_t seed, const FloatArray& target, const Draw& draw) {
  float* const values = target.data();
  const auto count = static_cast<std::uint64_t>(target.size());
  const nb::gil_scoped_release release;
  for (std::uint64_t i = 0; i < count; ++i) {
    bool accepted = false;
    for (std::uint64_t attempt = 0; !accepted; ++attempt)
      accepted = draw(platform::random_block(seed, i, attempt), values[i]);
  }
}

float normal_of(const platform::RandomBlock& block, float mean, float deviation) {
  float first = 0;
  float second = 0;
  platform::normal_floats(block.word[0], block.word[1], first, second);
  return mean + deviation * first;
}

void fill_normal(std::uint64_t seed, const FloatArray& target, float mean, float deviation) {
  fill(seed, target, [&](const platform::RandomBlock& block, float& value) {
    value = normal_of(block, mean, deviation);
    return true;
  });
}

void fill_uniform(std::uint64_t seed, const FloatArray& target, float low, float high) {
  fill(seed, target, [&](const platform::RandomBlock& block, float& value) {
    value = low + (high - low) * platform::uniform_float(block.word[0]);
    return true;
  });
}

// Bounds count from the mean in deviations.
void fill_truncated(std::uint64_t seed, const FloatArray& target, float low, float high, float mean,
                    float deviation) {
  platform::require(low < high && high - low > 1e-3F && low < 4 && high > -4,
                    platform::ErrorKind::Value, "no normal numbers lie between ", low, " and ",
                    high, " deviations.");
  fill(seed, target, [&](const platform::RandomBlock& block, float& value) {
    const float normal = normal_of(block, 0, 1);
    value = mean + deviation * normal;
    return normal >= low && normal <= high;
  });
}

}  // namespace

void bind_devices(nb::module_& module) {
  module.def("backend_names", &device::backend_names);
  module.def("device_description", [](const std::string& target) {
    const device::Device device = device_named(target);
    return device::backend_at(device.backend).capabilities(device.index).description;
  });
  module.def("load_plugin", &device::load_plugin);
  module.def("memory_statistics", statistics);
  module.def("reset_peak_statistics", [](const std::string& target) {
    device::reset_peak_statistics(device_named(target));
  });
  module.def("empty_cache",
             [](const std::string& target) { device::empty_cache(device_named(target)); });
  module.def("set_memory_limit", [](const std::string& target, std::size_t bytes) {
    device::set_memory_limit(device_named(target), bytes);
  });
  module.def("copy_to_device", [](const Tensor& tensor, const std::string& target) {
    return tensor::copy_to_device(tensor, device_named(target));
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
  // Scripts know these names.
  module.def("_random_normal", fill_normal);
  module.def("_random_uniform", fill_uniform);
  module.def("_truncated_normal", fill_truncated);
}

}  // namespace mycel::bindings
