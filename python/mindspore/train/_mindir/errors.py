# SPDX-License-Identifier: Apache-2.0
"""How a file that cannot be used is reported."""

from __future__ import annotations


class MindIRError(RuntimeError):
    """A MindIR file is damaged, or needs something that is not there."""


def refuse(reason: str):
    """Raises the error that every mistake in a file ends in."""
    raise MindIRError(f"Load MindIR failed. {reason}")
