# SPDX-License-Identifier: Apache-2.0
"""Functions with the names and arguments of SciPy. None is there yet: a name says so when it is used."""


def __getattr__(name: str) -> object:
    """What to use instead."""
    if name.startswith("__"):
        raise AttributeError(f"module 'mindspore.scipy' has no attribute '{name}'")
    raise AttributeError(
        f"module 'mindspore.scipy' has no attribute '{name}' in this release. Use mindspore.ops, or SciPy "
        "itself with Tensor.asnumpy()."
    )
