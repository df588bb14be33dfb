# SPDX-License-Identifier: Apache-2.0
"""Methods of Tensor whose signature differs from that of an operator."""

from __future__ import annotations

from mindspore.common._tensor.methods import (
    arithmetic,
    arrangement,
    conversion,
    delegated,
    reduction,
    selection,
    state,
)

METHODS = {
    name: value
    for module in (delegated, arithmetic, arrangement, conversion, reduction, selection, state)
    for name, value in module.METHODS.items()
}
