# SPDX-License-Identifier: Apache-2.0
"""Lists and tuples that are searched for a tensor: `x in values`, `values.count(x)`, `index`, `remove`.

Python asks of each element whether it is equal, and wants one answer; tensors of several elements have many.
In a compiled function they are compared as wholes, by shape, type and all elements, and so they are
when it runs eagerly.
"""

from __future__ import annotations

import ast
import dis
import functools
import sys
from types import CodeType

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore._capture.source import expression_at

_compiled: dict[int, CodeType] = {}  # by identity: functions that have been compiled, and search
_SEARCHES = frozenset(("contains", "count", "countOf", "index", "indexOf", "remove"))


@functools.lru_cache(1024)
def _is_search(code: CodeType, offset: int) -> bool:
    """Whether an instruction searches; of a call only the text tells."""
    operation = dis.opname[code.co_code[offset]]
    if "CALL" not in operation:
        return operation == "CONTAINS_OP"
    call = expression_at(code, offset)
    if not isinstance(call, ast.Call):
        return False
    called = call.func
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name in _SEARCHES


def note_compiled(code: CodeType) -> None:
    """Code that means the same where it runs eagerly."""
    if id(code) in _compiled or not _may_search(code):
        return
    _compiled[id(code)] = code
    _c.search_eagerly()


def _may_search(code: CodeType) -> bool:
    named = not _SEARCHES.isdisjoint(code.co_names)
    return named or any(each.opname == "CONTAINS_OP" for each in dis.get_instructions(code))


def _equal_as_wholes(tensor: Tensor, other):
    """The answer to whether an element of what is searched is what is sought; None: nothing is searched."""
    frame = sys._getframe(1)
    code = frame.f_code
    if not (_c.is_capturing() or id(code) in _compiled) or not _is_search(code, frame.f_lasti):
        return None
    is_tensor = isinstance(other, Tensor)
    if tensor.size == 1 and (not is_tensor or other.size == 1):
        return None  # one answer, as Python has it
    if not is_tensor or tensor.shape != other.shape or tensor.dtype is not other.dtype:
        return False
    return (tensor == other).all()


_c.set_search_asker(_equal_as_wholes)
