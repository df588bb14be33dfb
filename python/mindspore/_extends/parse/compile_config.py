# SPDX-License-Identifier: Apache-2.0
"""Switches of MindSpore's compiler, accepted without effect.

Any name in capitals may be read, assigned and read again; it is empty until then. What they select there,
such as changing lists in place, always holds here.
"""


def __getattr__(name: str) -> str:
    """A switch that nobody has set."""
    if not name.isupper():
        raise AttributeError(f"module 'mindspore._extends.parse.compile_config' has no attribute '{name}'")
    return ""
