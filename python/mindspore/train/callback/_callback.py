# SPDX-License-Identifier: Apache-2.0
"""What a callback is, what it is given, and how a list of them is called."""

from __future__ import annotations

import difflib
from contextlib import ExitStack
from typing import Any

import numpy as np

from mindspore import log as logger
from mindspore._settings.telling import warn_once
from mindspore._wording import Wording
from mindspore.common.tensor import Tensor

_WHEN = {
    "begin": "once before",
    "epoch_begin": "before each epoch of",
    "step_begin": "before each step of",
    "step_end": "after each step of",
    "epoch_end": "after each epoch of",
    "end": "once after",
}
_MOMENTS = tuple(_WHEN)
HOOKS = tuple(f"on_{mode}_{moment}" for mode in ("train", "eval") for moment in _MOMENTS)


def when_called(mode: str, moment: str) -> str:
    """The sentence that says when a hook is called."""
    if mode == "train":
        return f"Called {_WHEN[moment]} training."
    return f"Called {_WHEN[moment].replace('each epoch', 'the epoch')} evaluation."  # which is one epoch


# What the documentation of callbacks says alike.
CALLBACK = Wording("""
    Args:
        run_context (RunContext): Facts of the run.
    """)

_current_net = None


def _handle_loss(loss):
    """The number that stands for what a step returned.

    Args:
        loss (Union[Tensor, float, list, tuple, numpy.ndarray]): Output of the network; of several the first.

    Returns:
        float, the mean of a tensor. What is no tensor and no number comes back as it is.
    """
    if isinstance(loss, (tuple, list)) and loss:
        loss = loss[0]
    if isinstance(loss, Tensor):
        loss = loss.asnumpy()
    if isinstance(loss, (np.ndarray, np.generic)) and np.size(loss) > 0:
        return float(np.mean(loss))
    return loss


def set_cur_net(net) -> None:
    """Remembers the network that is being trained, for callbacks outside a `Model`."""
    global _current_net
    _current_net = net


def _get_cur_net():
    """The network given to `set_cur_net` last, or None."""
    return _current_net


class Callback:
    """Something that is told how training or evaluation goes on.

    Override the methods ``on_train_*`` and ``on_eval_*`` that are of interest; each is given a
    :class:`mindspore.train.RunContext`. By default each calls the method of the older interface
    (`begin`, `epoch_begin`, `step_begin`, `step_end`, `epoch_end`, `end`), which therefore serve
    training and evaluation alike. A callback is also a context manager: it is entered before the
    first hook and left after the last, also when an exception ends the run.

    A class that sets ``needs_step = True`` is called for every step even where data sinking joins
    several steps into one call.
    """

    needs_step = False

    def __enter__(self):
        """Prepares the callback for a run."""
        return self

    def __exit__(self, *err):
        """Releases what the callback holds."""

    def begin(self, run_context):
        """Called once before the network runs; superseded by `on_train_begin` and `on_eval_begin`."""

    def epoch_begin(self, run_context):
        """Called before each epoch; superseded by `on_train_epoch_begin` and `on_eval_epoch_begin`."""

    def epoch_end(self, run_context):
        """Called after each epoch; superseded by `on_train_epoch_end` and `on_eval_epoch_end`."""

    def step_begin(self, run_context):
        """Called before each step; superseded by `on_train_step_begin` and `on_eval_step_begin`."""

    def step_end(self, run_context):
        """Called after each step; superseded by `on_train_step_end` and `on_eval_step_end`."""

    def end(self, run_context):
        """Called once after the network has run; superseded by `on_train_end` and `on_eval_end`."""


def _hook(mode: str, moment: str):
    """The hook of a moment in training or evaluation; by default it calls that of the older interface."""

    def hook(self, run_context):
        getattr(self, moment)(run_context)

    hook.__name__ = f"on_{mode}_{moment}"
    hook.__qualname__ = f"Callback.{hook.__name__}"
    hook.__doc__ = when_called(mode, moment)
    return hook


for _mode in ("train", "eval"):
    for _moment in _MOMENTS:
        setattr(Callback, f"on_{_mode}_{_moment}", _hook(_mode, _moment))


class InternalCallbackParam(dict):
    """What a run tells its callbacks: a dict whose entries are attributes as well.

    An absent entry is a KeyError, also when it is read as an attribute; `get` gives None.
    """

    def __init__(self, *args, **kwargs):  # so that it has a signature, which a dict has not
        super().__init__(*args, **kwargs)

    def __getattr__(self, key) -> Any:
        return self[key]

    def __setattr__(self, key, value):
        self[key] = value

    def __delattr__(self, key):
        del self[key]


