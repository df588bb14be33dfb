# SPDX-License-Identifier: Apache-2.0
"""Networks that are rewritten as text. It is not filled yet."""

from mindspore._spelling import not_in_this_version as _not_in_this_version

__all__: list[str] = []

__getattr__ = _not_in_this_version(
    globals(),
    instead="A layer is replaced by assigning another: net.name = layer; net.cells_and_names() lists them.",
)
