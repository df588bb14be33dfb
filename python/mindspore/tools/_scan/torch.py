# SPDX-License-Identifier: Apache-2.0
"""What is here for a name of PyTorch. PyTorch itself is neither needed nor imported."""

from __future__ import annotations

from mindspore._spelling import advice_for
from mindspore.tools._scan.package import Found, Package
from mindspore.tools._scan.torch_names import DIFFERENT, INSTEAD, SAME_NAME_IN
from mindspore.tools._scan.values import Known, Made, Value

_TENSOR, _MODULE, _OPTIMIZER = "torch.Tensor", "torch.nn.Module", "torch.optim.Optimizer"
_MAKES_TENSORS = frozenset(
    [
        "tensor",
        "zeros",
        "ones",
        "empty",
        "full",
        "rand",
        "randn",
        "randint",
        "randperm",
        "arange",
        "linspace",
        "eye",
        "zeros_like",
        "ones_like",
        "from_numpy",
        "as_tensor",
        "cat",
        "concat",
        "stack",
        "matmul",
        "mm",
        "bmm",
        "einsum",
        "exp",
        "log",
        "sqrt",
        "sum",
        "mean",
        "relu",
        "sigmoid",
        "tanh",
        "softmax",
        "FloatTensor",
        "LongTensor",
        "IntTensor",
        "BoolTensor",
        "DoubleTensor",
        "HalfTensor",
        "ByteTensor",
        "Tensor",
    ]
)


class Torch:
    """Answers for ``torch`` and ``torchvision``.

    Args:
        package (Package): Knows what is here.
    """

    def __init__(self, package: Package) -> None:
        self._package = package

    def instead(self, path: str) -> str:
        """What to write for a name; empty: nothing here does it."""
        path = _plain(path)
        if path in INSTEAD:
            return INSTEAD[path]
        module, _, name = path.rpartition(".")
        if module in (_TENSOR, _MODULE):
            return self._member(module, name)
        return self._same_name(path, module, name) or self._of_module(path)

    def _same_name(self, path: str, module: str, name: str) -> str:
        for place in SAME_NAME_IN.get(module, ()):
            if isinstance(self._package.find(f"{place}.{name}"), Found):
                more = DIFFERENT.get(path)
                return f"{place}.{name}" + (f": {more}" if more else "")
        for place in SAME_NAME_IN.get(module, ()):
            if advice := advice_for(place, name):
                return advice.removeprefix("it is ")
        return ""

    def _of_module(self, path: str) -> str:
        """A module as a whole, or a name in one that has nothing like it here."""
        if path in SAME_NAME_IN:
            return ", ".join(SAME_NAME_IN[path])
        above = [one for one in ("torch.cuda", "torch.distributed", "torch.backends.cudnn") if one in path]
        if above and path.startswith(above[0] + "."):
            return INSTEAD[above[0]]
        below = {one for one in SAME_NAME_IN if one.startswith(path + ".")}
        return "its parts, see there" if below or path in ("torch.utils", "torchvision") else ""

    def _member(self, owner: str, name: str) -> str:
        kind, ours = ("Tensor", "mindspore.Tensor") if owner == _TENSOR else ("Cell", "mindspore.nn.Cell")
        if name in self._package.names_of_objects(ours):
            return f"{ours}.{name}"
        return advice_for(kind, name).removeprefix("it is ")

    # ---- types -------------------------------------------------------------------------------------------

    def exports(self, module: str, name: str) -> bool:
        """Whether ``from module import *`` gives a name, as far as it is known here."""
        return not name.startswith("_") and bool(self.instead(f"{module}.{name}"))

    @staticmethod
    def is_class(path: str) -> bool:
        """Whether calling a name makes an object: PyTorch writes classes with a capital letter."""
        return path.rpartition(".")[2][:1].isupper()

    def made_by(self, called: Known) -> Value:
        """What a call gives."""
        module, _, name = called.path.rpartition(".")
        if module == "torch" and name in _MAKES_TENSORS:
            return Made(_TENSOR, called.unsure)
        return Made(called.path, called.unsure) if not called.bound and self.is_class(called.path) else None

    def has_member(self, path: str, name: str) -> bool | None:
        """Whether objects of a class have an attribute; None: it is not known."""
        if name.startswith("__"):
            return None
        return True if path == _TENSOR or self.advises(path, name) else None

    def advises(self, path: str, name: str) -> bool:
        """Whether something is known about a member of a class."""
        member = f"{path}.{name}"
        is_known = path in (_TENSOR, _MODULE, _OPTIMIZER) or _plain(member) != member
        return is_known and not name.startswith("__") and bool(self.instead(member))


def _plain(path: str) -> str:
    """A name by which the tables know it: members of layers are those of every module."""
    owner, _, name = path.rpartition(".")
    module, _, kind = owner.rpartition(".")
    if kind[:1].isupper() and owner not in (_TENSOR, _MODULE):
        if module.startswith("torch.optim"):
            return f"{_OPTIMIZER}.{name}"
        if module.startswith("torch.nn") and kind != "Parameter":
            return f"{_MODULE}.{name}"
    if module.startswith("torch.nn.modules."):
        return f"torch.nn.{kind}.{name}"
    if owner.startswith("torch.nn.modules."):
        return f"torch.nn.{name}"
    return f"torch.nn.{name}" if owner == "torch.nn.parameter" else path
