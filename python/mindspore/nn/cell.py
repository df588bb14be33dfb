# SPDX-License-Identifier: Apache-2.0
"""Cell: the unit networks are built from."""

from __future__ import annotations

import itertools
import time
from collections import OrderedDict
from typing import Any

from mindspore import context
from mindspore._c_expression import is_capturing, is_recording, note_change
from mindspore._capture.function import _Mode, call_cell, is_inside, rehearse_cell
from mindspore._spelling import SpelledArguments, UnknownName, name_hint
from mindspore.common._structure import tensors_in
from mindspore.common.parameter import PARAMETER_NAME_DEFAULT, Parameter, ParameterTuple
from mindspore.common.tensor import Tensor
from mindspore.nn._cell_call import call_in_full, check_arguments
from mindspore.nn._cell_hooks import CellHooks
from mindspore.nn._cell_parallel import CellParallel
from mindspore.nn._cell_parts import CellParts
from mindspore.nn._cell_place import note_place
from mindspore.nn._cell_settings import CellSettings
from mindspore.nn._on_demand import NAMES as primitive_names
from mindspore.nn._on_demand import note_assignment
from mindspore.ops.primitive import Primitive

_creation_order = itertools.count(1)


def _is_parameter_list(value) -> bool:
    return (
        isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(p, Parameter) for p in value)
    )


def _as_value_of(parameter: Parameter, number) -> Tensor:
    """A number as new content of a parameter that is one number."""
    if parameter.shape != ():
        raise ValueError(
            f"For 'Assign', 'value' must have the same rank as 'variable': the parameter "
            f"'{parameter.name}' has the shape {parameter.shape}, but a number was assigned."
        )
    if isinstance(number, float) and not parameter.is_floating_point():
        raise TypeError(
            f"Data type conversion is not supported for a 'Parameter': '{parameter.name}' is "
            f"{parameter.dtype}, but {number} was assigned."
        )
    value = Tensor(number, parameter.dtype)
    if isinstance(number, int) and not parameter.is_floating_point() and int(value.asnumpy()) != number:
        raise ValueError(f"{number} does not fit into the parameter '{parameter.name}' of {parameter.dtype}.")
    return value


