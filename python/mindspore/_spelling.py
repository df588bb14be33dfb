# SPDX-License-Identifier: Apache-2.0
"""Hints for names that are not there: how MindSpore spells what others call so, and what was likely meant."""

from __future__ import annotations

import difflib
import importlib
import inspect
import opcode
import os
import sys
from collections.abc import Callable, Iterable, Mapping

from mindspore import _removed

_PACKAGE_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep

ON_DEVICE = "the device is chosen for the whole program: mindspore.set_context(device_target=...)"
_GRADIENT = "gradients are asked for: mindspore.value_and_grad(forward, None, net.trainable_params())"
_NOT_IN_PLACE = "operators return their result; write x = x.{}(...)"

_IN_PLACE = "abs add clamp div exp index_add index_fill masked_fill mul neg pow relu scatter sqrt sub tanh"

# What users of other frameworks look for, and where it is here.
TENSOR_HABITS = {
    **dict.fromkeys(("cuda", "cpu", "device", "is_cuda", "get_device", "pin_memory"), ON_DEVICE),
    **dict.fromkeys(("backward", "grad", "retain_grad", "grad_fn", "is_leaf", "zero_grad"), _GRADIENT),
    "requires_grad_": "it is mindspore.Parameter(tensor, requires_grad=True)",
    "detach": "it is mindspore.ops.stop_gradient(x)",
    "detach_": "it is x = mindspore.ops.stop_gradient(x)",
    "clone": "it is x.copy()",
    "element_size": "it is x.itemsize",
    "data_ptr": "memory is exchanged by mindspore.utils.dlpack",
    "cat": "it is mindspore.ops.concat(tensors, axis)",
    "data": "it is the tensor itself; mindspore.ops.stop_gradient(x) has no gradient",
    "new_tensor": "it is mindspore.Tensor(values, x.dtype)",
    "log_softmax": "it is mindspore.ops.log_softmax(x, axis)",
    "copy_": "it is mindspore.ops.assign(parameter, value), or x[:] = value",
    "zero_": "it is x[:] = 0",
    "fill_": "it is x[:] = value",
    "char": "it is x.astype(mindspore.int8)",
    "to_tensor": "it is x.init_data()",
    "set_parameter_data": "it is parameter.set_data(value)",
    **{f"{name}_": _NOT_IN_PLACE.format(name) for name in _IN_PLACE.split()},
}
_CELL = {
    **dict.fromkeys(("cuda", "cpu", "device", "to"), ON_DEVICE),
    **dict.fromkeys(("backward", "zero_grad"), _GRADIENT),
    "parameters": "they are net.trainable_params() or net.get_parameters()",
    "named_parameters": "they are net.parameters_and_names()",
    "named_modules": "they are net.cells_and_names()",
    "modules": "they are the second parts of net.cells_and_names()",
    "children": "they are net.cells()",
    "named_children": "they are net.name_cells().items()",
    "state_dict": "it is net.parameters_dict()",
    "load_state_dict": "it is mindspore.load_param_into_net(net, parameters)",
    "eval": "it is net.set_train(False)",
    "train": "it is net.set_train()",
    "forward": "it is net.construct, which net(x) calls",
    "add_module": "it is net.insert_child_to_cell(name, cell)",
    "register_buffer": "it is Parameter(value, name=..., requires_grad=False) as an attribute",
    "register_parameter": "it is net.insert_param_to_cell(name, parameter)",
    "half": "it is net.to_float(mindspore.float16)",
    "float": "it is net.to_float(mindspore.float32)",
    "requires_grad_": "it is parameter.requires_grad = ... for every one of net.get_parameters()",
}
_NN = {
    "Module": "it is nn.Cell",
    "Sequential": "it is nn.SequentialCell",
    "ModuleList": "it is nn.CellList",
    "ModuleDict": "it is nn.CellDict",
    "Parameter": "it is mindspore.Parameter",
    "ParameterList": "it is mindspore.ParameterTuple",
    "functional": "functions are in mindspore.ops",
    "init": "initializers are in mindspore.common.initializer",
    "DataParallel": "it is mindspore.set_auto_parallel_context(parallel_mode=...)",
    "ConvTranspose1d": "it is nn.Conv1dTranspose",
    "ConvTranspose2d": "it is nn.Conv2dTranspose",
    "ConvTranspose3d": "it is nn.Conv3dTranspose",
    "AdamW": "it is nn.AdamWeightDecay, or mindspore.experimental.optim.AdamW",
    "RMSprop": "it is nn.RMSProp",
    "NAdam": "it is mindspore.experimental.optim.NAdam",
    "RAdam": "it is mindspore.experimental.optim.RAdam",
    "SELU": "it is nn.SeLU",
    "Hardswish": "it is nn.HSwish",
    "Hardsigmoid": "it is nn.HSigmoid",
    "Hardshrink": "it is nn.HShrink",
    "Softshrink": "it is nn.SoftShrink",
    "Bilinear": "it is nn.BiDense",
}
_OPS = {
    "linear": "it is mindspore.ops.dense",
    "no_grad": "gradients exist only where they are asked for; mindspore.ops.stop_gradient ends one",
    "from_numpy": "it is mindspore.Tensor.from_numpy",
    "tensor": "it is mindspore.Tensor",
    "conv_transpose1d": "it is mindspore.nn.Conv1dTranspose",
    "conv_transpose2d": "it is mindspore.nn.Conv2dTranspose, or ops.Conv2DTranspose",
    "conv_transpose3d": "it is mindspore.nn.Conv3dTranspose, or ops.Conv3DTranspose",
    "save": "it is mindspore.save_checkpoint",
    "load": "it is mindspore.load_checkpoint",
    "manual_seed": "it is mindspore.set_seed",
    "allclose": "it is ops.isclose(x, y).all()",
    "normalize": "it is x / ops.norm(x, dim=axis, keepdim=True)",
}
_PACKAGE = {
    **dict.fromkeys(("cuda", "device"), ON_DEVICE),
    "optim": "optimizers are in mindspore.nn",
    "autograd": _GRADIENT,
    "distributed": "it is mindspore.communication",
    "save": "it is mindspore.save_checkpoint",
    "compile": "it is mindspore.jit",
    "DataLoader": "it is mindspore.dataset.GeneratorDataset(source, columns).batch(size)",
    "inference_mode": "it is net.set_train(False)",
    "set_grad_enabled": "gradients exist only where they are asked for",
    "is_tensor": "it is mindspore.ops.is_tensor",
}
_DATA = {
    "DataLoader": "it is GeneratorDataset(source, column_names).batch(batch_size)",
    "TensorDataset": "it is NumpySlicesDataset(arrays, column_names)",
    "ImageFolder": "it is ImageFolderDataset",
    "MNIST": "it is MnistDataset",
    "FashionMNIST": "it is FashionMnistDataset",
    "CIFAR10": "it is Cifar10Dataset",
    "CIFAR100": "it is Cifar100Dataset",
    "random_split": "it is dataset.split(sizes)",
    "Compose": "it is mindspore.dataset.transforms.Compose",
}
_TRANSFORMS = {"ComposeOp": "it is mindspore.dataset.transforms.Compose(list), which map takes as it is"}
_TRANSFORM_MODULES = [
    f"mindspore.dataset.{package}{module}"
    for package in ("transforms", "vision", "transforms.vision")
    for module in ("", ".transforms", ".c_transforms", ".py_transforms")
]
_HABITS: dict[str, Mapping[str, str]] = {
    "Tensor": TENSOR_HABITS,
    "Cell": _CELL,
    "mindspore": _PACKAGE,
    "mindspore.nn": _NN,
    "mindspore.ops": _OPS,
    "mindspore.dataset": _DATA,
    "mindspore.dataset.engine": _DATA,
    "mindspore.dataset.engine.datasets": _DATA,
    **dict.fromkeys(_TRANSFORM_MODULES, _TRANSFORMS),
}

