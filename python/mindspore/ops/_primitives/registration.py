# SPDX-License-Identifier: Apache-2.0
"""Descriptions of operators written for other frameworks' kernels; kept as data."""

from __future__ import annotations

from mindspore._later import defined_names

_ELEMENTS = {
    "None": "",
    "BOOL": "bool",
    "I8": "int8",
    "U8": "uint8",
    "I16": "int16",
    "U16": "uint16",
    "I32": "int32",
    "U32": "uint32",
    "I64": "int64",
    "U64": "uint64",
    "F16": "float16",
    "F32": "float32",
    "F64": "float64",
    "C64": "complex64",
    "C128": "complex128",
}
_FORMATS = {
    "None": "",
    "Default": "DefaultFormat",
    "5HD": "NC1HWC0",
    "FracZ": "FRACTAL_Z",
    "FracNZ": "FRACTAL_NZ",
    "C1HWNCoC0": "C1HWNCoC0",
    "NCHW": "NCHW",
    "NHWC": "NHWC",
    "HWCN": "HWCN",
    "NDHWC": "NDHWC",
    "NCDHW": "NCDHW",
    "ChannelLast": "ChannelLast",
}


class DataType:
    """Pairs of element type and layout: `DataType.F32_Default` is ('float32', 'DefaultFormat')."""


for _element, _type in _ELEMENTS.items():
    for _layout, _format in _FORMATS.items():
        setattr(DataType, f"{_element}_{_layout}", (_type, _format))


class _Description:
    """Collects what is said about an operator; every method returns the object itself."""

    def __init__(self, op_name):
        if not isinstance(op_name, str) or not op_name:
            raise ValueError(f"the 'op_name' must be a non-empty string, but got {op_name!r}.")
        self.op_name = op_name
        self.inputs: list[dict] = []
        self.outputs: list[dict] = []
        self.attr_: list[dict] = []
        self.dtype_format_: list[tuple] = []
        self.settings: dict = {}

    def input(self, index=None, name=None, param_type="required", **kwargs):
        """Describes an input."""
        self.inputs.append({"index": index, "name": name, "paramType": param_type, **kwargs})
        return self

    def output(self, index=None, name=None, param_type="required", **kwargs):
        """Describes an output."""
        self.outputs.append({"index": index, "name": name, "paramType": param_type, **kwargs})
        return self

    def attr(self, name=None, param_type=None, value_type=None, default_value=None, **kwargs):
        """Describes an attribute."""
        described = {"name": name, "paramType": param_type, "type": value_type, "defaultValue": default_value}
        self.attr_.append({**described, **kwargs})
        return self

    def dtype_format(self, *args):
        """A supported combination of types and layouts."""
        self.dtype_format_.append(args)
        return self

    def get_op_info(self) -> dict:
        """Everything that was said."""
        return {
            "op_name": self.op_name,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "attr": self.attr_,
            "dtype_format": self.dtype_format_,
            **self.settings,
        }


class CustomRegOp(_Description):
    """Description of a user's own operator."""

    def __init__(self, op_name="Custom"):
        super().__init__(op_name)

    def target(self, target=None):
        """Device of the operator."""
        self.settings["target"] = target
        return self


class CpuRegOp(_Description):
    """Description of a host operator."""


class AiCPURegOp(_Description):
    """Description of an operator for another device."""


class AkgAscendRegOp(_Description):
    """Description of an operator for another device."""


class AkgGpuRegOp(_Description):
    """Description of an operator for another device."""


class TBERegOp(_Description):
    """Description of an operator for another device."""

    def attr(self, name=None, param_type=None, value_type=None, value=None, default_value=None, **kwargs):
        """Describes an attribute."""
        return super().attr(name, param_type, value_type, default_value, value=value, **kwargs)

    def input(
        self,
        index=None,
        name=None,
        need_compile=None,
        param_type=None,
        shape=None,
        value_depend=None,
        **kwargs,
    ):
        """Describes an input."""
        extra = {"needCompile": need_compile, "shape": shape, "valueDepend": value_depend}
        return super().input(index, name, param_type, **extra, **kwargs)

    def output(self, index=None, name=None, need_compile=None, param_type=None, shape=None, **kwargs):
        """Describes an output."""
        return super().output(index, name, param_type, needCompile=need_compile, shape=shape, **kwargs)

    def _set(self, name: str, value):
        self.settings[name] = value
        return self

    def async_flag(self, async_flag=False):
        """Sets 'async_flag'."""
        return self._set("async_flag", async_flag)

    def binfile_name(self, binfile_name):
        """Sets 'binfile_name'."""
        return self._set("binfile_name", binfile_name)

    def compute_cost(self, compute_cost=10):
        """Sets 'compute_cost'."""
        return self._set("compute_cost", compute_cost)

    def dynamic_compile_static(self, dynamic_compile_static=False):
        """Sets 'dynamic_compile_static'."""
        return self._set("dynamic_compile_static", dynamic_compile_static)

    def dynamic_rank_support(self, dynamic_rank_support):
        """Sets 'dynamic_rank_support'."""
        return self._set("dynamic_rank_support", dynamic_rank_support)

    def dynamic_shape(self, dynamic_shape=False):
        """Sets 'dynamic_shape'."""
        return self._set("dynamic_shape", dynamic_shape)

    def fusion_type(self, fusion_type):
        """Sets 'fusion_type'."""
        return self._set("fusion_type", fusion_type)

    def input_to_attr_index(self, input_to_attr_index):
        """Sets 'input_to_attr_index'."""
        return self._set("input_to_attr_index", input_to_attr_index)

    def is_dynamic_format(self, is_dynamic_format=False):
        """Sets 'is_dynamic_format'."""
        return self._set("is_dynamic_format", is_dynamic_format)

    def kernel_name(self, kernel_name):
        """Sets 'kernel_name'."""
        return self._set("kernel_name", kernel_name)

    def need_check_supported(self, need_check_supported=False):
        """Sets 'need_check_supported'."""
        return self._set("need_check_supported", need_check_supported)

    def op_pattern(self, pattern=None):
        """Sets 'op_pattern'."""
        return self._set("op_pattern", pattern)

    def partial_flag(self, partial_flag=True):
        """Sets 'partial_flag'."""
        return self._set("partial_flag", partial_flag)

    def real_input_index(self, real_input_index):
        """Sets 'real_input_index'."""
        return self._set("real_input_index", real_input_index)

    def reshape_type(self, reshape_type):
        """Sets 'reshape_type'."""
        return self._set("reshape_type", reshape_type)

    def unknown_shape_formats(self, unknown_shape_formats):
        """Sets 'unknown_shape_formats'."""
        return self._set("unknown_shape_formats", unknown_shape_formats)


def op_info_register(op_info):
    """Decorator that keeps a description with a function."""

    def keep(function):
        function.op_info = op_info
        return function

    return keep


def custom_info_register(*reg_info):
    """Decorator that keeps descriptions with a function for `ops.Custom`."""

    def keep(function):
        function.reg_info = [
            info.get_op_info() if hasattr(info, "get_op_info") else info for info in reg_info
        ]
        return function

    return keep


__all__ = defined_names(globals())
