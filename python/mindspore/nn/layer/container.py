# SPDX-License-Identifier: Apache-2.0
"""Cells that hold other cells in order or by name."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from typing import Any

from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell


def _checked_index(length: int, index: int | Tensor, owner: str) -> int:
    if isinstance(index, Tensor):  # which layer comes next may have been computed
        index = operator.index(index)
    if isinstance(index, bool) or not isinstance(index, int):
        raise TypeError(
            f"For '{owner}', the type of 'index' must be int or slice, but got {type(index).__name__}."
        )
    if not -length <= index < length:
        raise IndexError(
            f"For '{owner}', the value of 'index' must be a number in range [{-length}, {length}), "
            f"but got {index}."
        )
    return index % length


def _checked_cell(cell, owner: str) -> Cell:
    if not isinstance(cell, Cell):
        raise TypeError(f"For '{owner}', each cell must be subclass of Cell, but got {type(cell)}.")
    return cell


class _OrderedCells(Cell):
    """Cells under the names "0", "1", ..."""

    def _insert_all(self, cells) -> None:
        for cell in cells:
            self._append(cell)

    def _append(self, cell) -> None:
        self._put(str(len(self._cells)), _checked_cell(cell, self.cls_name))

    def _put(self, name: str, cell: Cell) -> None:
        if self._auto_prefix:
            cell.update_parameters_name(name + ".")
        self._cells[name] = cell
        self._cell_changed()

    def _replace_all(self, cells: list) -> None:
        """New content; parameters are renamed by their new positions."""
        self._cells.clear()
        for cell in cells:
            self._append(cell)
        self._cell_changed()

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._cells.values())

    def insert(self, index: int, cell: Cell) -> None:
        """Puts a cell before position `index`."""
        length = len(self)
        if isinstance(index, bool) or not isinstance(index, int):
            raise TypeError(
                f"For '{self.cls_name}', the type of 'index' must be int, but got {type(index).__name__}."
            )
        if not -length <= index <= length:
            raise IndexError(
                f"For '{self.cls_name}', the value of 'index' must be a number in range [{-length}, "
                f"{length}], "
                f"but got {index}."
            )
        _checked_cell(cell, self.cls_name)
        cells = list(self)
        cells.insert(index, cell)
        self._replace_all(cells)

    def __delitem__(self, index: int | slice) -> None:
        cells = list(self)
        if isinstance(index, slice):
            del cells[index]
        else:
            del cells[_checked_index(len(cells), index, self.cls_name)]
        self._replace_all(cells)

    def __setitem__(self, index: int, cell: Cell) -> None:
        place = _checked_index(len(self), index, self.cls_name)
        self._put(list(self._cells)[place], _checked_cell(cell, self.cls_name))

    def set_grad(self, flag=True):
        """Accepted for compatibility."""
        self.requires_grad = flag
        for cell in self:
            cell.set_grad(flag)
        return self


class SequentialCell(_OrderedCells):
    """Calls its cells one after the other.

    Args:
        args (Union[list[Cell], OrderedDict, Cell]): The cells.

    Raises:
        TypeError: Something is not a Cell.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> from mindspore import nn
        >>> len(nn.SequentialCell(nn.Dense(2, 3), nn.ReLU()))
        2
    """

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], list):
            self._insert_all(args[0])
        elif len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, cell in args[0].items():
                self._put(name, _checked_cell(cell, self.cls_name))
        else:
            self._insert_all(args)
        self._cell_changed()

    def _cell_changed(self) -> None:
        super()._cell_changed()
        self.__dict__["cell_list"] = tuple(self._cells.values())

    def __getitem__(self, index: int | slice) -> Cell:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._cells.items())[index]))
        return self.cell_list[_checked_index(len(self), index, self.cls_name)]

    def append(self, cell: Cell) -> None:
        """Adds a cell at the end."""
        self._append(cell)

    def construct(self, input_data: Any) -> Any:
        for cell in self.cell_list:
            input_data = cell(input_data)
        return input_data


class CellList(_OrderedCells):
    """A list of cells; it cannot be called.

    Args:
        args (list): The cells.
        kwargs (dict): ``auto_prefix``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, *args, **kwargs):
        super().__init__(kwargs.get("auto_prefix", True))
        if len(args) == 1 and isinstance(args[0], (list, tuple, CellList)):
            args = tuple(args[0])
        self._insert_all(args)

    def __getitem__(self, index: int | slice) -> Cell:
        if isinstance(index, slice):
            return type(self)(list(self)[index], auto_prefix=False)
        return list(self)[_checked_index(len(self), index, self.cls_name)]

    def append(self, cell: Cell) -> None:
        """Adds a cell at the end."""
        self._append(cell)

    def extend(self, cells: list) -> CellList:
        """Adds cells at the end."""
        if not isinstance(cells, (list, CellList)):
            raise TypeError(
                f"For 'CellList', the new cells wanted to append should be instance of list, but got "
                f"{type(cells).__name__}."
            )
        for cell in cells:
            _checked_cell(cell, self.cls_name)
        self._insert_all(cells)
        return self

    def __iadd__(self, cells) -> CellList:
        return self.extend(list(cells))

    def construct(self, *inputs):
        raise NotImplementedError("For 'CellList', there is no 'construct': it only holds cells.")


