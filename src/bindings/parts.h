// SPDX-License-Identifier: Apache-2.0
// The extension's parts, put together in module.cc.
#pragma once

namespace nanobind {
class module_;
}

namespace mycel::bindings {

void bind_gradient(nanobind::module_& module);
void bind_recorded_call(nanobind::module_& module);
void bind_numbers(nanobind::module_& module);
void bind_operators(nanobind::module_& module);
void bind_devices(nanobind::module_& module);
void bind_streams(nanobind::module_& module);
void bind_exchange(nanobind::module_& module);
void bind_log(nanobind::module_& module);
void bind_capture(nanobind::module_& module);
void bind_sessions(nanobind::module_& module);
void bind_traces(nanobind::module_& module);
void bind_code_generation(nanobind::module_& module);
void bind_checkpoint(nanobind::module_& module);
void bind_torch_file(nanobind::module_& module);
void bind_safetensors(nanobind::module_& module);
void bind_guards(nanobind::module_& module);
void bind_buffers(nanobind::module_& module);
void bind_messages(nanobind::module_& module);
void bind_regions(nanobind::module_& module);
void bind_stored_models(nanobind::module_& module);
void bind_written_models(nanobind::module_& module);

}  // namespace mycel::bindings
