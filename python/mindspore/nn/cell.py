# SPDX-License-Identifier: Apache-2.0
"""Cell: the unit networks are built from."""

from __future__ import annotations

import itertools
import time
from collections import OrderedDict
from collections.abc import Iterator

from mindspore import context
from mindspore import log as logger
from mindspore._c_expression import note_change
from mindspore._capture.function import _Mode, call_cell, is_inside
from mindspore.common import dtype as mstype
from mindspore.common.hook import HookHandle, check_hook
from mindspore.common.parameter import Parameter, ParameterTuple
from mindspore.common.tensor import Tensor
from mindspore.nn._cell_call import call_in_full, check_arguments
from mindspore.ops.primitive import Primitive

_creation_order = itertools.count(1)
_hook_numbers = itertools.count(1)
_COMPUTE_TYPES = (mstype.float16, mstype.float32, mstype.bfloat16)
_RECOMPUTE_KEYS = ("mp_comm_recompute", "parallel_optimizer_comm_recompute", "recompute_slice_activation")


def _is_parameter_list(value) -> bool:
    return (
        isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(p, Parameter) for p in value)
    )


class Cell:
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

    def __init__(self, auto_prefix: bool = True, flags: dict | None = None):
        fields = self.__dict__
        fields["_params"] = OrderedDict()
        fields["_cells"] = OrderedDict()
        fields["_params_of_lists"] = {}
        fields["_auto_prefix"] = auto_prefix
        fields["_flags"] = {}
        fields["training"] = False
        fields["requires_grad"] = False
        fields["_ready"] = False  # nothing stands between a call and `construct`
        fields["_checked"] = False
        fields["_compute_type"] = None
        fields["_recompute"] = False
        fields["_hooks"] = {}
        fields["_phase"] = "train"
        fields["_param_prefix"] = ""
        fields["_bprop_debug"] = False
        fields["_pipeline_stage"] = None
        fields["_boost_type"] = ""
        fields["_jit_config_dict"] = {}
        fields["_inputs"] = None
        fields["_create_time"] = int(time.time() * 1e9) + next(_creation_order)
        fields["cls_name"] = type(self).__name__
        if flags:
            self.add_flags(**flags)

    # ---- attributes ---------------------------------------------------------------------------

    def __setattr__(self, name: str, value) -> None:
        note_change()
        if isinstance(value, Parameter):
            self._set_parameter(name, value)
        elif isinstance(value, Cell):
            self._set_cell(name, value)
        elif isinstance(value, (tuple, list)) and _is_parameter_list(value):
            self._set_parameter_list(name, value)
        else:
            self._set_other(name, value)

    def _tables(self, what: str) -> tuple[OrderedDict, OrderedDict]:
        fields = self.__dict__
        if "_params" not in fields:
            raise AttributeError(
                f"For '{type(self).__name__}', can not assign {what} before Cell.__init__() is called."
            )
        return fields["_params"], fields["_cells"]

    def _set_parameter(self, name: str, parameter: Parameter) -> None:
        params, cells = self._tables("params")
        if name in cells:
            raise TypeError(f"For 'Cell', the type of {name} must be Cell, but got Parameter.")
        if name not in params and self.__dict__.get(name) is not None:
            raise TypeError(
                f"For 'Cell', the {name} should not be Parameter: it is already another attribute."
            )
        if parameter.name == "Parameter":
            parameter.name = name
        self._enter(name, params, parameter)

    def _enter(self, name: str, table: OrderedDict, value) -> None:
        self._forget_list(name)
        table[name] = value
        self.__dict__[name] = value
        self._changed()

    def _changed(self) -> None:
        note_change()
        self.__dict__["_ready"] = False
        self.__dict__["_checked"] = False

    def _forget_list(self, name: str) -> None:
        for key in self._params_of_lists.pop(name, ()):
            self._params.pop(key, None)

    def _set_cell(self, name: str, cell: Cell) -> None:
        params, cells = self._tables("cells")
        if name in params and params[name] is not None:
            raise TypeError(f"For 'Cell', the type of {name} must be Parameter, but got Cell.")
        if self._auto_prefix:
            cell.update_parameters_name(name + ".")
        params.pop(name, None)
        self._enter(name, cells, cell)

    def _set_parameter_list(self, name: str, value) -> None:
        params, cells = self._tables("params")
        if name in cells:
            raise TypeError(f"For 'Cell', the type of {name} must be Cell, but got {type(value).__name__}.")
        names: dict[str, Parameter] = {}
        keys = []
        for index, parameter in enumerate(value):
            if parameter.name == "Parameter":
                parameter.name = f"{name}.{index}"
            if names.setdefault(parameter.name, parameter) is not parameter:
                raise ValueError(
                    f"The value {parameter} , its name '{parameter.name}' already exists. Please set a "
                    "unique name "
                    "for the parameter."
                )
            keys.append(parameter.name)
        self._forget_list(name)
        known = {id(parameter) for parameter in params.values()}
        fresh = [
            (key, parameter)
            for key, parameter in zip(keys, value, strict=False)
            if id(parameter) not in known
        ]
        params.update(fresh)
        self._params_of_lists[name] = [key for key, _ in fresh]
        self.__dict__[name] = value
        self._changed()

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
            self._changed()
        else:
            if isinstance(value, Primitive):
                value.set_prim_instance_name(name)
            if params is not None:
                self._forget_list(name)
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
        else:
            raise TypeError(
                f"For 'Cell', the type of {name} must be Parameter or ParameterTuple, but got "
                f"{type(value).__name__}."
            )

    def __getattr__(self, name: str):
        # Only asked for what ordinary lookup did not find.
        raise AttributeError(f"The '{type(self).__name__}' object has no attribute '{name}'.")

    def __delattr__(self, name: str) -> None:
        fields = self.__dict__
        if name in fields.get("_params", ()):
            del fields["_params"][name]
        elif name in fields.get("_cells", ()):
            del fields["_cells"][name]
        elif "_params_of_lists" in fields:
            self._forget_list(name)
        object.__delattr__(self, name)
        self._changed()

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
        params, _ = self._tables("params")
        self._check_new_name(param_name, params)
        if check_name_contain_dot and "." in param_name:
            raise KeyError(
                f"For 'Cell', the name of a parameter must not contain '.', but got '{param_name}'."
            )
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"For 'Cell', the 'param' must be Parameter or None, but got {type(param)}.")
        if param is not None and param.name == "Parameter":
            param.name = param_name
        self._enter(param_name, params, param)

    def insert_child_to_cell(self, child_name: str, child_cell: Cell) -> None:
        """Adds a cell under a name; its parameters keep their names.

        Args:
            child_name (str): The name.
            child_cell (Cell): The cell.

        Raises:
            KeyError: The name is empty or belongs to another attribute.
            TypeError: `child_cell` is not a Cell.
        """
        _, cells = self._tables("cells")
        self._check_new_name(child_name, cells)
        if not isinstance(child_cell, Cell) and child_cell is not None:
            raise TypeError(f"For 'Cell', the 'child_cell' must be Cell, but got {type(child_cell)}.")
        self._enter(child_name, cells, child_cell)

    # ---- iteration ----------------------------------------------------------------------------

    def _walk(self, prefix: str, seen: set) -> Iterator[tuple[str, Cell]]:
        if id(self) in seen:
            return
        seen.add(id(self))
        yield prefix, self
        for name, cell in self._cells.items():
            if cell is not None:
                yield from cell._walk(f"{prefix}.{name}" if prefix else name, seen)

    def cells_and_names(self, cells=None, name_prefix: str = "") -> Iterator[tuple[str, Cell]]:
        """Every cell with its path, this one first, each once."""
        return self._walk(name_prefix, cells if cells is not None else set())

    def parameters_and_names(self, name_prefix: str = "", expand: bool = True):
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

    def parameters_broadcast_dict(self, recurse: bool = True):
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

    def cells(self):
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

    # ---- flags --------------------------------------------------------------------------------

    def add_flags(self, **flags) -> Cell:
        """Sets flags of this cell; returns it."""
        self._flags.update(flags)
        for name, value in flags.items():
            self.__dict__[name] = value
        note_change()
        return self

    def add_flags_recursive(self, **flags) -> Cell:
        """Sets flags of this cell and all below; returns it."""
        for _, cell in self.cells_and_names():
            cell.add_flags(**flags)
        return self

    def get_flags(self) -> dict:
        """Flags of this cell."""
        return self._flags

    def set_train(self, mode: bool = True) -> Cell:
        """Training or inference form of dropout, normalisation and the like; returns the cell.

        Args:
            mode (bool): Whether to train. Default: ``True``.
        """
        self._phase = "train" if mode else "predict"
        return self.add_flags_recursive(training=bool(mode))

    def set_grad(self, requires_grad: bool = True) -> Cell:
        """Accepted for compatibility: gradients are recorded when somebody asks for them."""
        self.requires_grad = requires_grad
        return self

    def to_float(self, dst_type) -> Cell:
        """Lets operators of this cell and all below compute in another floating type; returns the cell.

        Args:
            dst_type (:class:`mindspore.dtype`): float16, float32 or bfloat16.

        Raises:
            ValueError: `dst_type` is another type.
        """
        if dst_type not in _COMPUTE_TYPES:
            raise ValueError(
                "For 'to_float', the argument 'dst_type' must be mstype.float32, mstype.float16 or "
                "mstype.bfloat16, "
                f"but got type: {type(dst_type)} and value: {dst_type}."
            )
        for _, cell in self.cells_and_names():
            cell.__dict__["_compute_type"] = dst_type
            cell._changed()
        return self

    def set_boost(self, boost_type: str) -> Cell:
        """Accepted for compatibility; "less_bn" is the only kind."""
        if boost_type != "less_bn":
            raise ValueError(
                f"For 'set_boost', the argument 'boost_type' must be 'less_bn', but got {boost_type}."
            )
        return self.add_flags_recursive(_boost_type=boost_type)

    def set_comm_fusion(self, fusion_type: int, recurse: bool = True) -> Cell:
        """Group in which the gradients of trainable parameters are communicated; returns the cell."""
        if isinstance(fusion_type, bool) or not isinstance(fusion_type, int) or fusion_type < 0:
            raise ValueError(
                f"For 'set_comm_fusion', 'fusion_type' must be a non-negative int, got {fusion_type}."
            )
        for parameter in self.trainable_params(recurse):
            parameter.comm_fusion = fusion_type
        return self

    def recompute(self, **kwargs) -> None:
        """Computes this cell again in backward instead of keeping its intermediate values."""
        for key in kwargs:
            if key not in _RECOMPUTE_KEYS:
                raise ValueError(f"For 'Cell', the recompute interface's keyword '{key}' is not recognized!")
        if self._recompute and context.get_context("mode") == context.GRAPH_MODE:
            raise RuntimeError(
                f"The recompute interface can be configured only once. Recompute of {self.cls_name}."
            )
        self._recompute = True
        self.__dict__["_ready"] = False

    def shard(
        self, in_strategy, out_strategy=None, parameter_plan=None, device: str = "Ascend", level: int = 0
    ):
        """Splits the computation over devices in (semi-)automatic parallel training."""
        mode = context.get_auto_parallel_context("parallel_mode")
        if mode not in ("semi_auto_parallel", "auto_parallel"):
            raise AssertionError(
                f"Cell shard only supports auto parallel and semi auto parallel, but got {mode}."
            )
        return self

    def set_param_ps(self, recurse: bool = True, init_in_server: bool = False) -> None:
        """Lets a parameter server update the trainable parameters."""
        for parameter in self.trainable_params(recurse):
            parameter.set_param_ps(init_in_server)

    def place(self, role: str, rank_id: int) -> None:
        """Accepted for compatibility: one process places nothing."""

    def flatten_weights(self, fusion_size: int = 0) -> None:
        """Accepted for compatibility: weights need not lie side by side."""
        if fusion_size < 0:
            raise ValueError(f"Negative 'fusion_size' {fusion_size} is invalid.")

    def set_data_parallel(self) -> None:
        """Splits every operator of the cell by batch in automatic parallel training."""
        if context.get_context("mode") == context.PYNATIVE_MODE:
            raise ValueError("set_data_parallel: does not support PyNative mode.")

    def set_jit_config(self, jit_config) -> None:
        """Options of graph compilation, once per cell."""
        if self._jit_config_dict:
            logger.warning("For Cell, jit config can only be set once, ignore this setting.")
            return
        self._jit_config_dict = dict(jit_config.jit_config_dict)

    def set_inputs(self, *inputs, **kwargs) -> None:
        """Shapes and types to compile for, unknown lengths included."""
        if inputs and kwargs:
            raise ValueError("For Cell, set_inputs should only set inputs or kwargs(inputs: {}, kwargs: {})!")
        if kwargs:
            import inspect

            names = list(inspect.signature(self.construct).parameters)
            for key in kwargs:
                if key not in names:
                    raise ValueError(
                        f"For Cell, set_inputs: For dict mode, valid key is {names}, but got {key}!"
                    )
            self._inputs = tuple(kwargs.get(name) for name in names)
        else:
            self._inputs = inputs

    def get_inputs(self):
        """What `set_inputs` was given."""
        return self._inputs

    @property
    def phase(self) -> str:
        """Name of what the cell is compiled for: "train", "predict" or the user's."""
        return self._phase

    @phase.setter
    def phase(self, value: str) -> None:
        self._phase = value

    @property
    def create_time(self) -> int:
        """When the cell was made."""
        return self._create_time

    @property
    def param_prefix(self) -> str:
        """Prefix of the names of its parameters."""
        return self._param_prefix

    @property
    def bprop_debug(self) -> bool:
        """Whether a custom `bprop` runs in the interpreter in graphs."""
        return self._bprop_debug

    @bprop_debug.setter
    def bprop_debug(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError(
                f"For 'Cell', the property 'bprop_debug' must be bool type, but got type {type(value)}."
            )
        self._bprop_debug = value

    @property
    def pipeline_stage(self):
        """Stage of a pipeline that runs the cell, or None."""
        return self._pipeline_stage

    @pipeline_stage.setter
    def pipeline_stage(self, value: int) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(
                f"For 'Cell', the property 'pipeline_stage' must be int type, but got type {type(value)}."
            )
        if value < 0:
            raise ValueError(
                f"For 'Cell', the property 'pipeline_stage' can not be less than 0, but got {value}."
            )
        self._pipeline_stage = value
        for parameter in self.trainable_params():
            parameter.add_pipeline_stage(value)

    # ---- calling ------------------------------------------------------------------------------

    def construct(self, *args, **kwargs):
        """What the cell computes; defined in every subclass."""
        raise AttributeError(f"For '{type(self).__name__}', the method 'construct' is not defined.")

    def __call__(self, *args, **kwargs):
        if _Mode.graph and not is_inside() and "_params" in self.__dict__:
            if context.is_precompile_only():
                return self.compile(*args, **kwargs)
            try:
                return call_cell(self, args, kwargs)
            except TypeError:
                check_arguments(self, args, kwargs)
                raise
        if self._ready:
            return self.construct(*args, **kwargs)
        return self._forward(*args, **kwargs)

    def _run(self, *args, **kwargs):
        """A call that is not captured on its own."""
        return self.construct(*args, **kwargs) if self._ready else self._forward(*args, **kwargs)

    def _forward(self, *args, **kwargs):
        """A call with everything that may stand around `construct`."""
        fields = self.__dict__
        if "_params" not in fields:
            raise AttributeError(f"For '{type(self).__name__}', please call Cell.__init__() firstly.")
        if not self._checked:
            self._check_names()
        special = (
            self._hooks or self._recompute or self._compute_type is not None or hasattr(type(self), "bprop")
        )
        if not special:
            fields["_ready"] = True
            return self.construct(*args, **kwargs)
        return call_in_full(self, args, kwargs)

    def _check_names(self) -> None:
        by_name: dict[str, list] = {}
        for path, parameter in self.parameters_and_names():
            by_name.setdefault(parameter.name, []).append((path, parameter))
        for group in by_name.values():
            for path, parameter in group if len(group) > 1 else ():
                parameter.name = path
        names: set[str] = set()
        for parameter in self.get_parameters():
            if parameter.name in names:
                raise ValueError(
                    f"The value {parameter} , its name '{parameter.name}' already exists. Please set a "
                    "unique name "
                    "for the parameter."
                )
            names.add(parameter.name)
        self.__dict__["_checked"] = True

    def compile(self, *args, **kwargs) -> None:
        """Checks the number of arguments; the graph itself is made by the first call with such arguments."""
        check_arguments(self, args, kwargs)

    def compile_and_run(self, *args, **kwargs):
        """The same as calling the cell."""
        return self(*args, **kwargs)

    # ---- hooks --------------------------------------------------------------------------------

    def _register(self, kind: str, hook_fn) -> HookHandle:
        check_hook(hook_fn, f"register_{kind}_hook")
        hooks = self._hooks.setdefault(kind, {})
        number = next(_hook_numbers)
        hooks[number] = hook_fn
        self._changed()

        def take_away():
            note_change()
            hooks.pop(number, None)
            if not hooks:
                self._hooks.pop(kind, None)

        return HookHandle(take_away)

    def register_forward_pre_hook(self, hook_fn) -> HookHandle:
        """Calls ``hook_fn(cell, inputs)`` before `construct`; what it returns replaces the inputs.

        Returns:
            Handle with a method `remove()`.
        """
        return self._register("forward_pre", hook_fn)

    def register_forward_hook(self, hook_fn) -> HookHandle:
        """Calls ``hook_fn(cell, inputs, output)`` after `construct`; what it returns replaces the output.

        Returns:
            Handle with a method `remove()`.
        """
        return self._register("forward", hook_fn)

    def register_backward_hook(self, hook_fn) -> HookHandle:
        """Calls ``hook_fn(cell_id, grad_input, grad_output)`` in backward.

        `grad_input` arrives at the cell (gradients of its outputs), `grad_output` leaves it (gradients of its
        inputs); what the function returns replaces the latter.

        Returns:
            Handle with a method `remove()`.
        """
        return self._register("backward", hook_fn)

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


class GraphCell(Cell):
    """Runs a graph loaded from a file."""

    def __init__(self, graph, params_init=None, obf_random_seed=None):
        super().__init__()
        self.graph = graph

    def construct(self, *inputs):
        return self.graph(*inputs)


__all__ = ["Cell", "GraphCell", "ParameterTuple"]
