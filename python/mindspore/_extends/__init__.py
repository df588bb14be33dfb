# SPDX-License-Identifier: Apache-2.0
"""Names of early releases that scripts still import."""


def cell_attr_register(fn=None, attrs=None):
    """Decorator of a Cell's ``__init__`` that early releases asked for; nothing depends on it any more."""
    return fn if fn is not None else lambda function: function


__all__ = ["cell_attr_register"]
