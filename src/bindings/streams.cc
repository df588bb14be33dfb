// SPDX-License-Identifier: Apache-2.0
// Streams and events of devices.
#include <memory>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bindings/parts.h"
#include "device/current.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;
using device::Device;

struct StreamHandle {
  Device device;
  std::shared_ptr<device::Stream> stream;
};

struct EventHandle {
  Device device;
  std::unique_ptr<device::Event> event;
};

StreamHandle default_stream(Device device) {
  device::Stream& stream = device::backend_at(device.backend).default_stream(device.index);
  return {device, std::shared_ptr<device::Stream>(std::shared_ptr<void>(), &stream)};
}

EventHandle new_event(const StreamHandle& stream) {
  return {stream.device,
          device::backend_at(stream.device.backend).create_event(stream.device.index)};
}

}  // namespace

void bind_streams(nb::module_& module) {
  nb::class_<StreamHandle>(module, "DeviceStream")
      .def(
          "synchronize", [](StreamHandle& self) { self.stream->synchronize(); },
          nb::call_guard<nb::gil_scoped_release>())
      .def("is_done", [](StreamHandle& self) { return self.stream->is_done(); })
      .def("make_current",
           [](StreamHandle& self) { device::set_current_stream(self.device, self.stream.get()); });
  nb::class_<EventHandle>(module, "DeviceEvent")
      .def("record",
           [](EventHandle& self, StreamHandle& stream) { self.event->record(*stream.stream); })
      .def("wait",
           [](EventHandle& self, StreamHandle& stream) { self.event->wait(*stream.stream); })
      .def(
          "synchronize", [](EventHandle& self) { self.event->synchronize(); },
          nb::call_guard<nb::gil_scoped_release>())
      .def("is_done", [](EventHandle& self) { return self.event->is_done(); })
      .def("milliseconds_since", [](const EventHandle& self, const EventHandle& begin) {
        return self.event->milliseconds_since(*begin.event);
      });
  module.def("default_stream", [] { return default_stream(device::current_device()); });
  module.def("new_stream", [] {
    const Device device = device::current_device();
    return StreamHandle{device, device::make_stream(device)};
  });
  module.def("new_event", &new_event);
}

}  // namespace mycel::bindings
