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
    "jit": "api",
    "jit_class": "api",
    "lazy_inline": "api",
    "ms_class": "api",
    "ms_function": "api",
    "ms_memory_recycle": "api",
    "mutable": "mutable",
    "no_inline": "api",
    "recompute": "recompute",
    "set_dump": "api",
    "set_seed": "seed",
}


def __getattr__(name: str):
    """Names of modules that are opened late."""
    if name in _LATER:
        return getattr(_import_module(f"mindspore.common.{_LATER[name]}"), name)
    if name in dtype.__dict__ and not name.startswith("_"):
        return getattr(dtype, name)
    if name.startswith("__"):
        raise AttributeError(f"module 'mindspore.common' has no attribute '{name}'")
    raise _unknown_in_module("mindspore.common", name, lambda: {**globals(), **_LATER})
