// SPDX-License-Identifier: Apache-2.0
// Code that is compiled for formulas while the program runs.
#include "operator/code_generation.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/parts.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;

nb::dict status() {
  const op::CodeGenerationStatus now = op::code_generation().status();
  nb::dict entry;
  entry["state"] = now.state;
  entry["compiled"] = now.compiled;
  entry["from_disk"] = now.from_disk;
  entry["failed"] = now.failed;
  entry["waiting"] = now.waiting;
  entry["seconds"] = now.seconds;
  return entry;
}

}  // namespace

void bind_code_generation(nb::module_& module) {
  module.def("code_generation_status", status);
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  module.def(
      "wait_for_code", [] { op::code_generation().wait(); }, unlocked);
  module.def("set_code_folder",
             [](const std::string& folder) { op::code_generation().set_cache_folder(folder); });
  module.def("use_generated_code", [](bool use) { op::code_generation().set_enabled(use); });
  // While the interpreter still stands; the system's own exit comes later.
  nb::module_::import_("atexit").attr("register")(
      nb::cpp_function([] { op::code_generation().stop(); }, unlocked));
}

}  // namespace mycel::bindings
