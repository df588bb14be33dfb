# SPDX-License-Identifier: Apache-2.0
"""Methods that have the names of the functions that define them."""

from __future__ import annotations

from collections.abc import Callable

from mindspore._later import defined_names


def named_methods(namespace: dict) -> dict[str, Callable]:
    """Method name -> function, of the functions of a module whose names neither begin nor end with ``_``.

    Args:
        namespace (dict): ``globals()`` of the module, after its functions.
    """
    return {name: namespace[name] for name in defined_names(namespace) if not name.endswith("_")}
