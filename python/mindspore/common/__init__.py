# SPDX-License-Identifier: Apache-2.0
"""Tensors, parameters, types and what else every part of the package uses."""

from importlib import import_module as _import_module

from mindspore._spelling import unknown_in_module as _unknown_in_module
from mindspore.common import dtype
from mindspore.common.tensor import Tensor, tensor

# These modules build on operators, which build on this package: they are opened when first asked for.
_LATER = {
    "COOTensor": "sparse_tensor",
    "CSRTensor": "sparse_tensor",
    "Generator": "generator",
    "Initializer": "initializer",
    "JitConfig": "jit_config",
    "Parameter": "parameter",
    "ParameterTuple": "parameter",
    "RowTensor": "sparse_tensor",
    "RowTensorInner": "sparse_tensor",
    "SparseTensor": "sparse_tensor",
    "Symbol": "symbol",
    "get_seed": "seed",
    "initializer": "initializer",
    "flops_collection": "mindspore.train.callback._flops_collector",
    "jit": "api",
    "jit_class": "api",
    "lazy_inline": "api",
    "load_mindir": "mindspore.train.serialization",
    "ms_class": "api",
    "ms_function": "api",
    "ms_memory_recycle": "api",
    "mutable": "mutable",
    "no_inline": "api",
    "recompute": "recompute",
    "save_mindir": "mindspore.train.serialization",
    "set_dump": "api",
    "set_seed": "seed",
}


def __getattr__(name: str):
    """Names of modules that are opened late."""
    if name in _LATER:
        module = _LATER[name]
        return getattr(_import_module(module if "." in module else f"mindspore.common.{module}"), name)
    if name in dtype.__dict__ and (not name.startswith("_") or name in dtype.__all__):
        return getattr(dtype, name)
    if name.startswith("__"):
        raise AttributeError(f"module 'mindspore.common' has no attribute '{name}'")
    raise _unknown_in_module("mindspore.common", name, lambda: {**globals(), **_LATER})


__all__ = ["Tensor", "dtype", "tensor", *_LATER, *dtype.__all__]  # noqa: PLE0604
