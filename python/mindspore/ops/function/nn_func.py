# SPDX-License-Identifier: Apache-2.0
"""Functions of neural networks."""

from mindspore.ops._forwarding import forward as _forward
from mindspore.ops.function import neural as _neural

_lookup, __dir__ = _forward("mindspore.ops.function.nn_func")


def __getattr__(name: str):
    """A name of `mindspore.ops`, or a helper that libraries import from here."""
    return getattr(_neural, name) if name.startswith("_inter") else _lookup(name)
