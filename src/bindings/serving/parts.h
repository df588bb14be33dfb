// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace mycel::bindings {

void bind_server(nanobind::module_& module);
void bind_worker_channel(nanobind::module_& module);

}  // namespace mycel::bindings
