// SPDX-License-Identifier: Apache-2.0
// The parts of mindspore._c_data, put together in module.cc.
#pragma once

#include "bindings/bridge.h"

namespace nanobind {
class module_;
}

namespace mycel::bindings {

// What mindspore._c_expression lends; filled when the module is imported.
const Bridge& bridge();

void bind_cache(nanobind::module_& module);
void bind_samplers(nanobind::module_& module);
void bind_sources(nanobind::module_& module);
void bind_stages(nanobind::module_& module);
void bind_streams(nanobind::module_& module);
void bind_transforms(nanobind::module_& module);
void bind_record(nanobind::module_& module);

}  // namespace mycel::bindings
