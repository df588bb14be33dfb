# SPDX-License-Identifier: Apache-2.0
"""The node that runs operations on rows."""

from __future__ import annotations

import inspect
import itertools
from typing import Any

from mindspore import _c_data
from mindspore._settings.argument_keys import MAP

from ..core import checks, config
from ..transforms._row_random import bits_at, row_bits, row_random
from ._batch import _columns, check_max_rowsize
from ._build import Build
from ._dataset import UnionBaseDataset
from ._process_worker import SeededCall
from .cache_client import DatasetCache


def _check_operation(operation: Any, number: int) -> None:
    if inspect.isclass(operation):
        raise ValueError(
            f"Parameter operations's element of method map should be a dataset processing operation "
            f"instance, but "
            f"got: {operation}. It may be missing parentheses for instantiation."
        )
    if hasattr(operation, "_native") or hasattr(operation, "apply_native"):
        return
    module = type(operation).__module__
    is_network = any(base.__name__ in ("Cell", "Primitive") for base in type(operation).__mro__)
    if is_network and module.split(".")[0] != "builtins":
        raise ValueError(
            f"Input operations should not contain network computing operator like in mindspore.nn or "
            f"mindspore.ops, "
            f"got operation: {operation}"
        )
    if not callable(operation):
        raise ValueError(
            f"Parameter operations's element of method map should be a python function or class method "
            f"which should "
            f"be callable, but got: {operation}. It doesn't need parentheses for python function or "
            f"class method."
        )


class MapDataset(UnionBaseDataset):
    """The result of `Dataset.map`."""

    def __init__(
        self,
        input_dataset,
        operations=None,
        input_columns=None,
        output_columns=None,
        num_parallel_workers=None,
        python_multiprocessing=False,
        cache=None,
        callbacks=None,
        max_rowsize=16,
        offload=None,
    ):
        if num_parallel_workers is not None:
            checks.check_workers(num_parallel_workers)
        if cache is not None:
            checks.check_type(cache, DatasetCache, "cache")
        super().__init__(input_dataset, num_parallel_workers, cache)
        self.operations = list(operations) if isinstance(operations, (list, tuple)) else [operations]
        for number, operation in enumerate(self.operations):
            _check_operation(operation, number)
        self.input_columns = _columns(input_columns, "input_columns")
        self.output_columns = _columns(output_columns, "output_columns")
        checks.check_type(python_multiprocessing, bool, "python_multiprocessing")
        self.python_multiprocessing = python_multiprocessing
        check_max_rowsize(max_rowsize)
        self.max_rowsize = max_rowsize
        if offload is not None:
            checks.check_type(offload, bool, "offload")
            MAP.tell("offload", offload)
        self.offload = offload
        self.callbacks = self._checked_callbacks(callbacks)
        _check_not_mixed(self.operations)

    @staticmethod
    def _checked_callbacks(callbacks: Any) -> list:
        if callbacks is None:
            return []
        from ..callback import DSCallback

        if not isinstance(callbacks, (list, tuple)):
            checks.check_type(callbacks, DSCallback, "callbacks")
            return [callbacks]
        for number, callback in enumerate(callbacks):
            checks.check_type(callback, DSCallback, f"callbacks[{number}]")
        return list(callbacks)

    def _rows(self) -> int:
        if self.cache is None:
            return super()._rows()
        from ._cached import cached_rows

        rows = cached_rows(self)
        return super()._rows() if rows is None else rows

    def _stage(self, build: Build, children: list) -> Any:
        child = children[0]
        if not self.operations:
            return child
        steps = _joined(self._steps(build))
        transforms = [(self._transform(build, step, last), step.place) for step, last in _with_last(steps)]
        uses_python = any(not step.is_native for step in steps)
        in_order = uses_python and self._in_order() and not self.python_multiprocessing
        watch = None
        if self.callbacks and not build.dry:
            from ..callback import CallbackWatch

            watch = CallbackWatch(self.callbacks)
            build.resources.append(watch)
            child = watch.in_front(child)
        names = ", ".join(transform.name for transform, _ in transforms)
        bad_rows = 0 if build.debug else config.get_error_samples_mode().value
        if build.cached_tree is not None:  # what is in the cache is not made at all
            build.cached_tree.in_order |= in_order
            build.cached_tree.bad_rows = bad_rows
            in_order, bad_rows = False, 0
        stage = _c_data.map_stage(
            child,
            transforms,
            self.input_columns,
            self.output_columns,
            build.step_seed(),
            f"Map({names})",
            bad_rows,
            in_order,
        )
        return stage if watch is None else watch.behind(stage)

    def _steps(self, build: Build) -> list[_Step]:
        """Native transforms where one serves, callables else; transforms choose by their neighbours."""
        from ..transforms._operation import resolve

        steps = [_Step(operation, place) for place, operation in enumerate(resolve(self.operations))]
        if not build.debug:
            return steps
        from ..debug import hook_points

        # Hooks stand between the steps and draw no random numbers.
        points = [_Step(point, None) for point in hook_points([step.operation for step in steps])]
        if not points:
            return steps
        return [points[0], *(one for pair in zip(steps, points[1:], strict=True) for one in pair)]

    def _transform(self, build: Build, step: _Step, last: bool) -> Any:
        operation = step.operation
        if step.is_native:
            return operation
        name = _name_of(operation)
        if self.python_multiprocessing and not build.dry:
            seeded = build.set_seed() is not None
            if not build.debug:
                from ._processes import ProcessPool

                workers = self.num_parallel_workers or config.get_num_parallel_workers()
                pool = ProcessPool(operation, workers, what=name, max_rowsize=self.max_rowsize)
                build.resources.append(pool)
                return _c_data.remote_transform(pool.call_each, name, not last, seeded)
            if seeded:
                operation = SeededCall(operation, lambda *_: row_bits())
        return _c_data.python_transform(operation, name, not last)


