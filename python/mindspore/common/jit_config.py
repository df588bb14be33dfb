# SPDX-License-Identifier: Apache-2.0
"""Options of graph compilation."""

from __future__ import annotations

from mindspore._settings.argument_keys import JIT_CONFIG as _ARGUMENTS

_CHOICES = {
    "jit_level": ("O0", "O1", "O2"),
    "exc_mode": ("auto", "sink", "no_sink"),
    "jit_syntax_level": ("STRICT", "COMPATIBLE", "LAX"),
    "debug_level": ("RELEASE", "DEBUG"),
    "infer_boost": ("on", "off"),
}


class JitConfig:
    """Options of graph compilation.

    Args:
        jit_level (str): ``"O0"``, ``"O1"``, ``"O2"`` or ``""``; passes cannot be left out for a single
            function. Default: ``""``.
        exc_mode (str): ``"auto"``, ``"sink"`` or ``"no_sink"``. Default: ``"auto"``.
        jit_syntax_level (str): ``"STRICT"``, ``"LAX"`` or ``""``. Default: ``""``.
        debug_level (str): ``"RELEASE"`` or ``"DEBUG"``. Default: ``"RELEASE"``.
        infer_boost (str): ``"on"`` or ``"off"``. Default: ``"off"``.
        kwargs (dict): Further options; there are none, and a warning says so.

    Raises:
        ValueError: An option has a value it cannot have.
    """

    def __init__(
        self,
        jit_level="",
        exc_mode="auto",
        jit_syntax_level="",
        debug_level="RELEASE",
        infer_boost="off",
        **kwargs,
    ):
        given = {
            "jit_level": jit_level,
            "exc_mode": exc_mode,
            "jit_syntax_level": jit_syntax_level,
            "debug_level": debug_level,
            "infer_boost": infer_boost,
        }
        for name, value in given.items():
            empty = value == "" and name in ("jit_level", "jit_syntax_level")
            if not empty and value not in _CHOICES[name]:
                raise ValueError(f"For '{name}' must be one of {list(_CHOICES[name])}.")
            _ARGUMENTS.tell(name, value)
        _ARGUMENTS.tell("kwargs", kwargs)
        self.jit_config_dict = {
            **{k: str(v) for k, v in given.items()},
            **{k: str(v) for k, v in kwargs.items()},
        }
