# SPDX-License-Identifier: Apache-2.0
"""The cached part of a pipeline: what it may consist of, what names it, and its stages."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from typing import Any

from mindspore import _c_data
from mindspore import log as logger

from ..core import config
from ..transforms._operation import TensorOperation, flatten, has_own_call
from . import samplers
from ._describe import CannotDescribeError, describe

# Attributes of nodes that do not change rows. Samplers choose above the cache.
_NOT_ROWS = frozenset(
    {"num_parallel_workers", "shard_id", "sampler", "python_multiprocessing", "max_rowsize"}
)
_NOT_ROWS |= {"callbacks", "offload", "reshuffle_each_epoch"}
_OF_MAPPABLE_SAMPLERS = frozenset({"shuffle_flag", "num_shards"})
_REFUSED = {
    "BatchDataset": "BatchNode",
    "PaddedBatchDataset": "BatchNode",
    "BucketBatchByLengthDataset": "BucketBatchByLengthNode",
    "ConcatDataset": "ConcatNode",
    "FilterDataset": "FilterNode",
    "ZipDataset": "ZipNode",
    "SkipDataset": "SkipNode",
    "TakeDataset": "TakeNode (possibly from Split)",
    "SyncWaitDataset": "SyncWaitNode",
    "TransferDataset": "TransferNode",
}
_IN_PYTHON = ("GeneratorDataset", "NumpySlicesDataset", "PaddedDataset")


class CachedTree:
    """A node with a cache and everything below it. Refuses what cannot be cached."""

    def __init__(self, top: Any) -> None:
        from .datasets import MappableDataset

        self.top = top
        self.cache = top.cache
        self.leaf = _leaf_of(top)
        self.is_stream = not isinstance(self.leaf, MappableDataset)
        # How rows that cannot be made are treated: what maps below want is done above the cache.
        self.bad_rows = 0
        self.in_order = False
        self._check()

    def _below(self) -> Iterator[Any]:
        return self.top._walk()

    def _check(self) -> None:
        for node in self._below():
            kind = type(node).__name__
            if kind in _REFUSED:
                _refuse_descendant(_REFUSED[kind])
            if node is not self.top and node.cache is not None:
                _refuse(
                    f"Nested cache operations over {_node_name(node)} is not supported! Leave out the lower "
                    "cache: the upper one keeps what comes of it."
                )
            if _is_kind(node, _IN_PYTHON):
                _refuse(
                    "There is currently no support for GeneratorOp under cache. Sources that read files can "
                    "be cached."
                )
            if kind == "RepeatDataset":
                self._check_repeat(node)
            if kind == "MapDataset" and any(map(_is_random, flatten(node.operations))):
                _refuse(
                    "MapNode containing random operation is not supported as a descendant of cache. Put what "
                    "is random above the cache, in a map of its own. A function that gives the same result "
                    "for the same input is marked with 'mindspore.dataset.transforms.not_random'."
                )

    def _check_repeat(self, node: Any) -> None:
        if not self.is_stream:
            _refuse("A cache over a RepeatNode of a mappable dataset is not supported.")
        if node.count == -1:
            _refuse("A cache over a RepeatNode without end is not supported: it would never be complete.")

    def sampler(self) -> samplers.BuiltinSampler:
        """What chooses among the stored rows of a stream, as the source would have."""
        leaf = self.leaf
        shuffle = leaf.shuffle_flag in (1, 2)
        if leaf.num_shards is not None:
            return samplers.DistributedSampler(leaf.num_shards, leaf.shard_id, shuffle, leaf.num_samples)
        if shuffle:
            return samplers.RandomSampler(num_samples=leaf.num_samples)
        return samplers.SequentialSampler(num_samples=leaf.num_samples)

    def rows(self) -> int:
        """Rows of an epoch over a stream."""
        rows = self.leaf._whole_rows()
        for node in self._below():
            rows *= getattr(node, "count", 1)
        return self.sampler()._epoch_rows(rows)

    def description(self) -> tuple[str, str]:
        """What the rows depend on but for the content of files, and that content."""
        try:
            tree = _described(self.top, self.is_stream)
        except CannotDescribeError as error:
            _refuse(
                f"A function under the cache cannot be told from others, because it uses {error}: rows of "
                "another function could be taken for its own. Give it what it needs as numbers, text, "
                "arrays or objects made of these, or put it above the cache."
            )
        if self.is_stream:
            cache = self.cache
            tree += f" size={cache.size} spilling={cache.spilling} session={cache.session_id}"
        if not self.cache.check_files:
            return tree, f"rows={None if self.is_stream else self.leaf._source().rows}"
        return tree, _state_of_files(self.leaf)


def check_caches(top: Any) -> None:
    """Refuses what cannot be cached, without a look at rows or at a server."""
    if not config.get_debug_mode():
        for node in top._walk():
            if node.cache is not None:
                CachedTree(node)


def cached_rows(top: Any) -> int | None:
    """Rows of an epoch of a node with a cache over a stream; None: the cache does not change them."""
    if top.cache is None or config.get_debug_mode():
        return None
    from .datasets import MappableDataset

    if isinstance(_leaf_of(top), MappableDataset):
        return None
    return CachedTree(top).rows()


def cached_stage(build: Any, top: Any) -> Any:
    """The stages of a node with a cache and everything below it."""
    tree = CachedTree(top)
    if build.only_columns or (build.dry and not tree.is_stream):
        return build.plain_stage(top)
    tree_text, files = tree.description()
    cache = tree.cache._open(tree_text, files, tree.is_stream)
    if cache is None:
        return build.plain_stage(top)
    with _inside(build, tree):
        stage = build.plain_stage(top)
    if tree.is_stream:
        sampler = tree.sampler()._native(build, 0, None)
        return _c_data.cached_stream_stage(stage, cache, sampler)
    return _c_data.cached_stage(stage, cache, tree.bad_rows, tree.in_order)


@contextlib.contextmanager
def _inside(build: Any, tree: CachedTree) -> Iterator[None]:
    build.cached_tree = tree
    try:
        yield
    finally:
        build.cached_tree = None


def _refuse(text: str) -> None:
    _c_data.raise_pipeline_error(text)


def _refuse_descendant(node: str) -> None:
    _refuse(
        f"{node} is not supported as a descendant operator under a cache. Give the cache to the source, or "
        "to a map below."
    )


def _leaf_of(top: Any) -> Any:
    leaves = [node for node in top._walk() if not node.children]
    if len(leaves) > 1:
        kinds = {_REFUSED.get(type(node).__name__) for node in top._walk()} - {None}
        if kinds:
            _refuse_descendant(min(kinds))
        _refuse("There is currently no support for multiple leaf nodes under cache.")
    return leaves[0]


def _is_kind(node: Any, names: tuple[str, ...]) -> bool:
    return any(base.__name__ in names for base in type(node).__mro__)


def _node_name(node: Any) -> str:
    return type(node).__name__.removesuffix("Dataset") + "Node"


def _is_random(operation: Any) -> bool:
    """A function counts as random unless it is marked; a transform of ours knows it."""
    if isinstance(operation, TensorOperation) and not has_own_call(operation):
        native = operation._native()
        decodes_by_pillow = getattr(operation, "to_pil", False)
        return bool(operation.random or (native is not None and native.is_random) or decodes_by_pillow)
    if isinstance(operation, TensorOperation):  # of the user's: what the base says is about the base
        own = [vars(kind) for kind in type(operation).__mro__ if not kind.__module__.startswith("mindspore.")]
        marks = [members["random"] for members in [vars(operation), *own] if "random" in members]
        return not marks or marks[0] is not False
    return getattr(operation, "random", True) is not False


def _row_limit(sampler: Any) -> int | None:
    """The limit of rows the user gave; None for none. Parts of a split read the same rows."""
    limits = []
    while sampler is not None:
        limit = getattr(sampler, "num_samples", None)  # users' own samplers may have none
        if limit is not None and not sampler._is_part:
            limits.append(limit)
        sampler = sampler.get_child()
    return min(limits, default=None)


def _described(node: Any, is_stream: bool) -> str:
    """The node and those below it, with all that decides what rows they make."""
    values = {name: value for name, value in node._arguments().items() if name not in _NOT_ROWS}
    if not node.children:
        if not is_stream:
            values = {name: value for name, value in values.items() if name not in _OF_MAPPABLE_SAMPLERS}
            values["num_samples"] = _row_limit(node.sampler)
        values.update(node._hidden_arguments())
        values = {name: _absolute(value) for name, value in values.items()}
    if type(node).__name__ == "MapDataset":
        values["operations"] = flatten(node.operations)
    below = "".join(_described(child, is_stream) + " > " for child in node.children)
    listed = " ".join(f"{name}={describe(values[name])}" for name in sorted(values))
    return f"{below}{type(node).__name__}({listed})"


def _state_of_files(leaf: Any) -> str:
    """A digest of names, sizes and times of change of all files the source reads."""
    digest = hashlib.sha256()
    for path in sorted(set(_named_paths(leaf))):
        for name, state in _files_at(path):
            digest.update(
                f"{name}\0{state.st_size}\0{state.st_mtime_ns}\0".encode("utf-8", "surrogateescape")
            )
    return digest.hexdigest()


def _named_paths(leaf: Any) -> Iterator[str]:
    for value in leaf._files_read():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if _is_path(one):
                yield os.path.abspath(one)


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike)) and bool(value) and os.path.exists(value)


def _absolute(value: Any) -> Any:
    """Arguments that name files as what they name in this folder."""
    if isinstance(value, (list, tuple)):
        return [_absolute(one) for one in value]
    return os.path.abspath(value) if _is_path(value) else value


def _files_at(path: str) -> Iterator[tuple[str, os.stat_result]]:
    if os.path.isfile(path):
        yield path, os.stat(path)
        return
    walked = set()  # links may lead in circles, and several to one folder
    for folder, folders, names in os.walk(path, followlinks=True):
        place = os.path.realpath(folder)
        if place in walked:
            yield f"{folder} is {place}", os.stat(place)
            folders.clear()
            continue
        walked.add(place)
        folders.sort()
        for name in sorted(names):
            with contextlib.suppress(FileNotFoundError):
                one = os.path.join(folder, name)
                yield one, os.stat(one)


def warn_of_bypass(error: Exception) -> None:
    """Said once where a pipeline goes on without the cache it was to have."""
    logger.warning(f"The cache cannot be used, rows come from the source instead. The reason: {error}")
