# SPDX-License-Identifier: Apache-2.0
"""What servable_config.py declares a servable with."""

from mindspore_serving.server.register._device_info import (
    AclOptions,
    AscendDeviceInfo,
    Context,
    CPUDeviceInfo,
    GPUDeviceInfo,
    GpuOptions,
)
from mindspore_serving.server.register._legacy_stages import (
    call_postprocess,
    call_postprocess_pipeline,
    call_preprocess,
    call_preprocess_pipeline,
    call_servable,
)
from mindspore_serving.server.register.method import add_stage, register_method
from mindspore_serving.server.register.model import Model, declare_model, declare_servable

__all__ = [
    "declare_model",
    "Model",
    "AscendDeviceInfo",
    "CPUDeviceInfo",
    "GPUDeviceInfo",
    "Context",
    "register_method",
    "add_stage",
]
