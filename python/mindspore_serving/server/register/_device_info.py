# SPDX-License-Identifier: Apache-2.0
"""Options of models: threads, and what devices of each kind should do."""

from mindspore_serving._arguments import check_bool, check_int, check_ints, check_str

_PRECISIONS = ("origin", "fp16")
_ASCEND_CHOICES = {
    "input_format": ("ND", "NCHW", "NHWC", "CHWN", "NC1HWC0", "NHWC1C0"),
    "output_type": ("FP32", "FP16", "UINT8"),
    "precision_mode": ("force_fp16", "allow_fp32_to_fp16", "must_keep_origin_dtype", "allow_mix_precision"),
    "op_select_impl_mode": ("high_performance", "high_precision"),
    "buffer_optimize_mode": ("off_optimize", "l1_optimize", "l2_optimize", "l1_and_l2_optimize"),
}
_ASCEND_TEXTS = ("insert_op_cfg_path", "input_shape", "fusion_switch_config_path")


class _ModelContext:
    """What a Context holds."""

    def __init__(self):
        self.thread_num = 0
        self.thread_affinity_core_list = []
        self.enable_parallel = False
        self.device_list = []

    def append_device_info(self, info):
        self.device_list.append(info)

    def options_of(self, device_type):
        return next((info for info in self.device_list if info["device_type"] == device_type), {})


class Context:
    """How a model is run.

    Args:
        thread_num (int): Threads it runs on; all processors' when it is not given.
        thread_affinity_core_list (Union[list[int], tuple[int]]): Processors it runs on. Has no effect yet.
        enable_parallel (bool): Independent operators at the same time. Has no effect yet.
    """

    def __init__(self, **options):
        self.model_context = _ModelContext()
        self.device_types = []
        for name, value in options.items():
            if name == "thread_num":
                check_int(name, value, 1)
            elif name == "thread_affinity_core_list":
                value = list(check_ints(name, value, 0))
            elif name == "enable_parallel":
                check_bool(name, value)
            else:
                raise RuntimeError(f"Set context failed, unsupported option {name}")
            setattr(self.model_context, name, value)

    def append_device_info(self, device_info):
        """Adds the options for one kind of device, of which there can be one."""
        if not isinstance(device_info, DeviceInfoContext):
            raise RuntimeError(
                "Parameter 'device_info' should instance of CPUDeviceInfo, GPUDeviceInfo, or "
                f"AscendDeviceInfo, but actually {type(device_info)}"
            )
        device_type = device_info.context_map["device_type"]
        if device_type in self.device_types:
            raise RuntimeError(f"Device info of type {device_type} has already been appended")
        self.device_types.append(device_type)
        self.model_context.append_device_info(device_info.context_map)


class DeviceInfoContext:
    """Options for one kind of device."""

    _device_type = ""
    _choices = {"precision_mode": _PRECISIONS}
    _texts = ()

    def __init__(self, **options):
        self.context_map = {"device_type": self._device_type}
        title = "Set {} device info failed, unsupported option {}"
        for name, value in options.items():
            if name not in self._choices and name not in self._texts:
                raise RuntimeError(title.format(self._device_type, name))
            check_str(name, value)
            choices = self._choices.get(name)
            if choices is not None and value not in choices:
                told = ", ".join(f"'{choice}'" for choice in choices)
                raise RuntimeError(
                    f"{self._device_type.capitalize()} device info '{name}' can only be {told}, "
                    f"actually given '{value}'"
                )
            self.context_map[name] = value


class CPUDeviceInfo(DeviceInfoContext):
    """Options for CPUs: ``precision_mode``: "origin" (default), or "fp16" where operators have it."""

    _device_type = "cpu"


class GPUDeviceInfo(DeviceInfoContext):
    """Options for GPUs: ``precision_mode``: "origin" (default) or "fp16"."""

    _device_type = "gpu"


class AscendDeviceInfo(DeviceInfoContext):
    """Options for Ascend: insert_op_cfg_path, input_format, input_shape, output_type, precision_mode,
    op_select_impl_mode, fusion_switch_config_path, buffer_optimize_mode."""

    _device_type = "ascend"
    _choices = _ASCEND_CHOICES
    _texts = _ASCEND_TEXTS


class AclOptions:
    """Options for Ascend as they were given before :class:`Context`."""

    def __init__(self, **options):
        self.context = Context()
        self.context.append_device_info(AscendDeviceInfo(**options))


class GpuOptions:
    """Options for GPUs as they were given before :class:`Context`."""

    def __init__(self, **options):
        self.context = Context()
        self.context.append_device_info(GPUDeviceInfo(**options))
