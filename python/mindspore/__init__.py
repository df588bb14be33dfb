# SPDX-License-Identifier: Apache-2.0
"""Mycel: deep learning with MindSpore's interface."""

from mindspore.version import __version__  # noqa: F401  (first: it must be there even if a later import fails)
