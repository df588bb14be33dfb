# SPDX-License-Identifier: Apache-2.0
"""How parameters of new networks are filled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_init_parameters"]


@contextmanager
def no_init_parameters() -> Iterator[None]:
    """Networks made inside may leave their parameters unfilled until they run or are loaded.

    Parameters here are filled when they are made, which costs a little time and changes no value: what is
    loaded later replaces them, and the others have the values they would get then.

    Examples:
        >>> from mindspore import nn
        >>> from mindspore.nn.utils import no_init_parameters
        >>> with no_init_parameters():
        ...     network = nn.Dense(2, 3)
        >>> network.weight.shape
        (3, 2)
    """
    yield
