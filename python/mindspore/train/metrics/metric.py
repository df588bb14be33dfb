# SPDX-License-Identifier: Apache-2.0
"""What every metric has: counters on the host, fed by `update` and read by `eval`."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from functools import wraps

import numpy as np

from mindspore._wording import Wording
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor

# What the documentation of metrics says alike.
METRIC = Wording(
    """
    Args:
        eval_type (str): ``"classification"`` or ``"multilabel"``.
        symmetric (bool): The mean of both directions.
        distance_metric (str): ``"euclidean"``, ``"chessboard"`` or ``"taxicab"``.

    Supported Platforms:
        ``CPU``
    """,
    clear="Forgets everything seen.",
    eval="""
    Raises:
        RuntimeError: Nothing was seen.
    """,
)

_INPUTS = "predicted value, true value"


def to_numpy(data: Tensor | list | np.ndarray) -> np.ndarray:
    """A host array of what a metric is given."""
    if isinstance(data, Tensor):
        if data.dtype == mstype.bfloat16:
            data = data.astype(mstype.float32)
        return data.asnumpy()
    if isinstance(data, list):
        return np.array(data)
    if isinstance(data, (np.ndarray, np.generic)):
        return np.asarray(data)
    raise TypeError(
        "For 'Metric' and its derived classes, the input data type must be tensor, list or numpy.ndarray, "
        f"but got {type(data)}."
    )


def one_hot(numbers: np.ndarray, classes: int) -> np.ndarray:
    """Rows with a single 1."""
    return np.eye(classes)[numbers.astype(np.int64)]


def rearrange_inputs(func):
    """Makes an `update` honour `indexes`: its inputs are chosen and ordered by them.

    Args:
        func (Callable): A method taking `*inputs` of an object with `indexes`.

    Returns:
        Callable, the method with chosen inputs.

    Examples:
        >>> from mindspore.train import Metric, rearrange_inputs
        >>> class Second(Metric):
        ...     def clear(self):
        ...         self.value = None
        ...     @rearrange_inputs
        ...     def update(self, *inputs):
        ...         self.value = inputs[0]
        ...     def eval(self):
        ...         return self.value
        >>> metric = Second().set_indexes([1])
        >>> metric(5, 9)
        9
    """

    @wraps(func)
    def chosen(self, *inputs):
        indexes = self.indexes
        return func(self, *inputs) if indexes is None else func(self, *[inputs[i] for i in indexes])

    return chosen


class Metric(metaclass=ABCMeta):
    """Base of metrics.

    A metric of one's own defines `clear`, `update` and `eval`.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self):
        self._indexes = None

    def __call__(self, *inputs):
        """The value for these inputs alone: `clear`, `update`, `eval`."""
        self.clear()
        self.update(*inputs)
        return self.eval()

    @property
    def indexes(self):
        """Positions of the inputs `update` reads; None for all, in order."""
        return getattr(self, "_indexes", None)

    def set_indexes(self, indexes):
        """Chooses which of the inputs `update` reads.

        Args:
            indexes (list[int]): Positions, in the order the metric wants them.

        Returns:
            Metric, this one.

        Raises:
            ValueError: `indexes` is not a list of ints.
        """
        if not isinstance(indexes, list) or not all(isinstance(i, int) for i in indexes):
            raise ValueError(
                "For 'set_indexes', the argument 'indexes' must be a list and all its elements must be int, "
                "please check whether it is correct."
            )
        self._indexes = indexes
        return self

    def _convert_data(self, data) -> np.ndarray:
        return to_numpy(data)

    def _check_onehot_data(self, data) -> bool:
        """Whether there is a single 1, and else 0, along axis 1."""
        if data.ndim < 2 or data.shape[1] < 2:
            return False
        return bool(((data == 0) | (data == 1)).all() and (data.sum(axis=1) == 1).all())

    def _take(self, inputs, wanted: int = 2, meaning: str = _INPUTS) -> tuple:
        """`inputs`; ValueError when there are not as many as wanted."""
        if len(inputs) != wanted:
            raise ValueError(
                f"For '{type(self).__name__}.update', it needs {wanted} inputs ({meaning}), but got "
                f"{len(inputs)}"
            )
        return inputs

    def _pair(self, inputs) -> tuple[np.ndarray, np.ndarray]:
        prediction, truth = self._take(inputs)
        return to_numpy(prediction), to_numpy(truth)

    def _require_samples(self, present) -> None:
        if not present:
            raise RuntimeError(
                f"The '{type(self).__name__}' can not be calculated, because the number of samples is 0, "
                f"please check whether your inputs({_INPUTS}) are empty, or has called update method before "
                "calling eval method."
            )

    @staticmethod
    def _require_update(seen) -> None:
        if not seen:
            raise RuntimeError("Please call the 'update' method before calling 'eval' method.")

    @abstractmethod
    def clear(self):
        """Forgets everything seen."""

    @abstractmethod
    def eval(self):
        """The value over everything seen since `clear`."""

    @abstractmethod
    def update(self, *inputs):
        """Takes the outputs of one step into account."""


