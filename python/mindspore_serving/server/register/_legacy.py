# SPDX-License-Identifier: Apache-2.0
"""The names by which stages were added before add_stage: call_preprocess, call_servable, call_postprocess.

How many outputs such a call has is read from the left-hand side of its assignment, in the method's source."""

import ast
import inspect
import textwrap

_NAMES = (
    "call_preprocess",
    "call_preprocess_pipeline",
    "call_servable",
    "call_postprocess",
    "call_postprocess_pipeline",
)
_KINDS = {name: name.removeprefix("call_").removesuffix("_pipeline") for name in _NAMES}
_PAIRS = {
    "preprocess": "call_preprocess or call_preprocess_pipeline",
    "servable": "call_servable",
    "postprocess": "call_postprocess or call_postprocess_pipeline",
}
_ORDER = tuple(_PAIRS)


def _called_name(node):
    if not isinstance(node, ast.Call):
        return None
    return getattr(node.func, "attr", None) or getattr(node.func, "id", None)


def _targets_count(target):
    return len(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else 1


class LegacyCalls:
    """The calls of one method by their old names, in order, with the count of their outputs."""

    def __init__(self, method_name, calls):
        self._method = method_name
        self._calls = calls
        self._done = []

    @classmethod
    def read(cls, function, outputs_count):
        """Of a method's function. RuntimeError when there are such calls where they cannot be counted."""
        name = function.__name__
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        except (OSError, TypeError, SyntaxError):  # no source: made by a program
            return cls(name, [])
        everywhere = [called for called in map(_called_name, ast.walk(tree)) if called is not None]
        used = [own for own in _NAMES if own in everywhere]
        if not used:
            return cls(name, [])
        plain = []
        for statement in tree.body:
            called = _called_name(getattr(statement, "value", None))
            if called not in _NAMES:
                continue
            if isinstance(statement, ast.Assign):
                plain.append((called, _targets_count(statement.targets[0])))
            elif isinstance(statement, ast.Return):
                plain.append((called, outputs_count))
        count = sum(called in _NAMES for called in everywhere)
        if len(plain) != count or "add_stage" in everywhere:
            raise RuntimeError(
                f"Failed to parse method '{name}', complex statements such as conditions and loops are "
                f"not supported in register_method when the interface '{used[0]}' is used, use "
                f"'add_stage' to replace '{used[0]}'"
            )
        if "call_servable" not in used:
            raise RuntimeError(f"Not find the invoke of 'call_servable' in method '{name}'")
        return cls(name, plain)

    def begin(self, name):
        """A call begins: how many outputs it has. RuntimeError when it comes at the wrong place."""
        kind = _KINDS[name]
        if kind in self._done:
            raise RuntimeError(
                f"Check failed in method '{self._method}', {_PAIRS[kind]} should not be invoked more "
                "than once"
            )
        for later in _ORDER[_ORDER.index(kind) + 1 :]:
            if later in self._done:
                raise RuntimeError(
                    f"Check failed in method '{self._method}', {_PAIRS[later]} should be invoked after {name}"
                )
        self._done.append(kind)
        place = len(self._done) - 1
        if place >= len(self._calls) or self._calls[place][0] != name:
            raise RuntimeError(
                f"Failed to parse method '{self._method}': the count of outputs of '{name}' is not "
                f"found in its source; use 'add_stage' to replace '{name}'"
            )
        return self._calls[place][1]
