// SPDX-License-Identifier: Apache-2.0
#include "operator/host_way.h"

#include <mutex>
#include <set>
#include <utility>

#include "operator/registry.h"
#include "operator/written_input.h"
#include "platform/log/log.h"
#include "platform/options/options.h"

namespace mycel::op {
namespace {

bool is_wanted() {
  static const bool wanted = [] {
    const std::string what = platform::setting("MYCEL_MISSING_KERNELS");
    platform::require(what == "host" || what == "error", ErrorKind::Value,
                      "the environment variable 'MYCEL_MISSING_KERNELS' must be host or error, but "
                      "got '",
                      what, "'.");
    return what == "host";
  }();
  return wanted;
}

void tell_once(const OpDef& definition, device::Device device) {
  static std::mutex mutex;
  static std::set<std::pair<const OpDef*, std::uint8_t>> told;
  {
    const std::lock_guard guard(mutex);
    if (!told.emplace(&definition, device.backend).second) return;
  }
  platform::log_warning("'", definition.shown_name(), "' has no kernel on ",
                        device::backend_name(device.backend),
                        ": it runs on the CPU, with copies both ways.");
}

Tensor on_host(const Tensor& tensor) {
  if (!tensor.defined() || tensor.device().backend == device::kHostBackend) return tensor;
  return tensor::copy_to_device(tensor, {});
}

}  // namespace

void run_through_host(KernelContext& kernel) {
  const OpDef& definition = kernel.definition();
  std::vector<Tensor> inputs, outputs;
  for (const Tensor& input : kernel.inputs()) inputs.push_back(on_host(input));
  for (std::size_t i = 0; i < kernel.output_count(); ++i) {
    const int written = written_input(definition, i);
    const Tensor& output = kernel.output(i);
    if (written >= 0) {
      outputs.push_back(inputs[static_cast<std::size_t>(written)]);
    } else {
      outputs.push_back(output.defined() ? Tensor::empty(output.shape(), output.dtype())
                                         : Tensor());
    }
  }
  KernelContext host(definition, kernel.attributes(), inputs, outputs);
  host.random_seed = kernel.random_seed;
  host.random_offset = kernel.random_offset;
  run_kernel(host, {});
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (kernel.output(i).defined()) {
      tensor::copy_elements(outputs[i], kernel.output(i));
    } else {
      kernel.output(i) = tensor::copy_to_device(outputs[i], kernel.device());
    }
  }
}

bool may_run_through_host(const OpDef& definition, device::Device device) {
  const bool has_kernel =
      definition.is_elementwise() || !definition.kernels[device::kHostBackend].empty();
  if (!has_kernel || !is_wanted()) return false;
  tell_once(definition, device);
  return true;
}

}  // namespace mycel::op