class _Step:
    """One operation of a map, and its place in the list of the user; None: it is not the user's."""

    def __init__(self, operation: Any, place: int | None) -> None:
        self.operation = operation
        self.place = place
        self.is_native = isinstance(operation, _c_data.Transform)


class _Functions:
    """Functions one after the other, so that a row goes to another process only once for all of them.

    Transforms of ours among them draw random numbers by their places, whoever stands beside them.
    """

    def __init__(self, steps: list[_Step]) -> None:
        self._functions = [_with_random(step) for step in steps]
        names = {_name_of(step.operation) for step in steps if step.place is not None}
        self._transform_name = names.pop() if len(names) == 1 else "PyFunc"

    def __call__(self, *columns: Any) -> Any:
        for function in self._functions:
            result = function(*columns)
            columns = result if isinstance(result, tuple) else (result,)
        return result


class _RowRandom:
    """A transform of ours that runs in Python: it draws the random numbers of its row."""

    def __init__(self, operation: Any, place: int) -> None:
        self._operation = operation
        self._place = place
        self._transform_name = _name_of(operation)

    def __call__(self, *columns: Any) -> Any:
        with row_random(bits_at(row_bits(), self._place)):
            return self._operation(*columns)


def _with_random(step: _Step) -> Any:
    is_ours = getattr(step.operation, "_transform_name", None) is not None
    return _RowRandom(step.operation, step.place) if is_ours and step.place is not None else step.operation


def _joined(steps: list[_Step]) -> list[_Step]:
    """The steps with neighbouring functions joined."""
    joined: list[_Step] = []
    for native, group in itertools.groupby(steps, lambda step: step.is_native):
        members = list(group)
        if native:
            joined += members
            continue
        place = next((step.place for step in members if step.place is not None), 0)
        function = _with_random(members[0]) if len(members) == 1 else _Functions(members)
        joined.append(_Step(function, place))
    return joined


def _with_last(steps: list[_Step]):
    """Each step, and whether its result leaves Python: then objects become arrays."""
    following = [*steps[1:], None]
    return [(step, after is None or after.is_native) for step, after in zip(steps, following, strict=True)]


def _name_of(operation: Any) -> str:
    return getattr(operation, "_transform_name", None) or "PyFunc"


def _check_not_mixed(operations: list) -> None:
    """Operations of the old modules and the unified ones have different ideas of images."""
    kinds = {getattr(operation, "_legacy", None) for operation in operations} - {None}
    if len(kinds) > 1:
        raise RuntimeError("Mixing old legacy c/py_transforms and new unified transforms is not allowed.")
