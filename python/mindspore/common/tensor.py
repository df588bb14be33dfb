# SPDX-License-Identifier: Apache-2.0
"""Tensor: the extension's type, completed with what is written in Python."""

from __future__ import annotations

from types import FunctionType

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore._failures import explained
from mindspore._spelling import TENSOR_HABITS, NotHere, called_name, keyword_hint
from mindspore.common._tensor import creation, exchange, indexing, numpy_functions, text
from mindspore.common._tensor.creation import tensor as _tensor
from mindspore.ops import _registry

__all__ = ["Tensor", "tensor"]

tensor = creation.tensor = _c.package_function(_tensor)


def _has_init(self) -> bool:
    """Whether an initializer still has to fill the tensor."""
    return self.init is not None


def _names_that_are_there(self) -> list[str]:
    return [name for name in object.__dir__(self) if name not in TENSOR_HABITS or hasattr(self, name)]


def _complete(cls: type) -> None:
    """Puts the Python parts on the type."""
    cls.__name__ = "Tensor"  # without the module, which messages would show
    creation.initialise.__name__ = "Tensor"  # so that messages call it what users call
    creation.initialise.__qualname__ = "Tensor"
    cls.__init__ = _c.package_function(creation.initialise)
    cls.__doc__ = creation.initialise.__doc__
    cls.init_data = creation.init_data
    cls.from_numpy = staticmethod(creation.from_numpy)
    cls.init = None
    cls.const_arg = False
    cls.has_init = property(_has_init)
    cls.__repr__ = text.to_repr
    cls.__str__ = text.to_str
    cls.__format__ = text.to_format
    cls.__iter__ = indexing.iterate
    cls.__contains__ = indexing.contains
    cls.__array__ = exchange.to_array
    cls.__array_ufunc__ = numpy_functions.run_ufunc
    cls.__array_function__ = numpy_functions.run_function
    cls.__reduce__ = exchange.reduce
    cls.__setstate__ = exchange.set_state
    cls.__deepcopy__ = exchange.deep_copy
    cls.__dlpack__ = exchange.dlpack
    cls.__dlpack_device__ = exchange.dlpack_device
    cls.numpy = exchange.numpy
    cls.tolist = exchange.tolist
    cls.get_bytes = exchange.get_bytes


def _add_methods(cls: type) -> None:
    from mindspore.common._tensor import methods

    for name, method in {**_registry.methods(), **methods.METHODS}.items():
        if not hasattr(cls, name) or name in methods.METHODS:
            setattr(cls, name, _c.package_function(method) if isinstance(method, FunctionType) else method)


_complete(Tensor)
_c.set_speller(keyword_hint, called_name)
_c.set_failure_explainer(explained)
_c.set_array_converter(creation.array_of)
_c.set_advanced_indexing(indexing.read, indexing.write, indexing.write_origin)
_add_methods(Tensor)
for _name, _advice in TENSOR_HABITS.items():
    if not hasattr(Tensor, _name):
        setattr(Tensor, _name, NotHere(_name, _advice))
Tensor.__dir__ = _names_that_are_there