# Keyword -> what it may be called here; the first that the function knows is meant.
_KEYWORDS = {
    "dim": "axis dims axes",
    "dims": "axis axes dim",
    "axis": "dim axes dims",
    "keepdim": "keepdims keep_dims",
    "keepdims": "keep_dims keepdim",
    "keep_dims": "keepdims keepdim",
    "bias": "has_bias",
    "in_features": "in_channels",
    "out_features": "out_channels",
    "lr": "learning_rate",
    "learning_rate": "lr",
    "params": "parameters",
    "groups": "group num_groups",
    "group": "groups",
    "num_embeddings": "vocab_size",
    "embedding_dim": "embedding_size",
    "betas": "beta1",
    "eps": "epsilon",
    "epsilon": "eps",
    "input": "x input_x logits",
    "x": "input input_x",
    "other": "y x2",
    "track_running_stats": "use_batch_statistics",
    "elementwise_affine": "affine gamma_init",
    "negative_slope": "alpha",
    "p": "keep_prob ord",
    "num_workers": "num_parallel_workers",
    "drop_last": "drop_remainder",
    "transform": "operations",
    "nonlinearity": "activation",
    "return_inverse": "return_idx",
    "sections": "split_size_or_sections indices_or_sections",
    "split_size": "split_size_or_sections",
    "repeats": "reps",
    "device": "device_target",
    "size": "shape output_size",
    "shape": "size",
}
_OPPOSITES = {("p", "keep_prob"): ", the share that stays: 1 - p"}
_NO_KEYWORD = {
    # Of older releases.
    "column_order": "columns are put in order by dataset.project(columns)",
    "pad_info": "rows are padded by dataset.padded_batch(batch_size, pad_info=...)",
    "prefetch_size": "it is set by mindspore.dataset.config.set_prefetch_size(size)",
    "inplace": "operators and layers never change their input",
    "out": "operators return their result",
    "device": ON_DEVICE,
    "requires_grad": "it belongs to mindspore.Parameter",
    "non_blocking": ON_DEVICE,
}


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()


