# SPDX-License-Identifier: Apache-2.0
"""Both frameworks behind one face: who is asked depends on the first part of a name."""

from __future__ import annotations

from mindspore.tools._scan.package import Package
from mindspore.tools._scan.torch import Torch
from mindspore.tools._scan.values import Known, Value


class Catalog:
    """What is known about names of MindSpore and PyTorch."""

    def __init__(self) -> None:
        self.package = Package()
        self.torch = Torch(self.package)

    def _asked(self, path: str) -> Package | Torch:
        return self.package if path.partition(".")[0] == "mindspore" else self.torch

    def exports(self, module: str, name: str) -> bool:
        """Whether ``from module import *`` gives a name."""
        return self._asked(module).exports(module, name)

    def is_class(self, path: str) -> bool:
        """Whether calling a name makes an object."""
        return self._asked(path).is_class(path)

    def made_by(self, called: Known) -> Value:
        """What a call gives."""
        return self._asked(called.path).made_by(called)

    def has_member(self, path: str, name: str) -> bool | None:
        """Whether objects of a class have an attribute; None: it cannot be told."""
        return self._asked(path).has_member(path, name)

    def advises(self, path: str, name: str) -> bool:
        """Whether something is known about an attribute that is not there."""
        return self._asked(path).advises(path, name)

    def called_member(self, path: str) -> str:
        """The method that calling an object runs; empty: not known."""
        return self.package.called_member(path) if self._asked(path) is self.package else ""
