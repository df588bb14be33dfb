# SPDX-License-Identifier: Apache-2.0
"""Operators of ONNX files that are composed in this package, and not in the registry."""

from __future__ import annotations

from mindspore import ops


def call_foreign(name: str, arguments: tuple, attributes: dict, _is_function: bool, _meaning):
    """Calls an operator that the registry does not have.

    Raises:
        NotImplementedError: There is no such operator, or not in this form.
    """
    if name == "Einsum":
        return ops.einsum(attributes["equation"], *arguments)
    mode = attributes.get("mode", "linear")
    if name != "GridSample" or mode not in ("linear", "bilinear", "nearest"):
        raise NotImplementedError(f"The operator '{name}' of ONNX files is not available with mode '{mode}'.")
    return ops.grid_sample(
        *arguments,
        mode="nearest" if mode == "nearest" else "bilinear",
        padding_mode=attributes.get("padding_mode", "zeros"),
        align_corners=bool(attributes.get("align_corners", 0)),
    )
