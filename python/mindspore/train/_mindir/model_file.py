# SPDX-License-Identifier: Apache-2.0
"""Reading MindIR files."""

from __future__ import annotations

import os

from mindspore import _c_expression as _c
from mindspore.train._mindir.func_graph import FuncGraph


def load_func_graph(path: str, key: bytes | None = None, mode="AES-GCM") -> FuncGraph:
    """Reads a MindIR file.

    Args:
        path (str): The file.
        key (bytes): Key of an encrypted file. Default: ``None``.
        mode (Union[str, Callable]): How it was encrypted, or a function of path and key that gives the
            plain content. Default: ``"AES-GCM"``.

    Returns:
        FuncGraph.

    Raises:
        RuntimeError: The file is damaged, encrypted otherwise, or of a form that is not known.
    """
    if key is None or not callable(mode):
        return FuncGraph(_c.load_mindir(path, key or b"", mode if isinstance(mode, str) else ""))
    content = mode(path, key)
    if not isinstance(content, bytes):
        raise RuntimeError(
            f"Load MindIR failed. 'dec_mode' should return bytes, but returned {type(content).__name__}."
        )
    return FuncGraph(_c.read_mindir(content, os.path.dirname(path) or "."))
