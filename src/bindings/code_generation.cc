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
  op::CodeGenerationStatus now;
  now.state = "off";
  if (const op::CodeGeneration* service = op::code_generation()) now = service->status();
  nb::dict entry;
  entry["state"] = now.state;
  entry["compiled"] = now.compiled;
  entry["from_disk"] = now.from_disk;
  entry["failed"] = now.failed;
  entry["waiting"] = now.waiting;
  entry["seconds"] = now.seconds;
  return entry;
}

void wait() {
  const nb::gil_scoped_release release;
  if (op::CodeGeneration* service = op::code_generation()) service->wait();
}

void stop() {
  const nb::gil_scoped_release release;
  if (op::CodeGeneration* service = op::code_generation()) service->stop();
}

}  // namespace

void bind_code_generation(nb::module_& module) {
  module.def("code_generation_status", status);
  module.def("wait_for_code", wait);
  module.def("set_code_folder", [](const std::string& folder) {
    if (op::CodeGeneration* service = op::code_generation()) service->set_cache_folder(folder);
  });
  module.def("use_generated_code", [](bool use) {
    if (op::CodeGeneration* service = op::code_generation()) service->set_enabled(use);
  });
  // While the interpreter still stands; the system's own exit comes later.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(stop));
}

}  // namespace mycel::bindings
