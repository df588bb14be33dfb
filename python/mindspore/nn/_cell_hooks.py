# SPDX-License-Identifier: Apache-2.0
"""Functions called before, after and behind a Cell."""

from __future__ import annotations

import itertools

from mindspore._c_expression import note_change
from mindspore.common.hook import HookHandle, check_hook

_hook_numbers = itertools.count(1)


class CellHooks:
    """Registration of hooks."""

    def _cell_register(self, kind: str, hook_fn) -> HookHandle:
        check_hook(hook_fn, f"register_{kind}_hook")
        hooks = self._cell_hooks.setdefault(kind, {})
        number = next(_hook_numbers)
        hooks[number] = hook_fn
        self._cell_changed()

        def take_away():
            note_change()
            hooks.pop(number, None)
            if not hooks:
                self._cell_hooks.pop(kind, None)

        return HookHandle(take_away)

    def register_forward_pre_hook(self, hook_fn) -> HookHandle:
        """Calls ``hook_fn(cell, inputs)`` before `construct`; what it returns replaces the inputs.

        Returns:
            Handle with a method `remove()`.
        """
        return self._cell_register("forward_pre", hook_fn)

    def register_forward_hook(self, hook_fn) -> HookHandle:
        """Calls ``hook_fn(cell, inputs, output)`` after `construct`; what it returns replaces the output.

        Returns:
            Handle with a method `remove()`.
        """
        return self._cell_register("forward", hook_fn)

    def register_backward_hook(self, hook_fn) -> HookHandle:
        """Calls ``hook_fn(cell_id, grad_input, grad_output)`` in backward.

        `grad_input` arrives at the cell (gradients of its outputs), `grad_output` leaves it (gradients of its
        inputs); what the function returns replaces the latter.

        Returns:
            Handle with a method `remove()`.
        """
        return self._cell_register("backward", hook_fn)
