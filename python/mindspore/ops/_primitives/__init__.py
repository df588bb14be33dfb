# SPDX-License-Identifier: Apache-2.0
"""Primitive classes that do not follow from an operator's schema."""

from __future__ import annotations

from importlib import import_module

_MODULES = (
    "collective",
    "composed",
    "custom",
    "effects",
    "functions",
    "image",
    "information",
    "padding",
    "registration",
    "sequences",
    "sparse_products",
    "sparse_updates",
    "spectra",
    "volumes",
    "windows",
)


def classes() -> dict:
    """Class name -> class, of all modules of this folder."""
    table = {}
    for name in _MODULES:
        module = import_module(f"mindspore.ops._primitives.{name}")
        table.update({public: getattr(module, public) for public in module.__all__})
    return table
