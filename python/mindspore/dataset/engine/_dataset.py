# SPDX-License-Identifier: Apache-2.0
"""The data set: a node of a pipeline's tree. It describes; iterators run.

Every method that makes a new data set only adds a node. `_stage(build, children)` of a node makes its part of
a running pipeline, `_rows()` says how many rows an epoch has, without reading them where that is possible.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from mindspore import _c_data
from mindspore import log as logger
from mindspore._spelling import NotHere, SpelledArguments

from ..core import checks, config
from . import _profile
from ._build import Build

_UNKNOWN = -1


class Dataset(SpelledArguments):
    """Rows of named columns, as they come out of this node of the pipeline."""

    def __init__(
        self, children: Any = None, num_parallel_workers: int | None = None, cache: Any = None
    ) -> None:
        children = [] if children is None else children if isinstance(children, (list, tuple)) else [children]
        self.children: list[Dataset] = list(children)
        self.num_parallel_workers = num_parallel_workers
        self.cache = cache
        self._input_indexs: Any = ()
        self._known_rows: int | None = None
        self._first_row: tuple | None = None
        self._estimated_shapes: list | None = None
        self._columns: list[str] | None = None
        self._init_step: int | None = None
        self._direct_iterations = 0

    # What belongs to this process, and the value it begins with in another one.
    _of_this_process: dict[str, Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), **type(self)._of_this_process}

    # What nodes say of themselves.

    def _stage(self, build: Build, children: list) -> Any:
        raise NotImplementedError(f"{type(self).__name__} cannot be iterated.")

    def _rows(self) -> int:
        """Rows of an epoch; unknown where only a run can tell."""
        return self.children[0]._rows() if self.children else _UNKNOWN

    def _arguments(self) -> dict[str, Any]:
        """What serialize() writes beside the name of the operation."""
        hidden = ("children", "cache")
        return {name: value for name, value in vars(self).items() if name[0] != "_" and name not in hidden}

    def _hidden_arguments(self) -> dict[str, Any]:
        """What rows of a source depend on beside its arguments."""
        return {}

    def _in_order(self) -> bool:
        """Functions of users run row after row: one worker was asked for."""
        return self.num_parallel_workers == 1

    # Operations.

    @checks.checked(
        column_names=checks.check_columns,
        bucket_boundaries=checks.instance(list),
        bucket_batch_sizes=checks.instance(list),
        pad_info=checks.instance(dict),
        pad_to_bucket_boundary=checks.boolean,
        drop_remainder=checks.boolean,
    )
    def bucket_batch_by_length(
        self,
        column_names,
        bucket_boundaries,
        bucket_batch_sizes,
        element_length_function=None,
        pad_info=None,
        pad_to_bucket_boundary=False,
        drop_remainder=False,
    ):
        """Batches of rows of similar length: every bucket has a range of lengths and a batch size."""
        return _nodes().BucketBatchByLengthDataset(
            self,
            column_names,
            bucket_boundaries,
            bucket_batch_sizes,
            element_length_function,
            pad_info,
            pad_to_bucket_boundary,
            drop_remainder,
        )

    def batch(self, batch_size, drop_remainder=False, num_parallel_workers=None, **kwargs):
        """Groups of `batch_size` rows as one row with a new first axis.

        Keywords: `per_batch_map` (a function over the rows of a batch), `input_columns`, `output_columns`,
        `python_multiprocessing`, `max_rowsize`.
        """
        return _nodes().BatchDataset(self, batch_size, drop_remainder, num_parallel_workers, **kwargs)

    def padded_batch(self, batch_size, drop_remainder=False, num_parallel_workers=None, pad_info=None):
        """Batches whose rows are padded to one shape first."""
        return _nodes().PaddedBatchDataset(self, batch_size, drop_remainder, num_parallel_workers, pad_info)

    @checks.checked(
        condition_name=checks.text,
        num_batch=checks.instance(int),
    )
    def sync_wait(self, condition_name, num_batch=1, callback=None):
        """Lets `num_batch` rows pass, then waits until `sync_update` was called for the condition."""
        return _nodes().SyncWaitDataset(self, condition_name, num_batch, callback)

    def shuffle(self, buffer_size):
        """Rows drawn at random from a window of `buffer_size` rows."""
        checks.check_int_range(buffer_size, 2, checks.INT32_MAX, "buffer_size")
        return _nodes().ShuffleDataset(self, buffer_size)

    def flat_map(self, func):
        """Calls `func` with every row and joins the data sets it returns."""
        if not callable(func):
            raise TypeError("func must be a function.")
        joined = None
        for row in self.create_tuple_iterator(num_epochs=1, output_numpy=True):
            made = func(*row)
            if not isinstance(made, Dataset):
                raise TypeError("flat_map must return a Dataset object.")
            joined = made if joined is None else joined + made
        if joined is None:
            raise ValueError("flat_map: the dataset has no rows.")
        return joined

    def map(
        self,
        operations,
        input_columns=None,
        output_columns=None,
        column_order=None,
        num_parallel_workers=None,
        **kwargs,
    ):
        """Runs operations on some columns of every row.

        Keywords: `python_multiprocessing`, `cache`, `callbacks`, `max_rowsize`, `offload`.
        """
        if column_order is not None:
            raise ValueError(
                "The parameter 'column_order' had been deleted in map operation. "
                "Please use '.project' operation instead.\n"
                ">> # Usage of old api:\n"
                ">> dataset = dataset.map(operations=PyFunc,\n"
                '>>                       input_columns=["column_a"],\n'
                '>>                       output_columns=["column_b", "column_c"],\n'
                '>>                       column_order=["column_c", "column_b"])\n'
                ">> # Usage of new api:\n"
                ">> dataset = dataset.map(operations=PyFunc,\n"
                '>>                       input_columns=["column_a"],\n'
                '>>                       output_columns=["column_b", "column_c"])\n'
                '>> dataset = dataset.project(["column_c", "column_b"])'
            )
        return _nodes().MapDataset(
            self, operations, input_columns, output_columns, num_parallel_workers, **kwargs
        )

    def filter(self, predicate, input_columns=None, num_parallel_workers=None):
        """Rows for which `predicate` is true."""
        if not callable(predicate):
            raise TypeError("Predicate should be a Python function or a callable Python object.")
        if input_columns is not None:
            checks.check_columns(input_columns, "input_columns")
        if num_parallel_workers is not None:
            checks.check_workers(num_parallel_workers)
        return _nodes().FilterDataset(self, predicate, input_columns, num_parallel_workers)

    def repeat(self, count=None):
        """The rows again and again, `count` times in one epoch."""
        if count is not None:
            checks.check_type(count, int, "count")
            if (count <= 0 and count != -1) or count > checks.INT32_MAX:
                raise ValueError("count should be either -1 or positive integer, range[1, INT32_MAX].")
        return _nodes().RepeatDataset(self, count)

    def skip(self, count):
        """Without the first `count` rows."""
        checks.check_int_range(count, 0, checks.INT32_MAX, "count")
        return _nodes().SkipDataset(self, count)

    def take(self, count=-1):
        """The first `count` rows."""
        checks.check_type(count, int, "count")
        if (count <= 0 and count != -1) or count > checks.INT32_MAX:
            raise ValueError(
                f"count should be either -1 or within the required interval of (0, {checks.INT32_MAX}], "
                f"got {count}."
            )
        return _nodes().TakeDataset(self, count)

    def split(self, sizes, randomize=True):
        """Several data sets that share the rows out."""
        from ._split import split

        return split(self, sizes, randomize)

    def zip(self, datasets):
        """Columns of several data sets side by side."""
        if isinstance(datasets, tuple):
            datasets = (self, *datasets)
        elif isinstance(datasets, Dataset):
            datasets = (self, datasets)
        else:
            raise TypeError(
                f"Invalid datasets, expected Dataset object or tuple of Dataset, but got {datasets}!"
            )
        return _nodes().ZipDataset(datasets)

    def concat(self, datasets):
        """Rows of several data sets one after the other."""
        if isinstance(datasets, Dataset):
            datasets = [self, datasets]
        elif isinstance(datasets, list):
            datasets = [self, *datasets]
        else:
            raise TypeError(
                f"Invalid datasets, expected Dataset object or list of Dataset, but got {datasets}!"
            )
        return _nodes().ConcatDataset(datasets)

    def __add__(self, datasets):
        return self.concat(datasets)

    def rename(self, input_columns, output_columns):
        """The same rows under other column names."""
        checks.check_columns(input_columns, "input_columns")
        checks.check_columns(output_columns, "output_columns")
        return _nodes().RenameDataset(self, input_columns, output_columns)

    def project(self, columns):
        """Some columns, in the given order."""
        checks.check_columns(columns, "columns")
        return _nodes().ProjectDataset(self, columns)

    def apply(self, apply_func):
        """What `apply_func` makes of the data set."""
        if not callable(apply_func):
            raise TypeError("apply_func must be a function.")
        dataset = apply_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError("apply_func must return a dataset.")
        return dataset

    def device_que(self, send_epoch_end=True, create_data_info_queue=False, queue_name=""):
        """A data set whose rows go to a device queue instead of an iterator."""
        from ._transfer import TransferDataset

        return TransferDataset(self, send_epoch_end, create_data_info_queue, queue_name)

    to_device = NotHere("to_device", "it is dataset.device_que()")

    def save(self, file_name, num_files=1, file_type="mindrecord"):
        """Writes the rows of one epoch to MindRecord files."""
        from ._save import save

        save(self, file_name, num_files, file_type)

    def build_vocab(self, columns, freq_range, top_k, special_tokens, special_first):
        """A vocabulary of the words in some columns; text.Vocab.from_dataset calls it."""
        from ._save import build_vocabulary

        return build_vocabulary(self, columns, freq_range, top_k, special_tokens, special_first)

    def build_sentencepiece_vocab(self, columns, vocab_size, character_coverage, model_type, params):
        """A SentencePiece vocabulary; text.SentencePieceVocab.from_dataset calls it."""
        raise NotImplementedError("SentencePiece vocabularies are not built yet.")

    # Iterators.

    def _start(self, build: Build, epochs: int, start_epoch: int = 0, start_row: int = 0) -> Any:
        stage = build.stage(self)
        # Columns that sources add about themselves leave only under another name.
        columns = [name for name in stage.columns if not name.startswith("_meta-")]
        if len(columns) < len(stage.columns):
            stage = _c_data.project_stage(stage, columns)
        return _c_data.start_stream(
            stage,
            {
                "epochs": epochs,
                "workers": build.workers,
                "ahead": config.get_prefetch_size(),
                "ahead_bytes": config.get_prefetch_memory() << 20,
                "threads": not (build.dry or build.debug),
                "late_after": _profile.LATE_SECONDS,
                "start_epoch": start_epoch,
                "start_row": start_row,
            },
        )

    def create_tuple_iterator(self, columns=None, num_epochs=-1, output_numpy=False, do_copy=True):
        """An iterator over rows as lists."""
        checks.check_type(output_numpy, bool, "output_numpy")
        checks.check_type(do_copy, bool, "do_copy")
        if columns is not None:
            checks.check_columns(columns, "columns")
        dataset = self if columns is None else _nodes().ProjectDataset(self, columns)
        dataset._init_step = self._init_step
        return _iterators().TupleIterator(dataset, num_epochs, output_numpy, owner=self)

    def create_dict_iterator(self, num_epochs=-1, output_numpy=False, do_copy=True):
        """An iterator over rows as dicts from column name to value."""
        checks.check_type(output_numpy, bool, "output_numpy")
        checks.check_type(do_copy, bool, "do_copy")
        return _iterators().DictIterator(self, num_epochs, output_numpy, owner=self)

    def __iter__(self):
        self._direct_iterations += 1
        if self._direct_iterations == 3:
            logger.info(
                "This data set is iterated directly for the third time: every time the pipeline is built "
                "again. "
                "Make one iterator with create_tuple_iterator(num_epochs=...) and loop over it."
            )
        return self.create_tuple_iterator(num_epochs=1)

    def __len__(self):
        return self.get_dataset_size()

    # Getters.

    @property
    def dataset_size(self) -> int | None:
        """Rows of an epoch, once they were asked for."""
        return self._known_rows

    @dataset_size.setter
    def dataset_size(self, rows: int | None) -> None:
        self._known_rows = rows

    def get_dataset_size(self):
        """Rows of an epoch."""
        if self._known_rows is None:
            self._check_caches()
            rows = self._rows()
            if rows == _UNKNOWN:
                logger.info(f"{type(self).__name__}: the rows are counted by running the pipeline once.")
                rows = self._count_by_running()
            self._known_rows = rows
        if self._known_rows == 0:
            logger.warning("Got 0 sample from dataset pipeline, check if drop all data or load dataset fail.")
        return self._known_rows

    def _check_caches(self) -> None:
        """Refuses caches that a run of the pipeline would refuse."""
        from ._cached import check_caches

        check_caches(self)

    def _count_by_running(self) -> int:
        return sum(1 for _ in _iterators().DryRun(self))

    def get_col_names(self):
        """Names of the columns, in order."""
        if self._columns is None:
            build = Build(dry=True, only_columns=True)
            try:
                self._columns = list(build.stage(self).columns)
            finally:
                build.close()
        return list(self._columns)

    def _look_at_first_row(self) -> tuple[list, list]:
        if self._first_row is None:
            with _iterators().DryRun(self) as run:
                row = next(run, None)
            if row is None:
                self._first_row = ([], [])
            else:
                self._first_row = ([_shape(value) for value in row], [_dtype(value) for value in row])
        return self._first_row

    def output_shapes(self, estimate=False):
        """Shapes of the columns; with `estimate` a dimension that differs between rows is None."""
        checks.check_type(estimate, bool, "estimate")
        if not estimate:
            return [list(shape) for shape in self._look_at_first_row()[0]]
        if self._estimated_shapes is None:
            self._estimated_shapes = self._estimate_shapes()
        return [list(shape) for shape in self._estimated_shapes]

    def _estimate_shapes(self) -> list:
        shapes: list | None = None
        for row in _iterators().DryRun(self):
            current = [_shape(value) for value in row]
            if shapes is None:
                shapes = current
                continue
            for known, shape in zip(shapes, current, strict=True):
                if len(known) != len(shape):
                    raise RuntimeError(
                        "Inconsistent shapes, expect same shape for each data row, last data row: "
                        f"{shapes}, current data row: {current}"
                    )
                known[:] = [a if a == b else None for a, b in zip(known, shape, strict=True)]
        return shapes or []

    def output_types(self):
        """NumPy types of the columns."""
        return list(self._look_at_first_row()[1])

    def get_batch_size(self):
        """Rows in a batch of the last batch operation, 1 without one."""
        self._check_caches()
        return self.children[0].get_batch_size() if self.children else 1

    def get_repeat_count(self):
        """Count of the outermost repeat, 1 without one."""
        self._check_caches()
        return self.children[0].get_repeat_count() if self.children else 1

    def num_classes(self):
        """Classes of the source, or None."""
        return self.children[0].num_classes() if self.children else None

    def get_class_indexing(self):
        """Numbers of the classes by name, empty where the source has none."""
        return self.children[0].get_class_indexing() if self.children else {}

    @property
    def input_indexs(self):
        """Kept for old scripts."""
        if self._input_indexs != () or not self.children:
            return self._input_indexs
        return self.children[0].input_indexs

    @input_indexs.setter
    def input_indexs(self, value):
        self._input_indexs = value

    def copy_batch_size(self, value):
        """Kept for old scripts."""
        self._batch_size = value

    # Synchronisation.

    def _walk(self):
        yield self
        for child in self.children:
            yield from child._walk()

    def sync_update(self, condition_name, num_batch=None, data=None):
        """Lets a `sync_wait` go on, and gives `data` to its callback."""
        if (not isinstance(num_batch, int) and num_batch is not None) or (
            isinstance(num_batch, int) and num_batch <= 0
        ):
            # Wrong input data: nothing may stay blocked behind it.
            for node in self._walk():
                if isinstance(node, _nodes().SyncWaitDataset):
                    node.disable_sync()
            raise RuntimeError(f"Sync_update batch size can only be positive integer, got : {num_batch}.")
        notifiers = self.get_sync_notifiers()
        if not isinstance(condition_name, str):
            raise TypeError(
                f"Argument condition_name with value {condition_name} is not of type str, but got "
                f"{type(condition_name)}."
            )
        if condition_name not in notifiers:
            for node in self._walk():
                if isinstance(node, _nodes().SyncWaitDataset):
                    node.disable_sync()
            raise RuntimeError("Condition name not found.")
        notifiers[condition_name](num_batch, data)

    def get_sync_notifiers(self):
        """The conditions of the pipeline by name."""
        return {
            node.condition_name: node.notify
            for node in self._walk()
            if isinstance(node, _nodes().SyncWaitDataset)
        }

    def disable_sync(self):
        """No condition holds rows back any more."""
        for child in self.children:
            child.disable_sync()

    def is_sync(self):
        """Whether this node waits for a condition."""
        return False

    # Position.

    def set_init_step(self, init_step):
        """The next iterator starts at this step, counted over epochs."""
        self._init_step = init_step

    def get_init_step(self):
        """The step set by `set_init_step`."""
        return self._init_step if self._init_step is not None else 0

    def reset(self):
        """Kept for old scripts; every iterator starts anew."""

    # Kept for compatibility.

    def to_json(self, filename=""):
        """The pipeline as JSON text, as a dict; written to a file when named."""
        from .serializer_deserializer import serialize

        described = serialize(self, filename)
        return json.loads(json.dumps(described))

    def close_pool(self):
        """Kept for old scripts; iterators end their processes themselves."""

    def notify_watchdog(self):
        """Kept for old scripts."""

    def iterator_bootstrap(self):
        """Kept for old scripts."""

    def pre_parse(self, getter_mode):
        """Kept for old scripts."""

    def post_parse(self, ir_node):
        """Kept for old scripts."""
        return ir_node

    def set_dynamic_columns(self, columns=None):
        """Kept for old scripts: use output_shapes(estimate=True)."""
        raise NotImplementedError("'set_dynamic_columns' was removed; use 'output_shapes(estimate=True)'.")

    def dynamic_min_max_shapes(self):
        """Kept for old scripts: use output_shapes(estimate=True)."""
        raise NotImplementedError("'dynamic_min_max_shapes' was removed; use 'output_shapes(estimate=True)'.")


class UnionBaseDataset(Dataset):
    """Base of what holds data of any kind: operations on rows, generators, general file formats."""


def _shape(value: Any) -> list[int]:
    return list(np.shape(value)) if not isinstance(value, dict) else []


def _dtype(value: Any) -> np.dtype:
    dtype = getattr(value, "dtype", np.dtype(object))
    return np.dtype(dtype.kind) if dtype.kind in "US" else dtype


def _nodes() -> Any:
    """The module of nodes; they derive from Dataset, so it is imported when one is made."""
    from . import _operations

    return _operations


def _iterators() -> Any:
    from . import iterators

    return iterators
