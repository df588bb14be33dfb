# SPDX-License-Identifier: Apache-2.0
"""Graph mode: functions are run once under a recorder and from then on replayed without Python.

`Captured` wraps one function. `surroundings` finds out what it relies on besides its arguments, with the help
of `names`, `code` (whose code it is, what it names), `cell_state` and `questions` (is it still what it was).
`kept` handles what the function writes outside itself, `arguments` the containers it is given. `printing`
keeps `print` in its place among the operators. `differentiated` is for calls inside a gradient, `strict` for
functions that must not fall back. `sizes` learns how a function depends on sizes, `numbers` makes inputs of
numbers; `searching` compares tensors in lists that are searched; `report` tells people what happened.
"""

from __future__ import annotations

from mindspore._capture.function import Captured, call_cell, is_graph_mode, set_graph_mode
from mindspore._capture.report import explain

__all__ = ["Captured", "call_cell", "explain", "is_graph_mode", "set_graph_mode"]
