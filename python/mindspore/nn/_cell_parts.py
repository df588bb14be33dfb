# SPDX-License-Identifier: Apache-2.0
"""What a Cell consists of: walks over its cells and parameters."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mindspore.common.parameter import Parameter

if TYPE_CHECKING:
    from mindspore.nn.cell import Cell


class CellParts:
    """Walks over cells and parameters."""

    def _cell_walk(self, prefix: str, seen: set) -> Iterator[tuple[str, Cell]]:
        if id(self) in seen:
            return
        seen.add(id(self))
        yield prefix, self
        for name, cell in self._cells.items():
            if cell is not None:
                yield from cell._cell_walk(f"{prefix}.{name}" if prefix else name, seen)

    def cells_and_names(self, cells=None, name_prefix: str = "") -> Iterator[tuple[str, Cell]]:
        """Every cell with its path, this one first, each once."""
        return self._cell_walk(name_prefix, cells if cells is not None else set())

    def parameters_and_names(
        self, name_prefix: str = "", expand: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Every parameter with its path: own ones first, then those of children.

        Args:
            name_prefix (str): Put before every path. Default: ``""``.
            expand (bool): With those of children. Default: ``True``.
        """
        cells = self.cells_and_names(name_prefix=name_prefix) if expand else [(name_prefix, self)]
        seen: set[int] = set()
        for path, cell in cells:
            for name, parameter in cell._params.items():
                if parameter is None or id(parameter) in seen:
                    continue
                seen.add(id(parameter))
                yield (f"{path}.{name}" if path else name), parameter

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """Every parameter.

        Args:
            expand (bool): With those of children. Default: ``True``.
        """
        for _, parameter in self.parameters_and_names(expand=expand):
            yield parameter

    def parameters_dict(self, recurse: bool = True) -> OrderedDict:
        """Parameters by name."""
        return OrderedDict((parameter.name, parameter) for parameter in self.get_parameters(expand=recurse))

    def parameters_broadcast_dict(self, recurse: bool = True) -> OrderedDict | None:
        """Parameters that are broadcast in data-parallel training, or None."""
        found = OrderedDict(
            (parameter.name, parameter)
            for parameter in self.get_parameters(expand=recurse)
            if not parameter.layerwise_parallel
        )
        return found or None

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Parameters that optimizers change."""
        return [parameter for parameter in self.get_parameters(expand=recurse) if parameter.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Parameters that optimizers leave alone."""
        return [parameter for parameter in self.get_parameters(expand=recurse) if not parameter.requires_grad]

    def name_cells(self) -> OrderedDict:
        """Direct children by name, each once."""
        found: OrderedDict = OrderedDict()
        seen: set[int] = set()
        for name, cell in self._cells.items():
            if cell is not None and id(cell) not in seen:
                seen.add(id(cell))
                found[name] = cell
        return found

    def cells(self) -> Iterable[Cell]:
        """Direct children, each once."""
        return self.name_cells().values()

    def apply(self, fn) -> Cell:
        """Calls `fn` with every cell, children first; returns this cell."""
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Names every parameter `prefix` followed by its path."""
        if not isinstance(prefix, str):
            raise TypeError(f"For 'update_parameters_name', 'prefix' must be str, but got {type(prefix)}.")
        for path, parameter in self.parameters_and_names(expand=recurse):
            parameter.name = prefix + path

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict:
        """Parameters before and after initialisation; they are filled when they are made."""
        return {parameter: parameter for parameter in self.get_parameters()}