def likely(name: str, known: Iterable[str]) -> str | None:
    """The known name that was most likely meant; None when none is near."""
    spellings: dict[str, list[str]] = {}
    for one in known:
        if not one.startswith("_"):
            spellings.setdefault(_plain(one), []).append(one)
    close = difflib.get_close_matches(_plain(name), spellings, n=1, cutoff=0.75)
    if not close:
        return None
    # Functions and classes may differ in nothing else.
    return min(spellings[close[0]], key=lambda one: one[:1].isupper() != name[:1].isupper())


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A sentence that begins with a space; empty when nothing is near."""
    found = likely(name, known)
    return f" Did you mean '{found}'?" if found else ""


def advice_for(owner: str, name: str) -> str:
    """What a module or class has instead of a name of other frameworks or earlier releases; may be empty."""
    return _HABITS.get(owner, {}).get(name) or _removed.NAMES.get(owner, {}).get(name, "")


def name_hint(owner: str, name: str, known: Iterable[str]) -> str:
    """What to use instead of a name that `owner` has not; a sentence that begins with a space, or empty."""
    advice = advice_for(owner, name)
    if advice:
        return f" In MindSpore {advice}."
    return did_you_mean(name, known)


def keyword_hint(name: str, known: Iterable[str]) -> str:
    """What to use instead of a keyword that a function does not take."""
    names = list(known)
    for candidate in _KEYWORDS.get(name, "").split():
        if candidate in names:
            return f" In MindSpore it is '{candidate}'{_OPPOSITES.get((name, candidate), '')}."
    if name in _NO_KEYWORD:
        return f" In MindSpore {_NO_KEYWORD[name]}."
    return did_you_mean(name, names)


class UnknownName(AttributeError):
    """An AttributeError that thinks of a hint when it is read: most of them are caught and thrown away.

    Args:
        message (str): What is not there.
        hint (Callable): Gives the rest of the message.
    """

    def __init__(self, message: str, hint: Callable[[], str]) -> None:
        super().__init__(message)
        self._hint: Callable[[], str] | str = hint

    def __str__(self) -> str:
        if not isinstance(self._hint, str):
            self._hint = self._hint()
        return self.args[0] + self._hint

    def __reduce__(self) -> tuple:
        return AttributeError, (str(self),)


# Tracebacks show the class that users know.
UnknownName.__name__ = UnknownName.__qualname__ = "AttributeError"
UnknownName.__module__ = "builtins"


class _ConstructorSignature:
    """`__signature__` of classes whose `__new__` takes anything: of `__init__`; for an object, of a call."""

    def __get__(self, instance: object, owner: type) -> inspect.Signature:
        if instance is not None:
            return inspect.signature(getattr(instance, owner._called_as, instance.__call__))
        constructor = owner.__init__
        signature = inspect.signature(getattr(constructor, "_stands_for", constructor))
        return signature.replace(parameters=list(signature.parameters.values())[1:])


class SpelledArguments:
    """Base of classes whose constructor explains keywords that it does not take."""

    _called_as = "__call__"  # the method that users know a call by
    __signature__ = _ConstructorSignature()

    def __new__(cls, /, *args: object, **kwargs: object) -> SpelledArguments:
        if kwargs:
            check_keywords(cls.__init__, cls.__name__, kwargs)
        return super().__new__(cls)


def check_keywords(constructor: Callable, owner: str, given: Iterable[str]) -> None:
    """Raises a TypeError with a hint if a constructor does not take one of the keywords."""
    function = getattr(constructor, "_stands_for", constructor)
    known = getattr(function, "_takes", None)  # of a constructor that was made from a description
    if known is None:
        code = getattr(function, "__code__", None)
        if code is None or code.co_flags & inspect.CO_VARKEYWORDS:
            return
        known = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    for name in given:
        if name not in known:
            hint = keyword_hint(name, known)
            raise TypeError(f"{owner}.__init__() got an unexpected keyword argument '{name}'.{hint}")


def _is_from_import() -> bool:
    """Whether a statement ``from module import name`` outside of the package asks for what is not there."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE_FOLDER):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_code[frame.f_lasti] == opcode.opmap["IMPORT_FROM"]