class Cell(CellParts, CellSettings, CellHooks, CellParallel, SpelledArguments):
    """A part of a network: parameters, further cells, and `construct`, which computes.

    Args:
        auto_prefix (bool): Parameters of child cells are named after the attributes that hold them.
            Default: ``True``.
        flags (dict): Flags, also readable as attributes. Default: ``None``.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import nn
        >>> class Double(nn.Cell):
        ...     def construct(self, x):
        ...         return x + x
        >>> float(Double()(ms.Tensor(2.0)))
        4.0
    """

    _called_as = "construct"
    _recorded_phase: str | None = None  # what nodes that it records are part of; None: what goes on anyway

    def __init__(self, auto_prefix: bool = True, flags: dict | None = None):
        fields = self.__dict__
        fields["_params"] = OrderedDict()
        fields["_cells"] = OrderedDict()
        fields["_params_of_lists"] = {}
        fields["_auto_prefix"] = auto_prefix
        fields["_flags"] = {}
        fields["training"] = False
        fields["requires_grad"] = False
        fields["_cell_ready"] = False  # nothing stands between a call and `construct`
        fields["_names_checked"] = False
        fields["_compute_type"] = None
        fields["_recompute"] = False
        fields["_cell_hooks"] = {}
        fields["_phase"] = "train"
        fields["_param_prefix"] = ""
        fields["_bprop_debug"] = False
        fields["_pipeline_stage"] = None
        fields["_boost_type"] = ""
        fields["_jit_config_dict"] = {}
        fields["_cell_inputs"] = None
        fields["_create_time"] = int(time.time() * 1e9) + next(_creation_order)
        if flags:
            self.add_flags(**flags)

    # ---- attributes ---------------------------------------------------------------------------

    def __setattr__(self, name: str, value) -> None:
        note_change()
        if name in primitive_names:
            note_assignment(self, name, value)
        if isinstance(value, Parameter):
            self._set_parameter(name, value)
        elif isinstance(value, Cell):
            self._set_cell(name, value)
        elif isinstance(value, (tuple, list)) and _is_parameter_list(value):
            self._set_parameter_list(name, value)
        else:
            self._set_other(name, value)

    def _cell_tables(self, what: str) -> tuple[OrderedDict, OrderedDict]:
        fields = self.__dict__
        if "_params" not in fields:
            raise AttributeError(
                f"For '{type(self).__name__}', can not assign {what} before Cell.__init__() is called."
            )
        return fields["_params"], fields["_cells"]

    def _set_parameter(self, name: str, parameter: Parameter) -> None:
        params, cells = self._cell_tables("params")
        if name in cells:
            raise TypeError(f"For 'Cell', the type of {name} must be Cell, but got Parameter.")
        if name not in params and self.__dict__.get(name) is not None:
            raise TypeError(
                f"For 'Cell', the {name} should not be Parameter: it is already another attribute."
            )
        if parameter.name == PARAMETER_NAME_DEFAULT:
            parameter.name = name
        self._cell_enter(name, params, parameter)

    def _cell_enter(self, name: str, table: OrderedDict, value) -> None:
        self._forget_parameter_list(name)
        table[name] = value
        self.__dict__[name] = value
        self._cell_changed()

    def _cell_changed(self) -> None:
        note_change()
        self.__dict__["_cell_ready"] = False
        self.__dict__["_names_checked"] = False

    def _forget_parameter_list(self, name: str) -> None:
        for key in self._params_of_lists.pop(name, ()):
            self._params.pop(key, None)

    def _set_cell(self, name: str, cell: Cell) -> None:
        params, cells = self._cell_tables("cells")
        if name in params and params[name] is not None:
            raise TypeError(f"For 'Cell', the type of {name} must be Parameter, but got Cell.")
        if self._auto_prefix:
            cell.update_parameters_name(name + ".")
        params.pop(name, None)
        self._cell_enter(name, cells, cell)

    def _set_parameter_list(self, name: str, value) -> None:
        params, cells = self._cell_tables("params")
        if name in cells:
            raise TypeError(f"For 'Cell', the type of {name} must be Cell, but got {type(value).__name__}.")
        names: dict[str, Parameter] = {}
        keys = []
        for index, parameter in enumerate(value):
            if parameter.name == PARAMETER_NAME_DEFAULT:
                parameter.name = f"{name}.{index}"
            if names.setdefault(parameter.name, parameter) is not parameter:
                raise ValueError(
                    f"The value {parameter} , its name '{parameter.name}' already exists. Please set a "
                    "unique name "
                    "for the parameter."
                )
            keys.append(parameter.name)
        self._forget_parameter_list(name)
        known = {id(parameter) for parameter in params.values()}
        fresh = [
            (key, parameter)
            for key, parameter in zip(keys, value, strict=False)
            if id(parameter) not in known
        ]
        params.update(fresh)
        self._params_of_lists[name] = [key for key, _ in fresh]
        self.__dict__[name] = value
        self._cell_changed()

    def _set_other(self, name: str, value) -> None:
        fields = self.__dict__
        params, cells = fields.get("_params"), fields.get("_cells")
        if params is not None and name in params:
            self._replace_parameter(name, value)
        elif cells is not None and name in cells:
            if value is not None:
                raise TypeError(
                    f"For 'Cell', the type of {name} must be cell, but got {type(value).__name__}."
                )
            del cells[name]
            fields[name] = None
            self._cell_changed()
        else:
            if isinstance(value, Primitive):
                value.set_prim_instance_name(name)
            if params is not None:
                self._forget_parameter_list(name)
            object.__setattr__(self, name, value)

    def _replace_parameter(self, name: str, value) -> None:
        parameter = self._params[name]
        if value is None:
            self._params[name] = None
            self.__dict__[name] = None
        elif isinstance(value, Tensor) and parameter is not None:
            parameter.set_data(value)
        elif isinstance(value, Tensor):
            raise TypeError(f"For 'Cell', the type of {name} must be Parameter, but got Tensor.")
        elif _Mode.graph and isinstance(value, (int, float)) and parameter is not None:
            # A `construct` written for graph mode may give a parameter a number.
            parameter.set_data(_as_value_of(parameter, value))
        else:
            raise TypeError(
                f"For 'Cell', the type of {name} must be Parameter or ParameterTuple, but got "
                f"{type(value).__name__}."
            )

    def __getattr__(self, name: str):
        # Only asked for what ordinary lookup did not find.
        def hint() -> str:
            if "_params" not in self.__dict__:
                return " Please call super().__init__() in its constructor first."
            return name_hint("Cell", name, dir(self))

        raise UnknownName(f"The '{type(self).__name__}' object has no attribute '{name}'.", hint)

    def __delattr__(self, name: str) -> None:
        fields = self.__dict__
        if name in fields.get("_params", ()):
            del fields["_params"][name]
        elif name in fields.get("_cells", ()):
            del fields["_cells"][name]
        elif "_params_of_lists" in fields:
            self._forget_parameter_list(name)
        object.__delattr__(self, name)
        self._cell_changed()

    def __bool__(self) -> bool:
        return True

    def _check_new_name(self, name, table: OrderedDict) -> None:
        if not isinstance(name, str):
            raise TypeError(f"For 'Cell', the name must be a str, but got {type(name)}.")
        if not name:
            raise KeyError("For 'Cell', the name must not be empty.")
        if name not in table and self.__dict__.get(name) is not None:
            raise KeyError(f"For 'Cell', the {name} is already an attribute. Please choose another name.")

    def insert_param_to_cell(self, param_name: str, param, check_name_contain_dot: bool = True) -> None:
        """Adds a parameter under a name.

        Args:
            param_name (str): The name.
            param (Parameter): The parameter, or None.
            check_name_contain_dot (bool): Refuse names with a dot. Default: ``True``.

        Raises:
            KeyError: The name is empty, has a dot or belongs to another attribute.
            TypeError: `param` is not a Parameter.
        """
        params, _ = self._cell_tables("params")
        self._check_new_name(param_name, params)
        if check_name_contain_dot and "." in param_name:
            raise KeyError(
                f"For 'Cell', the name of a parameter must not contain '.', but got '{param_name}'."
            )
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"For 'Cell', the 'param' must be Parameter or None, but got {type(param)}.")
        if param is not None and param.name == PARAMETER_NAME_DEFAULT:
            param.name = param_name
        self._cell_enter(param_name, params, param)

    def insert_child_to_cell(self, child_name: str, child_cell: Cell) -> None:
        """Adds a cell under a name; its parameters keep their names.

        Args:
            child_name (str): The name.
            child_cell (Cell): The cell.

        Raises:
            KeyError: The name is empty or belongs to another attribute.
            TypeError: `child_cell` is not a Cell.
        """
        _, cells = self._cell_tables("cells")
        self._check_new_name(child_name, cells)
        if not isinstance(child_cell, Cell) and child_cell is not None:
            raise TypeError(f"For 'Cell', the 'child_cell' must be Cell, but got {type(child_cell)}.")
        self._cell_enter(child_name, cells, child_cell)

    # ---- calling ------------------------------------------------------------------------------

    def construct(self, *args, **kwargs) -> Any:
        """What the cell computes; defined in every subclass."""
        raise AttributeError(f"For '{type(self).__name__}', the method 'construct' is not defined.")

    def __call__(self, *args, **kwargs) -> Any:
        if _Mode.graph and not is_capturing() and "_params" in self.__dict__:
            if context._values["precompile_only"]:
                return self.compile(*args, **kwargs)
            try:
                captured = self.__dict__.get("_captured")
                if captured is None or captured.is_special or is_recording():
                    return call_cell(self, args, kwargs)
                return captured.finish(captured.cache(*args, **kwargs), args, kwargs)
            except TypeError:
                check_arguments(self, args, kwargs)
                raise
        try:
            if self._cell_ready:
                return self.construct(*args, **kwargs)
            return self._cell_forward(*args, **kwargs)
        except Exception as error:
            note_place(self, error, args)
            raise

    def _cell_run(self, *args, **kwargs):
        """A call that is not captured on its own."""
        try:
            return (
                self.construct(*args, **kwargs) if self._cell_ready else self._cell_forward(*args, **kwargs)
            )
        except Exception as error:
            note_place(self, error, args)
            raise

    def __getstate__(self) -> dict:
        # A copy is compiled on its own.
        return {name: value for name, value in self.__dict__.items() if name != "_captured"}

    def __setstate__(self, state: dict) -> None:
        fields = self.__dict__
        fields.update(state)
        of_original = state.get("construct")
        if hasattr(of_original, "of_copy"):  # made for that layer, see `_by_primitives.py`
            fields["construct"] = of_original.of_copy(self)

    def run_construct(self, cast_inputs, kwargs) -> Any:
        """`construct` with these arguments."""
        return self.construct(*cast_inputs, **kwargs)

    def _expects(self) -> str | None:
        """Shape of the input in words, for messages; None: nothing is known."""
        return None

    def _cell_forward(self, *args, **kwargs):
        """A call with everything that may stand around `construct`."""
        fields = self.__dict__
        if "_params" not in fields:
            raise AttributeError(f"For '{type(self).__name__}', please call Cell.__init__() firstly.")
        if not self._names_checked:
            self.check_names_and_refresh_name()
        special = (
            self._cell_hooks
            or self._recompute
            or self._compute_type is not None
            or self._cell_inputs is not None
            or hasattr(type(self), "bprop")
        )
        if not special:
            fields["_cell_ready"] = True
            return self.construct(*args, **kwargs)
        return call_in_full(self, args, kwargs)

    def check_names_and_refresh_name(self) -> None:
        """Renames parameters that share a name by their paths; ValueError if that does not help."""
        by_name: dict[str, list] = {}
        for path, parameter in self.parameters_and_names():
            by_name.setdefault(parameter.name, []).append((path, parameter))
        for group in by_name.values():
            for path, parameter in group if len(group) > 1 else ():
                parameter.name = path
        self.check_names()
        self.__dict__["_names_checked"] = True

    def check_names(self) -> None:
        """ValueError if two parameters have one name."""
        names: set[str] = set()
        for parameter in self.get_parameters():
            if parameter.name in names:
                raise ValueError(
                    f"The value {parameter} , its name '{parameter.name}' already exists. Please set a "
                    "unique name for the parameter."
                )
            names.add(parameter.name)

    def compile(self, *args, **kwargs) -> None:
        """Sees that a call with such arguments can be: their number, and shapes and types on the way.

        The graph itself is made by the first call.
        """
        check_arguments(self, args, kwargs)
        is_known = all(tensor._has_data() for tensor in tensors_in((args, kwargs)))
        if is_known and not is_inside():
            rehearse_cell(self, args, kwargs)

    def compile_and_run(self, *args, **kwargs) -> Any:
        """The same as calling the cell."""
        return self(*args, **kwargs)

    # ---- text ---------------------------------------------------------------------------------

    def extend_repr(self) -> str:
        """What a subclass shows of its options."""
        return ""

    def __repr__(self) -> str:
        extra = self.extend_repr()
        if not self._cells:
            return f"{type(self).__name__}<{extra}>"
        lines = [extra] if extra else []
        lines += [f"({name}): {cell!r}" for name, cell in self._cells.items()]
        body = "\n".join(lines).replace("\n", "\n  ")
        return f"{type(self).__name__}<\n  {body}\n  >"


from mindspore.nn._graph_cell import GraphCell  # noqa: E402  (it is a Cell)

__all__ = ["Cell", "GraphCell", "ParameterTuple"]
