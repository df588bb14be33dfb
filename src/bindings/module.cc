// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/bridge.h"
#include "bindings/dtype_object.h"
#include "bindings/exceptions.h"
#include "bindings/numpy_exchange.h"
#include "bindings/parts.h"
#include "bindings/tensor_object.h"
#include "capture/declined.h"
#include "platform/error/error.h"

namespace nb = nanobind;

NB_MODULE(_c_expression, module) {
  using namespace mycel::bindings;  // NOLINT: the module is made of these
  nb::set_leak_warnings(false);     // the interpreter may end while tensors are alive
  nb::register_exception_translator([](const std::exception_ptr& failure, void*) {
    try {
      std::rethrow_exception(failure);
    } catch (const mycel::platform::Error&) {
      set_python_error();
    } catch (const mycel::capture::Declined&) {
      set_python_error();
    } catch (const PythonError&) {
    }
  });
  make_dtypes(module.ptr());
  PyModule_AddObjectRef(module.ptr(), "Tensor", reinterpret_cast<PyObject*>(make_tensor_type()));
  module.def("set_package_folder",
             [](const std::string& folder) { set_package_folder(folder.c_str()); });
  static const Bridge bridge{tensor_type,     wrap, filled, tensor_from_buffer, numpy_from_tensor,
                             set_python_error};
  module.attr("_bridge") =
      nb::steal(PyCapsule_New(const_cast<Bridge*>(&bridge), kBridgeName, nullptr));
  bind_operators(module);
  bind_gradient(module);
  bind_recorded_call(module);
  bind_numbers(module);
  bind_devices(module);
  bind_streams(module);
  bind_exchange(module);
  bind_log(module);
  bind_capture(module);
  bind_sessions(module);
  bind_traces(module);
  bind_regions(module);
  bind_guards(module);
  bind_buffers(module);
  bind_code_generation(module);
  bind_checkpoint(module);
  // Scripts ask whether the package was built without summaries and dumps; it never is.
  module.def_submodule("security").def("enable_security", [] { return false; });
  bind_torch_file(module);
  bind_safetensors(module);
  bind_messages(module);
  bind_stored_models(module);
  bind_written_models(module);
}
