// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

#include "bindings/data/items.h"
#include "bindings/data/parts.h"
#include "bindings/data/user_code.h"
#include "bindings/exceptions.h"
#include "platform/error/error.h"

namespace nb = nanobind;

namespace mycel::bindings {

namespace {
const Bridge* lent = nullptr;
}

const Bridge& bridge() { return *lent; }

}  // namespace mycel::bindings

NB_MODULE(_c_data, module) {
  using namespace mycel::bindings;  // NOLINT: the module is made of these
  nb::set_leak_warnings(false);     // the interpreter may end while rows are alive
  const nb::object core = nb::module_::import_("mindspore._c_expression");
  lent = static_cast<const Bridge*>(
      PyCapsule_GetPointer(nb::object(core.attr("_bridge")).ptr(), kBridgeName));
  if (lent == nullptr) throw nb::python_error();
  nb::register_exception_translator([](const std::exception_ptr& failure, void*) {
    try {
      std::rethrow_exception(failure);
    } catch (const mycel::platform::Error&) {
      bridge().set_python_error();
    } catch (const PythonError&) {
    }
  });
  module.def("set_helpers", [](nb::object array, nb::object texts, nb::object text_array,
                               nb::object text_tensor, nb::object traceback, nb::object probe) {
    set_item_helpers(array.ptr(), texts.ptr(), text_array.ptr(), text_tensor.ptr(), probe.ptr());
    set_traceback_writer(traceback.ptr());
  });
  bind_transforms(module);
  bind_samplers(module);
  bind_sources(module);
  bind_stages(module);
  bind_cache(module);
  bind_streams(module);
  bind_record(module);
}