def unknown_in_module(
    module: str, name: str, known: Callable[[], Iterable[str]]
) -> AttributeError | ImportError:
    """The error for a name that a module does not have.

    The statement ``from module import name`` drops the text of an AttributeError for one of its own, so that
    the hint has to come as the ImportError that it ends in.
    """
    if _is_from_import():
        hint = name_hint(module, name, known())
        if hint:
            return ImportError(f"cannot import name '{name}' from '{module}'.{hint}", name=module)
    message = f"module '{module}' has no attribute '{name}'."
    return UnknownName(message, lambda: name_hint(module, name, known()))


def explains_missing_names(namespace: dict) -> Callable[[str], object]:
    """``__getattr__`` of a module that has all its names: what is asked for here is not there."""

    def read(name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(f"module '{namespace['__name__']}' has no attribute '{name}'")
        raise unknown_in_module(namespace["__name__"], name, lambda: namespace)

    return read


def not_in_this_version(
    namespace: dict, package: str | None = None, instead: str = "", near: str | None = None
) -> Callable[[str], object]:
    """``__getattr__`` of a module that MindSpore has and that is not filled yet: what is missing, and why.

    Args:
        namespace (dict): ``globals()`` of the module.
        package (str): Where what there is of it is defined. Default: ``None`` , in the module itself.
        instead (str): A sentence that says what to do meanwhile. Default: ``""`` .
        near (str): A module that may have what does the same by the same name. Default: ``None`` .
    """

    def read(name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(f"module '{namespace['__name__']}' has no attribute '{name}'")
        if package is not None:
            found = importlib.import_module(package)
            if name in getattr(found, "__all__", ()):
                return getattr(found, name)
        message = f"'{namespace['__name__']}.{name}' is not in this version of the package."
        message += f" {instead}" if instead else ""
        if near is not None and hasattr(importlib.import_module(near), name):
            message += f" There is {near}.{name}, with arguments of its own."
        # The statement ``from module import name`` would drop the text of an AttributeError.
        raise (
            ImportError(message, name=namespace["__name__"]) if _is_from_import() else AttributeError(message)
        )

    return read


def bind(signature: inspect.Signature, owner: str, *args: object, **kwargs: object) -> inspect.BoundArguments:
    """The arguments of a call by name; a TypeError tells which call, and which keyword was likely meant."""
    known = [p.name for p in signature.parameters.values() if p.kind is not p.POSITIONAL_ONLY]
    takes_any = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    for name in kwargs:
        if name not in known and not takes_any:
            hint = keyword_hint(name, [one for one in known if one != "self"])
            raise TypeError(f"{owner}() got an unexpected keyword argument '{name}'.{hint}")
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{owner}(): {error}.") from None


class NotHere:
    """An attribute that other frameworks have: reading it is an AttributeError that says what to use instead.

    Tensors have one for each such name, because a hook for missing attributes would make every call of a
    method slower. Of other names the interpreter itself says what was likely meant.

    Args:
        name (str): The attribute.
        advice (str): What to use.
    """

    def __init__(self, name: str, advice: str) -> None:
        self._name = name
        self.__doc__ = f"Not there: in MindSpore {advice}."
        self.advice = advice

    def __get__(self, instance: object, owner: type) -> object:
        # Without a full stop: the interpreter may append a sentence of its own.
        message = f"'{owner.__name__}' object has no attribute '{self._name}'. In MindSpore {self.advice}"
        raise AttributeError(message)


# Operators behind the brackets of a tensor, which no function of the package calls.
BEHIND_SYNTAX = {"index_view": "Tensor.__getitem__", "index_view_assign": "Tensor.__setitem__"}
_OF_OBJECTS = ("construct", "__call__", "__init__", "call")


def called_name(operator: str) -> str:
    """The name of what the user called, for a message about an operator that users do not know.

    That is the outermost function of the package on the way to the operator; of a layer or class, its name.
    """
    frame = sys._getframe(1)
    found = ""
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE_FOLDER):
        name = frame.f_code.co_name
        if name in _OF_OBJECTS and "self" in frame.f_locals:
            name = type(frame.f_locals["self"]).__name__
        if not name.startswith(("_", "<")) and name != "method":
            found = name.rstrip("_")
        frame = frame.f_back
    return found or BEHIND_SYNTAX.get(operator, "")