class EvaluationBase(Metric):
    """Base of metrics that compare predicted with true classes.

    Args:
        eval_type (str): ``"classification"`` (one class per sample) or ``"multilabel"`` (a 0 or 1 per class).

    Raises:
        TypeError: `eval_type` is something else.
    """

    _TYPES = ("classification", "multilabel")

    def __init__(self, eval_type):
        super().__init__()
        if eval_type not in self._TYPES:
            raise TypeError(
                f"The argument 'eval_type' must be in {{'classification', 'multilabel'}}, but got {eval_type}"
            )
        self._type = eval_type
        self._class_num = 0

    def _check_shape(self, y_pred: np.ndarray, y: np.ndarray) -> None:
        if self._type == "multilabel":
            if y_pred.shape != y.shape:
                raise ValueError(
                    "In multilabel case, the shape of y_pred (predicted value) should equal to the shape of "
                    f"y (true value), but got y_pred shape: {y_pred.shape} and y shape: {y.shape}."
                )
            return
        if y_pred.ndim < 2 or y.shape not in (y_pred.shape, y_pred.shape[:1] + y_pred.shape[2:]):
            raise ValueError(
                "In classification case, y_pred (predicted value) shape and y (true value) shape can not "
                "match, y shape should be equal to y_pred shape that the value at index 1 is deleted. Such "
                f"as y_pred shape (1, 2, 3) and y shape (1, 3), but got y_pred shape: {y_pred.shape} and y "
                f"shape: {y.shape}."
            )

    def _check_value(self, y_pred: np.ndarray, y: np.ndarray) -> None:
        if self._type == "multilabel" and not all(((a == 0) | (a == 1)).all() for a in (y_pred, y)):
            raise ValueError(
                "In multilabel case, all elements in y_pred (predicted value) and y (true value) should be 0 "
                "or 1.Please check whether your inputs y_pred and y are correct."
            )

    def _check_classes(self, y_pred: np.ndarray) -> None:
        classes = y_pred.shape[1] if y_pred.ndim > 1 else 1
        if self._class_num == 0:
            self._class_num = classes
        elif classes != self._class_num:
            raise ValueError(
                f"For '{type(self).__name__}.update', class number not match, last input predicted data "
                f"contain {self._class_num} classes, but current predicted data contain {classes} classes, "
                "please check your predicted value(inputs[0])."
            )

    def _classes_of(self, inputs) -> tuple[np.ndarray, np.ndarray]:
        """Checked predictions and labels; labels as class numbers unless the kind is multilabel."""
        y_pred, y = self._pair(inputs)
        if self._type == "classification" and y.ndim == y_pred.ndim and self._check_onehot_data(y):
            y = y.argmax(axis=1)
        self._check_shape(y_pred, y)
        self._check_value(y_pred, y)
        self._check_classes(y_pred)
        return y_pred, y

    def _rows(self, array: np.ndarray) -> np.ndarray:
        """One row of classes per sample."""
        last = array.ndim - 1
        return array.swapaxes(1, last).reshape(-1, array.shape[1])
