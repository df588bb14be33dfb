# SPDX-License-Identifier: Apache-2.0
"""The node that runs operations on rows."""

from __future__ import annotations

import inspect
import itertools
from typing import Any

from mindspore import _c_data

from ..core import checks, config
from ..transforms._row_random import row_random
from ._batch import _columns, check_max_rowsize
from ._build import Build
from ._dataset import Dataset


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


class MapDataset(Dataset):
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

    def _stage(self, build: Build, children: list) -> Any:
        child = children[0]
        if not self.operations:
            return child
        operations = self._resolved(build)
        operations = _chained(operations)
        transforms = [self._transform(build, operation, last) for operation, last in _with_last(operations)]
        uses_python = any(not isinstance(operation, _c_data.Transform) for operation in operations)
        in_order = uses_python and self._in_order() and not self.python_multiprocessing
        watch = None
        if self.callbacks and not build.dry:
            from ..callback import CallbackWatch

            watch = CallbackWatch(self.callbacks)
            build.resources.append(watch)
            child = watch.in_front(child)
        names = ", ".join(transform.name for transform in transforms)
        stage = _c_data.map_stage(
            child,
            transforms,
            self.input_columns,
            self.output_columns,
            build.step_seed(),
            f"Map({names})",
            0 if build.debug else config.get_error_samples_mode().value,
            in_order,
        )
        return stage if watch is None else watch.behind(stage)

    def _resolved(self, build: Build) -> list:
        """Native transforms where one serves, callables else; transforms choose by their neighbours."""
        from ..transforms._operation import resolve

        operations = resolve(self.operations)
        if build.debug:
            from ..debug import insert_hooks

            operations = insert_hooks(operations)
        return operations

    def _transform(self, build: Build, operation: Any, last: bool) -> Any:
        if isinstance(operation, _c_data.Transform):
            return operation
        if self.python_multiprocessing and not (build.dry or build.debug):
            from ._processes import ProcessPool

            workers = self.num_parallel_workers or config.get_num_parallel_workers()
            pool = ProcessPool(operation, workers, what=_name_of(operation), max_rowsize=self.max_rowsize)
            build.resources.append(pool)
            seeded = build.set_seed() is not None
            return _c_data.remote_transform(pool.call_each, _name_of(operation), not last, seeded)
        return _c_data.python_transform(_in_row(operation), _name_of(operation), not last)


def _in_row(operation: Any) -> Any:
    """Transforms of ours that run in Python draw the random numbers of their row."""
    members = operation._operations if isinstance(operation, _Chain) else [operation]
    if all(getattr(member, "_transform_name", None) is None for member in members):
        return operation

    def call(*columns: Any) -> Any:
        with row_random(_c_data.row_bits()):
            return operation(*columns)

    return call


class _Chain:
    """Functions one after the other, so that a row goes to another process only once for all of them."""

    def __init__(self, operations: list) -> None:
        self._operations = operations
        names = {_name_of(operation) for operation in operations}
        self._transform_name = names.pop() if len(names) == 1 else "PyFunc"

    def __call__(self, *columns: Any) -> Any:
        for operation in self._operations:
            result = operation(*columns)
            columns = result if isinstance(result, tuple) else (result,)
        return result


def _chained(operations: list) -> list:
    """The operations with neighbouring functions joined."""
    joined: list[Any] = []
    for native, group in itertools.groupby(operations, lambda item: isinstance(item, _c_data.Transform)):
        members = list(group)
        joined += members if native or len(members) == 1 else [_Chain(members)]
    return joined


def _with_last(operations: list):
    """Each operation, and whether its result leaves Python: then objects become arrays."""
    following = [*operations[1:], None]
    return [
        (operation, after is None or isinstance(after, _c_data.Transform))
        for operation, after in zip(operations, following, strict=True)
    ]


def _name_of(operation: Any) -> str:
    return getattr(operation, "_transform_name", None) or "PyFunc"


def _check_not_mixed(operations: list) -> None:
    """Operations of the old modules and the unified ones have different ideas of images."""
    kinds = {getattr(operation, "_legacy", None) for operation in operations} - {None}
    if len(kinds) > 1:
        raise RuntimeError("Mixing old legacy c/py_transforms and new unified transforms is not allowed.")
