# SPDX-License-Identifier: Apache-2.0
"""MapParameter: rows of values by key, as many as there are keys."""

from __future__ import annotations

import numbers
import sys

import numpy as np

from mindspore import _c_expression as _c
from mindspore.common import dtype as mstype
from mindspore.common._creation import refuse_in_graph
from mindspore.common.initializer import initializer
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.experimental._map_rows import Export, MapRows

_INITIALIZERS = ("zeros", "ones", "normal")
_MOST_BYTES = 1 << 30  # of a slice


class MapParameter(Parameter):
    """A parameter that keeps a row of values for every key it was ever asked for.

    Rows live on the host. `get`, `put` and `erase` work in PyNative mode, and no gradient goes through them.

    Args:
        name (str): Name; by default the attribute it is assigned to. Default: ``None``.
        requires_grad (bool): Whether training changes it. Default: ``True``.
        kwargs (dict): Options:

            - key_dtype (mindspore.dtype): Type of the keys, of whole numbers. Default: ``mstype.int32``.
            - value_dtype (mindspore.dtype): Type of the values. Default: ``mstype.float32``.
            - value_shape (Union[int, tuple[int], list[int]]): Shape of a row. Default: ``1``.
            - key_tensor (Tensor): Keys to begin with; it tells the type of the keys too.
            - value_tensor (Tensor): Their rows, which tell type and shape of the values.
            - default_value (Union[Number, str]): What new rows are filled with: a number, ``"zeros"``,
              ``"ones"`` or ``"normal"``. Default: ``"normal"``.
            - permit_filter_value (Number), evict_filter_value (Number): Kept, but no key is refused or
              removed for being rare. Default: ``1`` and the largest int.

    Raises:
        TypeError: A type is not supported, or an option unknown.
        ValueError: `default_value` is unknown, or keys and values do not fit each other.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> from mindspore.experimental import MapParameter
        >>> table = MapParameter(value_shape=2, default_value="zeros", name="table")
        >>> table.put(ms.Tensor([7], ms.int32), ms.Tensor([[1.0, 2.0]]))
        MapParameter (name=table, rows=1, key_dtype=Int32, value_dtype=Float32, value_shape=(2,))
        >>> table.get(ms.Tensor([7, 8], ms.int32)).asnumpy().tolist()
        [[1.0, 2.0], [0.0, 0.0]]
    """

    def __init__(self, name=None, requires_grad=True, **kwargs):
        refuse_in_graph("mindspore.experimental.MapParameter")
        fields = self.__dict__
        keys, values = kwargs.pop("key_tensor", None), kwargs.pop("value_tensor", None)
        fields["key_dtype"] = kwargs.pop("key_dtype", mstype.int32) if keys is None else keys.dtype
        fields["value_dtype"] = kwargs.pop("value_dtype", mstype.float32) if values is None else values.dtype
        shape = _shape(kwargs.pop("value_shape", 1)) if values is None else tuple(values.shape[1:])
        fields["value_shape"] = shape
        fields["default_value"] = _checked_default(kwargs.pop("default_value", "normal"))
        fields["permit_filter_value"] = kwargs.pop("permit_filter_value", 1)
        fields["evict_filter_value"] = kwargs.pop("evict_filter_value", sys.maxsize)
        for option in kwargs.keys() - {"key_dtype", "value_dtype", "value_shape"}:
            raise TypeError(f"For 'MapParameter', there is no option '{option}'.")
        types = _array_types(self.key_dtype, self.value_dtype)
        fields["_rows"] = MapRows(*types, shape)
        self._describe(name, requires_grad)
        self._take(Tensor(np.zeros(shape, types[1])))  # stands for a row
        if keys is not None or values is not None:
            if keys is None or values is None:
                raise ValueError("For 'MapParameter', 'key_tensor' and 'value_tensor' go together.")
            self.put(keys, values)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return (
            f"MapParameter (name={self.name}, rows={len(self)}, key_dtype={self.key_dtype}, "
            f"value_dtype={self.value_dtype}, value_shape={self.value_shape})"
        )

    __str__ = __repr__

    # ---- rows ----------------------------------------------------------------------------------------------

    def get(self, key_tensor, insert_default_value=True) -> Tensor:
        """Rows of keys; new rows are filled with the default.

        Args:
            key_tensor (Tensor): The keys.
            insert_default_value (bool): Whether new rows are kept. Default: ``True``.

        Returns:
            Tensor, whose shape is that of the keys and then that of a row.
        """
        keys = self._checked_keys(key_tensor, "get")
        found = self._rows.get(keys.reshape(-1), self._new_rows, insert_default_value)
        return Tensor(found.reshape(*keys.shape, *self.value_shape))

    def put(self, key_tensor, value_tensor) -> MapParameter:
        """Sets the rows of keys.

        Args:
            key_tensor (Tensor): The keys.
            value_tensor (Tensor): A row for each.

        Returns:
            MapParameter, this one.
        """
        keys = self._checked_keys(key_tensor, "put")
        shape = (*keys.shape, *self.value_shape)
        values = value_tensor.asnumpy() if isinstance(value_tensor, Tensor) else np.asarray(value_tensor)
        if values.shape != shape:
            raise ValueError(
                f"For 'MapParameter.put', the values of {keys.size} keys must have shape {shape}, but got "
                f"{values.shape}."
            )
        self._rows.put(keys.reshape(-1).tolist(), values.reshape(-1, *self.value_shape))
        return self

    def erase(self, key_tensor) -> MapParameter:
        """Removes keys and their rows.

        Args:
            key_tensor (Tensor): The keys.

        Returns:
            MapParameter, this one.
        """
        self._rows.erase(self._checked_keys(key_tensor, "erase").reshape(-1).tolist())
        return self

    __getitem__ = get

    def __setitem__(self, key_tensor, value_tensor) -> None:
        self.put(key_tensor, value_tensor)

    def get_keys(self) -> Tensor:
        """All keys."""
        return Tensor(self._rows.keys.copy())

    def get_values(self) -> Tensor:
        """All rows, in the order of the keys."""
        return Tensor(self._rows.values.copy())

    def get_data(self) -> tuple[Tensor, Tensor]:
        """All keys and all rows."""
        return self.get_keys(), self.get_values()

    def _checked_keys(self, keys, method: str) -> np.ndarray:
        if _c.is_capturing():
            raise RuntimeError(
                f"'MapParameter.{method}' cannot be compiled: rows are kept by Python. Call it outside of "
                "functions with @jit, and in PyNative mode."
            )
        if _c.is_recording() and self.requires_grad:
            raise RuntimeError(
                f"No gradient goes through 'MapParameter.{method}'. Get the rows before the gradient is "
                "computed and 'put' new ones, or make the parameter with requires_grad=False."
            )
        if not isinstance(keys, Tensor) or keys.dtype != self.key_dtype:
            got = keys.dtype if isinstance(keys, Tensor) else type(keys).__name__
            raise TypeError(
                f"For 'MapParameter.{method}', keys must be a Tensor of type {self.key_dtype}, but got {got}."
            )
        return keys.asnumpy()

    def _new_rows(self, count: int) -> np.ndarray:
        shape = (count, *self.value_shape)
        if isinstance(self.default_value, str):
            return initializer(self.default_value, shape, self.value_dtype).init_data().asnumpy()
        return np.full(shape, self.default_value, mstype.dtype_to_nptype(self.value_dtype))

    # ---- whole content -------------------------------------------------------------------------------------

    def export_data(self, incremental=False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Keys, rows, and what became of each key since the last export.

        Args:
            incremental (bool): Only what has changed: 1 stands for written, 2 for erased. Default: ``False``,
                everything, with 0.

        Returns:
            tuple of three numpy.ndarray.
        """
        found = self._export(incremental)
        self._rows.note_exported(found.moment)
        return found.keys.copy(), found.values.copy(), found.states

    def export_bytes(self, incremental=False) -> tuple[bytes, bytes, bytes]:
        """The same as bytes."""
        keys, values, states = self.export_data(incremental)
        return keys.tobytes(), values.tobytes(), states.tobytes()

    def export_slice_data(self, incremental=False) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
        """The same in slices of up to 1 GiB, one with every call.

        Returns:
            tuple of three numpy.ndarray and a bool, whether this was the last slice.
        """
        waiting = self.__dict__.setdefault("_slices", [])
        if not waiting:
            arrays = self.export_data(incremental)
            row = max(1, sum(array[:1].nbytes for array in arrays))
            most = max(1, _MOST_BYTES // row)
            starts = range(0, max(1, len(arrays[0])), most)
            waiting += [tuple(array[start : start + most] for array in arrays) for start in starts]
        return (*waiting.pop(0), not waiting)

    def import_data(self, data) -> None:
        """Takes what was exported.

        Args:
            data (tuple): Keys, rows and states. If all states are 0, they become the whole content; otherwise
                they are changes, which are made. Arrays without rows change nothing.

        Raises:
            ValueError: The arrays do not fit each other or the parameter.
        """
        if not isinstance(data, (tuple, list)) or len(data) != 3:
            raise ValueError("For 'MapParameter.import_data', data must be keys, values and states.")
        keys, values, states = map(np.asarray, data)
        if keys.ndim != 1 or values.shape != (keys.size, *self.value_shape) or states.shape != keys.shape:
            raise ValueError(
                f"The rows of '{self.name}' have shape {self.value_shape}, which keys of shape {keys.shape}, "
                f"values of shape {values.shape} and states of shape {states.shape} do not fit."
            )
        self._rows.take(keys, values, states)

    def _export(self, is_incremental: bool) -> Export:
        """What there is, not yet noted as exported; arrays may be views."""
        return self._rows.export(bool(is_incremental))

    def clone(self, init="same") -> MapParameter:
        """A new map parameter with the same name and attributes.

        Args:
            init (Union[str, Number]): ``"same"`` copies the rows; otherwise there are none, and new ones are
                filled with this. Default: ``"same"``.
        """
        result = super().clone()
        if isinstance(init, str) and init == "same":
            result.__dict__["_rows"] = self._rows.copy()
            return result
        result.__dict__["default_value"] = _checked_default(init)
        types = _array_types(self.key_dtype, self.value_dtype)
        result.__dict__["_rows"] = MapRows(*types, self.value_shape)
        return result

    def __setstate__(self, state) -> None:
        super().__setstate__(state)
        self.__dict__["_rows"] = self._rows.copy()

    def _refuse(self, *_, **__):
        raise TypeError(
            f"The map parameter '{self.name}' has no value as a whole: use 'put', 'erase' or 'import_data'."
        )

    set_data = set_dtype = assign_value = _refuse


def _shape(value) -> tuple[int, ...]:
    shape = (value,) if isinstance(value, int) else value
    if not isinstance(shape, (tuple, list)) or not all(isinstance(one, int) and one > 0 for one in shape):
        raise TypeError(
            "For 'MapParameter', 'value_shape' must be an int, or a tuple or list of ints, that are greater "
            f"than 0, but got {value!r}."
        )
    return tuple(shape)


def _checked_default(value):
    is_number = isinstance(value, numbers.Real)
    if not is_number and value not in _INITIALIZERS:
        raise ValueError(
            f"Unsupported init name for map parameter: {value!r}. It must be a number or one of "
            f"{', '.join(_INITIALIZERS)}."
        )
    return value


def _array_types(key_dtype, value_dtype) -> tuple[type, type]:
    """The same types in NumPy."""
    if key_dtype not in (*mstype.int_type, *mstype.uint_type):
        raise TypeError(f"For 'MapParameter', keys must be whole numbers, but got the type {key_dtype}.")
    if value_dtype not in (
        *(mstype.bool_, *mstype.int_type, *mstype.uint_type),
        *(mstype.float16, mstype.float32, mstype.float64),
    ):
        raise TypeError(f"For 'MapParameter', values cannot be of type {value_dtype}.")
    return mstype.dtype_to_nptype(key_dtype), mstype.dtype_to_nptype(value_dtype)


__all__ = ["MapParameter"]
