// SPDX-License-Identifier: Apache-2.0
#include "api/device_choice.h"

#include "api/boundary.h"
#include "device/backend.h"
#include "platform/log/log.h"
#include "platform/options/options.h"

namespace mycel::api {
namespace {

using mindspore::DeviceType;

bool has_gpu() { return device::find_backend("GPU") != nullptr; }

bool is_ascend(DeviceType type) {
  return type == mindspore::kAscend || type == mindspore::kAscend910 ||
         type == mindspore::kAscend310;
}

std::string_view name_of(DeviceType type) {
  switch (type) {
    case mindspore::kCPU: return "CPU";
    case mindspore::kGPU: return "GPU";
    case mindspore::kKirinNPU: return "Kirin NPU";
    case mindspore::kAscend:
    case mindspore::kAscend910:
    case mindspore::kAscend310: return "Ascend";
    default: return "unknown";
  }
}

// Programs that name Ascend run elsewhere if the user says so.
std::string substitute_for_ascend() {
  const std::string wanted = platform::setting("MINDSPORE_CPP_DEVICE");
  require(!wanted.empty(), mindspore::kMCDeviceError,
          "no Ascend device; set MINDSPORE_CPP_DEVICE=cpu|gpu|auto to build for another one");
  require(wanted == "cpu" || wanted == "gpu" || wanted == "auto", mindspore::kMCDeviceError,
          "MINDSPORE_CPP_DEVICE must be cpu, gpu or auto, but got '", wanted, "'");
  require(wanted != "gpu" || has_gpu(), mindspore::kMCDeviceError,
          "no Ascend device, and no GPU either, which MINDSPORE_CPP_DEVICE asks for");
  const std::string device = wanted == "cpu" || !has_gpu() ? "CPU" : "GPU";
  platform::log_warning("no Ascend device: models are built for the ", device,
                        ", as MINDSPORE_CPP_DEVICE says");
  return device;
}

// Programs may go on with them, but not in the belief that they do something.
void warn_of_idle_settings(mindspore::Context& context, mindspore::DeviceInfoContext& device) {
  std::string idle;
  const auto add = [&](bool is_set, std::string_view name) {
    if (is_set) idle += platform::join(idle.empty() ? "" : ", ", name);
  };
  constexpr int kBigCores = 1;
  add(!context.GetThreadAffinityCoreList().empty() || context.GetThreadAffinityMode() == kBigCores,
      "SetThreadAffinity");
  add(context.GetEnableParallel(), "SetEnableParallel");
  add(context.GetInterOpParallelNum() != 0, "SetInterOpParallelNum");
  const auto processor = device.Cast<mindspore::CPUDeviceInfo>();
  add(processor != nullptr && processor->GetEnableFP16(), "SetEnableFP16");
  if (!idle.empty())
    platform::log_warning("settings of the context that have no effect in this release: ", idle);
}

}  // namespace

bool is_available(DeviceType type) {
  if (type == mindspore::kGPU) return has_gpu();
  return type == mindspore::kCPU || type == mindspore::kAllDevice;
}

Target choose_target(mindspore::Context& context) {
  const auto& devices = context.MutableDeviceInfo();
  require(!devices.empty(), mindspore::kMCInvalidInput,
          "the context names no device; add one to Context::MutableDeviceInfo()");
  require(context.GetThreadNum() >= 0, mindspore::kMCInvalidArgs,
          "the number of threads must not be negative, but got ", context.GetThreadNum());
  Target target;
  target.threads = context.GetThreadNum();
  for (const auto& device : devices) {
    require(device != nullptr, mindspore::kMCInvalidInput, "a device of the context is null");
    const DeviceType type = device->GetDeviceType();
    if (!is_available(type)) continue;
    warn_of_idle_settings(context, *device);
    target.device =
        type == mindspore::kGPU || (type == mindspore::kAllDevice && has_gpu()) ? "GPU" : "CPU";
    return target;
  }
  const DeviceType wanted = devices.front()->GetDeviceType();
  if (is_ascend(wanted)) {
    target.device = substitute_for_ascend();
    return target;
  }
  require(
      wanted != mindspore::kGPU, mindspore::kMCDeviceError,
      "no GPU: this package has no plug-in for one, or the machine has none. Use CPUDeviceInfo, "
      "or add it to the context as a second choice");
  refuse(mindspore::kMEFailed, "there is no implementation for the device ", name_of(wanted));
}

}  // namespace mycel::api