class RunContext:
    """Hands a callback the facts of the run and takes its wish to stop.

    Args:
        original_args (dict): The facts of the run.

    Raises:
        TypeError: `original_args` is not a dict.
    """

    def __init__(self, original_args):
        if not isinstance(original_args, dict):
            raise TypeError(
                "The argument 'original_args' of RunContext should be dict type, but got "
                f"{type(original_args)}."
            )
        self._original_args = original_args
        self._stop_requested = False

    def original_args(self):
        """The facts of the run, see :class:`InternalCallbackParam`."""
        return self._original_args

    def request_stop(self):
        """Asks to end the run after the current step, or after the current sinking call."""
        self._stop_requested = True

    def get_stop_requested(self):
        """Whether a callback asked to end the run."""
        return self._stop_requested


def as_callback_list(callbacks) -> list[Callback]:
    """`callbacks` (None, one, a list or a tuple) as a new list.

    Raises:
        TypeError: One of them is not a :class:`Callback`.
    """
    if callbacks is None:
        return []
    if isinstance(callbacks, Callback):
        return [callbacks]
    if not isinstance(callbacks, (list, tuple)):
        raise TypeError(f"The 'callbacks' is not a Callback or a list of Callback{_instead(callbacks)}.")
    for callback in callbacks:
        if not isinstance(callback, Callback):
            raise TypeError(
                "When the 'callbacks' is a list, the elements in 'callbacks' must be Callback functions"
                f"{_instead(callback)}."
            )
    return list(callbacks)


def _instead(value) -> str:
    if isinstance(value, type):
        return f", but got the class '{value.__name__}': call it to make one"
    return f", but got {type(value).__name__}"


def old_style_hooks(callback: Callback) -> set[str]:
    """Names of the older interface that a callback of the user's own overrides."""

    def is_own(name: str) -> bool:
        owner = next(kind for kind in type(callback).__mro__ if name in vars(kind))
        return not owner.__module__.startswith("mindspore.")

    return {name for name in _MOMENTS if is_own(name)}


def _warn_of_unknown_hooks(callback: Callback) -> None:
    """Warns of methods that look like hooks and are never called."""
    for name in dir(callback):
        if (
            name.startswith(("on_train", "on_eval"))
            and name not in HOOKS
            and callable(getattr(callback, name))
        ):
            meant = difflib.get_close_matches(name, HOOKS, 1)
            hint = f"; did you mean '{meant[0]}'?" if meant else ""
            warn_once(
                f"{type(callback).__name__}.{name}",
                f"The method '{name}' of the callback '{type(callback).__name__}' is never called: the hooks "
                f"are {', '.join(HOOKS)}{hint}",
            )


def check_hook_names(callbacks: list[Callback], strict: bool) -> None:
    """Refuses (`strict`) or warns of callbacks that cannot tell training from evaluation."""
    for callback in callbacks:
        _warn_of_unknown_hooks(callback)
        names = old_style_hooks(callback)
        if not names:
            continue
        text = (
            f"For {type(callback).__name__} callback, {names} methods may not be supported in later version, "
            "Use methods prefixed with 'on_train' or 'on_eval' instead when using customized callbacks."
        )
        if strict:
            raise ValueError(text)
        logger.warning(text)


class CallbackManager(Callback):
    """Calls a list of callbacks in order, hook by hook, and leaves them in reverse order.

    Args:
        callbacks (Union[None, Callback, list[Callback], tuple[Callback]]): The callbacks.

    Raises:
        TypeError: One of them is not a :class:`Callback`.
    """

    def __init__(self, callbacks):
        self._callbacks = as_callback_list(callbacks)
        self._stack = None

    def __enter__(self):
        with ExitStack() as stack:
            self._callbacks = [stack.enter_context(callback) or callback for callback in self._callbacks]
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *err):
        stack, self._stack = self._stack, None
        return stack.__exit__(*err)

    @property
    def callbacks(self) -> list[Callback]:
        """The callbacks, in the order in which they are called."""
        return self._callbacks

    @property
    def step_callbacks(self) -> list[Callback]:
        """Those that want every step, also where data sinking joins several."""
        return [callback for callback in self._callbacks if getattr(callback, "needs_step", False)]

    @property
    def needs_step(self) -> bool:
        """Whether a callback wants every step, also where data sinking joins several."""
        return bool(self.step_callbacks)


def _forwarding(name: str):
    def hook(self, run_context):
        for callback in self._callbacks:
            getattr(callback, name)(run_context)

    hook.__name__ = name
    hook.__doc__ = f"Calls `{name}` of every callback."
    return hook


for _name in HOOKS + _MOMENTS:
    setattr(CallbackManager, _name, _forwarding(_name))
