// SPDX-License-Identifier: Apache-2.0
#include "device/named_device.h"

#include "device/current.h"
#include "platform/error/error.h"

namespace mycel::device {

using platform::ErrorKind;

Device named_device(std::string_view name) {
  platform::require(find_backend(name) != nullptr, ErrorKind::Runtime, "Unsupported device target ",
                    name);
  const Device current = current_device();
  const std::uint8_t backend = reserve_backend(name);
  return {backend, current.backend == backend ? current.index : std::uint8_t{0}};
}

Device named_device(std::string_view name, int index) {
  Device device = named_device(name);
  const int count = backend_at(device.backend).device_count();
  platform::require(0 <= index && index < count, ErrorKind::Runtime, "there is no device ", index,
                    " of ", name, ": there are ", count,
                    ". Set 'device_id' to a number below that.");
  device.index = static_cast<std::uint8_t>(index);
  return device;
}

}  // namespace mycel::device