class CellDict(Cell):
    """Cells by name; it cannot be called.

    Args:
        args (iterable): A mapping, or pairs of name and Cell.
        kwargs (dict): ``auto_prefix``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, *args, **kwargs):
        super().__init__(kwargs.get("auto_prefix", True))
        if len(args) == 1:
            self.update(args[0])

    def _checked_key(self, key) -> str:
        if not isinstance(key, str):
            raise TypeError(f"For 'CellDict', the type of key must be str, but got {type(key)}.")
        if not key or "." in key:
            raise KeyError(f"For 'CellDict', the key must not be empty or contain '.', but got {key!r}.")
        if key not in self._cells and hasattr(self, key):
            raise KeyError(f"For 'CellDict', the key {key!r} is already an attribute.")
        return key

    def __getitem__(self, key: str) -> Cell:
        return self._cells[key]

    def __setitem__(self, key: str, cell: Cell) -> None:
        self._checked_key(key)
        if not isinstance(cell, Cell):
            raise TypeError(f"For 'CellDict', the type of value must be Cell, but got {type(cell)}.")
        if self._auto_prefix:
            cell.update_parameters_name(key + ".")
        self._cells[key] = cell
        self._cell_changed()

    def __delitem__(self, key: str) -> None:
        del self._cells[key]
        self._cell_changed()

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __contains__(self, key: str) -> bool:
        return key in self._cells

    def clear(self) -> None:
        """Removes all cells."""
        self._cells.clear()
        self._cell_changed()

    def pop(self, key: str) -> Cell:
        """Removes a cell and returns it."""
        cell = self._cells.pop(key)
        self._cell_changed()
        return cell

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._cells.keys()

    def values(self) -> ValuesView[Cell]:
        """The cells."""
        return self._cells.values()

    def items(self) -> ItemsView[str, Cell]:
        """Pairs of name and cell."""
        return self._cells.items()

    def update(self, cells) -> None:
        """Adds cells from a mapping or from pairs."""
        if isinstance(cells, (dict, OrderedDict, CellDict)):
            pairs = cells.items()
        else:
            if not hasattr(cells, "__iter__"):
                raise TypeError(
                    f"For 'CellDict', the cells must be a mapping or pairs, but got {type(cells)}."
                )
            pairs = list(cells)
            for pair in pairs:
                if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                    raise ValueError(
                        f"For 'CellDict', every element must be a pair of name and cell, but got {pair}."
                    )
        for key, cell in pairs:
            self[key] = cell

    def construct(self, *inputs):
        raise NotImplementedError("For 'CellDict', there is no 'construct': it only holds cells.")


__all__ = ["CellDict", "CellList", "SequentialCell"]
