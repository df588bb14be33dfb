# SPDX-License-Identifier: Apache-2.0
"""How a Cell computes: flags, types, recomputation, options of compilation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mindspore import context
from mindspore import log as logger
from mindspore._c_expression import note_change
from mindspore._kept import Kept
from mindspore._settings.argument_keys import CELL
from mindspore._world import require_one_process
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn._cell_call import in_type
from mindspore.nn._cell_inputs import declared_inputs

if TYPE_CHECKING:
    from mindspore.nn.cell import Cell

_COMPUTE_TYPES = (mstype.float16, mstype.float32, mstype.bfloat16)
_TYPE_FLAGS = {"fp16": mstype.float16, "fp32": mstype.float32, "bf16": mstype.bfloat16}
_RECOMPUTE_KEYS = ("mp_comm_recompute", "parallel_optimizer_comm_recompute", "recompute_slice_activation")


class CellSettings:
    """Flags and options of a Cell."""

    _amp_level = ""  # mixed precision that was applied to the cell

    def add_flags(self, **flags) -> Cell:
        """Sets flags of this cell; returns it."""
        self._flags.update(flags)
        for name, value in flags.items():
            self.__dict__[name] = value
            if value and name in _TYPE_FLAGS:
                self.__dict__["_compute_type"] = _TYPE_FLAGS[name]
                self._cell_changed()
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
        return self.add_flags_recursive(**{name: dtype == dst_type for name, dtype in _TYPE_FLAGS.items()})

    def set_boost(self, boost_type: str) -> Cell:
        """Asks for fewer normalisations ("less_bn"); has no effect."""
        if boost_type != "less_bn":
            raise ValueError(
                f"For 'set_boost', the argument 'boost_type' must be 'less_bn', but got {boost_type}."
            )
        CELL.tell("set_boost", boost_type)
        return self.add_flags_recursive(_boost_type=boost_type)

    def set_comm_fusion(self, fusion_type: int, recurse: bool = True) -> Cell:
        """Group in which the gradients of trainable parameters are communicated; returns the cell."""
        if isinstance(fusion_type, bool) or not isinstance(fusion_type, int) or fusion_type < 0:
            raise ValueError(
                f"For 'set_comm_fusion', 'fusion_type' must be a non-negative int, got {fusion_type}."
            )
        require_one_process(f"{self.cls_name}.set_comm_fusion")
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
        self.__dict__["_cell_ready"] = False

    def set_jit_config(self, jit_config) -> None:
        """Options of graph compilation, once per cell."""
        if self._jit_config_dict:
            logger.warning("For Cell, jit config can only be set once, ignore this setting.")
            return
        self._jit_config_dict = dict(jit_config.jit_config_dict)

    def set_inputs(self, *inputs, **kwargs) -> None:
        """Shapes and types of inputs, unknown lengths included; later calls must fit them.

        Args:
            inputs (tuple): One for every argument of `construct`: a Tensor whose shape says what is known, or
                the value of something else.
            kwargs (dict): The same by name, for some arguments.

        Raises:
            ValueError: Both are given, an argument is not known, or there are too many or too few.
        """
        self._cell_inputs = declared_inputs(self, inputs, kwargs)
        self._cell_changed()

    def get_inputs(self) -> Any:
        """What `set_inputs` was given."""
        return self._cell_inputs

    @property
    def _dynamic_shape_inputs(self) -> Any:
        """The same, under the name that subclasses written for MindSpore read."""
        return self._cell_inputs

    @property
    def phase(self) -> str:
        """Name of what the cell is compiled for: "train", "predict" or the user's."""
        return self._phase

    @phase.setter
    def phase(self, value: str) -> None:
        self._phase = value

    create_time = Kept("int", "When the cell was made.")
    param_prefix = Kept("str", "Prefix of the names of its parameters.")

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
    def cls_name(self) -> str:
        """Name of the class, or another that messages use."""
        return self.__dict__.get("_cls_name") or type(self).__name__

    @cls_name.setter
    def cls_name(self, value: str) -> None:
        self.__dict__["_cls_name"] = value

    @property
    def cell_init_args(self) -> str:
        """The class and how it was made, as text."""
        return f"{type(self)}({self.extend_repr()})"

    jit_config_dict = Kept("dict", "Options of graph compilation.")

    def cast_inputs(self, inputs, dst_type) -> list:
        """Floating tensors among the inputs in another type.

        Args:
            inputs (tuple): Tensors and anything else.
            dst_type (:class:`mindspore.dtype`): The type.
        """
        return list(in_type(tuple(inputs), dst_type))

    def auto_cast_inputs(self, inputs) -> Any:
        """The inputs in the type the cell computes in, see `to_float`."""
        return inputs if self._compute_type is None else in_type(inputs, self._compute_type)

    def cast_param(self, param: Parameter) -> Tensor:
        """The parameter in the type the cell computes in; operators do that by themselves."""
        return param

    def update_cell_type(self, cell_type) -> None:
        """Marks what kind of cell this is, for tools that rewrite networks."""
        self.cell_type = cell_type
