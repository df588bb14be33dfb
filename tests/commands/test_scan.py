# SPDX-License-Identifier: Apache-2.0
"""`mindspore.tools.scan`: which names are found, and what is said of them."""

from __future__ import annotations

import importlib
import json
import re
import textwrap

import pytest

from mindspore.tools._scan import torch_names
from mindspore.tools._scan.catalog import Catalog
from mindspore.tools.scan import Status, scan


def scanned(tmp_path, text: str, name: str = "script.py") -> list:
    (tmp_path / name).write_text(textwrap.dedent(text))
    return scan(str(tmp_path / name)).findings


def names(findings) -> set[str]:
    return {one.name for one in findings}


def notes(findings) -> dict[str, str]:
    return {one.name: one.note for one in findings if one.status is not Status.WORKS}


ALIASES = {
    "import mindspore as ms; ms.nn.Dense": "mindspore.nn.Dense",
    "from mindspore import nn as N, ops as P\nP.ReLU": "mindspore.ops.ReLU",
    "from mindspore.ops import operations as P\nP2 = P\nP2.Conv2D": "mindspore.ops.operations.Conv2D",
    "import mindspore.dataset.vision.c_transforms as C\nC.Resize": (
        "mindspore.dataset.vision.c_transforms.Resize"
    ),
    "import mindspore.nn\nmindspore.nn.Cell": "mindspore.nn.Cell",
    "from mindspore.nn import *\nDense(1, 2)": "mindspore.nn.Dense",
    "from mindspore.nn import *\nDonse(1, 2)": "mindspore.nn.Donse",
    "def f():\n    from mindspore.train import Model\n    return Model": "mindspore.train.Model",
    "import mindspore as ms\ngetattr(ms.ops, 'sin')": "mindspore.ops.sin",
    "import importlib\nm = importlib.import_module('mindspore.nn')\nm.Dense": "mindspore.nn.Dense",
    "import mindspore as ms\nms.ops.operations.nn_ops.NoSuchThing": (
        "mindspore.ops.operations.nn_ops.NoSuchThing"
    ),
    "import mindspore as ms\n(ms\n .nn\n .Dense)": "mindspore.nn.Dense",
    "import mindspore as ms\nf = lambda x: ms.ops.sin(x)": "mindspore.ops.sin",
    "import mindspore as ms\n[ms.ops.sin(x) for x in range(3)]": "mindspore.ops.sin",
    "import mindspore as ms\n@ms.jit\ndef f(): pass": "mindspore.jit",
    "import mindspore as ms\na, b = ms.nn, ms.ops\nb.sin": "mindspore.ops.sin",
    "import mindspore as ms\nx = ms.Tensor([1.0])\nx.cuda()": "mindspore.Tensor.cuda",
    "import mindspore as ms\ny = ms.ops.sin(ms.Tensor([1.0])) + 1\ny.cuda()": "mindspore.Tensor.cuda",
    "from mindspore import Tensor\ndef f(x: Tensor):\n    x.cuda()": "mindspore.Tensor.cuda",
    "import mindspore as ms\nwith ms.no_grad() as n:\n    pass": "mindspore.no_grad",
    "import torch.nn as nn\nnn.Linear(1, 2)": "torch.nn.Linear",
}


@pytest.mark.parametrize("text", ALIASES)
def test_a_name_is_followed_through(tmp_path, text):
    assert ALIASES[text] in names(scanned(tmp_path, text))


def test_every_public_name_is_found_and_works(tmp_path):
    modules = ("mindspore", "mindspore.nn", "mindspore.ops", "mindspore.train", "mindspore.dataset")
    public = [f"{m}.{n}" for m in modules for n in dir(importlib.import_module(m)) if not n.startswith("_")]
    made_up = [f"{m}.never_{i}" for i, m in enumerate((*modules, "mindspore.dataset.vision"))]
    lines = ["import mindspore", "import mindspore as ms"]
    for i, name in enumerate([*public, *made_up]):
        module, _, last = name.rpartition(".")
        styles = [
            f"from {module} import {last} as a{i}",
            name.replace("mindspore", "ms", 1),
            f"import {module} as m{i}\nm{i}.{last}",
            f"def f{i}():\n    return getattr({module}, {last!r})",
        ]
        lines.append(styles[i % len(styles)])
    found = {one.name: one for one in scanned(tmp_path, "\n".join(lines))}
    assert {*public, *made_up} <= found.keys()
    missing = {name for name, one in found.items() if one.status is Status.MISSING}
    only_names = {name for name in missing if "raises when it is called" in found[name].note}
    assert missing - only_names == set(made_up)


def test_cells_and_their_members(tmp_path):
    found = scanned(
        tmp_path,
        """
        import mindspore as ms
        from mindspore import nn
        class Net(nn.Cell):
            def __init__(self):
                super().__init__(auto_prefiks=True)
                self.layer = nn.Dense
                self.act = nn.ReLU()
                self.mine = 1
            def construct(self, x):
                self.register_buffer("a", x)
                return self.layer(3), self.act(x, 1), self.mine, self.anything_else
        net = Net()
        net.set_train()
        net.cuda()
        ms.mindrecord.FileWriter("file").open_and_set_header()
        net.construct(1)
        """,
    )
    said = notes(found)
    assert (
        said["mindspore.nn.Cell.__init__"]
        == "Cell has no argument 'auto_prefiks': Did you mean 'auto_prefix'?"
    )
    assert "requires_grad=False" in said["mindspore.nn.Cell.register_buffer"]
    assert said["mindspore.nn.Dense"] == "Dense needs the argument 'out_channels'"
    assert said["mindspore.nn.ReLU.construct"] == "ReLU takes at most 1 argument without a name, not 2"
    assert "set_context" in said["mindspore.nn.Cell.cuda"]
    assert "leave this call out" in said["mindspore.mindrecord.FileWriter.open_and_set_header"]
    assert "mindspore.nn.Cell.set_train" in names(found)
    assert not any(name.endswith(("mine", "anything_else")) for name in names(found))


def test_arguments_and_settings(tmp_path):
    found = scanned(
        tmp_path,
        """
        import os
        import mindspore as ms
        from mindspore import nn, Model
        nn.Conv2d(3, 4, 3, bias=True)
        ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
        ms.context.set_context(device_target="GPU")
        ms.set_auto_parallel_context(device_num=8)
        ms.set_ps_context(enable_ps=True)
        ms.context.reset_ps_context()
        Model(nn.Dense(1, 1), boost_level="O1")
        nn.Momentum([], 0.1, 0.9, **{"use_nesterov": True})
        nn.Dense(*[1, 2], **{})
        ms.load_distributed_checkpoint(1, 2)
        os.environ["MS_ENABLE_GE"] = "1"
        """,
    )
    said = notes(found)
    assert said["mindspore.nn.Conv2d"] == "Conv2d has no argument 'bias': it is 'has_bias'"
    assert said["mindspore.context.set_context"] == "there is no device 'GPU' here: it is 'CPU'"
    assert "device_num=8" in said["mindspore.set_auto_parallel_context"]
    assert "enable_ps=True" in said["mindspore.set_ps_context"]
    assert "boost_level='O1'" in said["mindspore.Model"]
    assert "raises when it is called" in said["mindspore.load_distributed_checkpoint"]
    assert not {"mindspore.set_context", "mindspore.nn.Momentum", "mindspore.nn.Dense"} & said.keys()
    states = {one.name: one.status for one in found}
    assert states["mindspore.Model"] is Status.DIFFERENCE and states["mindspore.nn.Conv2d"] is Status.MISSING


def test_what_a_script_goes_on_without_is_optional(tmp_path):
    found = scanned(
        tmp_path,
        """
        import mindspore as ms
        try:
            from mindspore import never_a
        except ImportError:
            never_a = None
        try:
            from mindspore.nn import Dense
        except ImportError:
            from mindspore import never_b
        try:
            from mindspore import never_c
        except ImportError:
            from mindspore import never_d
        if hasattr(ms, "never_e"):
            ms.never_f()
        if ms.__version__ > "9":
            ms.never_g()
        getattr(ms, "never_h", None)
        never_a.foo()
        ms.never_i()
        """,
    )
    needed = {one.name for one in found if one.status is Status.MISSING and not one.optional}
    assert needed == {"mindspore.never_d", "mindspore.never_i"}
    assert {f"mindspore.never_{letter}" for letter in "abcdefghi"} <= names(found)


def test_branches_and_other_values_are_not_mistaken(tmp_path):
    found = scanned(
        tmp_path,
        """
        import mindspore as ms
        from mindspore import nn, ops
        if input():
            x = ms.Tensor([1])
        else:
            x = open("f")
        x.read()
        def f(nn, ops=None):
            for ms in nn:
                ms.never()
            return nn.never(), ops.never()
        y = ms.Tensor([1])
        y = "text"
        y.upper()
        ms.Tensor.mine = 3
        """,
    )
    assert not [one for one in found if one.status is Status.MISSING and not one.optional]


def test_files_of_a_folder_import_each_other(tmp_path):
    for name, text in {
        "src/__init__.py": "from .names import *\nfrom .nets import Net\n",
        "src/names.py": "from mindspore import ops as P\nfrom mindspore.nn import Cell as Base\n",
        "src/nets.py": (
            "from .names import Base, P\n"
            "class Net(Base):\n    def construct(self, x):\n        return P.never(x)\n"
        ),
        "train.py": (
            "import src\nfrom src import Net, P\nnet = Net()\nnet.cuda()\nP.ReLU()\nsrc.names.P.Tanh()\n"
        ),
        "deep/eval.py": "from src.nets import Net\nfrom src import nets\nnets.P.Sigmoid()\nNet().eval()\n",
        "loop_a.py": "from loop_b import *\nfrom mindspore import nn\n",
        "loop_b.py": "from loop_a import *\nnn.Dense\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    where = {
        (one.name, one.file.rpartition(str(tmp_path) + "/")[2], one.line)
        for one in scan(str(tmp_path)).findings
    }
    assert ("mindspore.nn.Cell.cuda", "train.py", 4) in where
    assert ("mindspore.ops.ReLU", "train.py", 5) in where
    assert ("mindspore.ops.Tanh", "train.py", 6) in where
    assert ("mindspore.ops.never", "src/nets.py", 4) in where
    assert ("mindspore.ops.Sigmoid", "deep/eval.py", 3) in where
    assert ("mindspore.nn.Cell.eval", "deep/eval.py", 4) in where


def test_torch_names_say_what_is_here(tmp_path):
    said = notes(
        scanned(
            tmp_path,
            """
            import torch
            import torch.nn.functional as F
            from torch import nn, optim
            from torch.utils.data import DataLoader
            from torchvision import transforms as T
            class Net(nn.Module):
                def forward(self, x):
                    return F.relu(x)
            net = Net()
            net.cuda()
            net.parameters()
            opt = optim.SGD(net.parameters(), lr=0.1)
            opt.zero_grad()
            x = torch.zeros(3)
            x.backward()
            x.size()
            nn.Linear(1, 2)
            nn.Conv2d(1, 2, 3)
            T.ToPILImage()
            torch.cuda.is_available()
            torch.no_such_thing()
            """,
        )
    )
    assert said["torch.nn.functional.relu"] == "mindspore.ops.relu"
    assert "GeneratorDataset" in said["torch.utils.data.DataLoader"]
    assert "nn.Linear" in said["torch.nn.Linear"]
    assert "pad_mode='pad'" in said["torch.nn.Conv2d"]
    assert "ToPIL" in said["torchvision.transforms.ToPILImage"]
    assert "set_context" in said["torch.nn.Module.cuda"]
    assert "trainable_params" in said["torch.nn.Module.parameters"]
    assert "value_and_grad" in said["torch.Tensor.backward"]
    assert "x.shape" in said["torch.Tensor.size"]
    assert "do not add up" in said["torch.optim.SGD.zero_grad"]
    assert said["torch.no_such_thing"] == "nothing here is like it"


def test_what_stands_for_torch_names_is_there():
    package = Catalog().package
    texts = [
        *torch_names.INSTEAD.values(),
        *(place for all in torch_names.SAME_NAME_IN.values() for place in all),
    ]
    for text in texts:
        # mindspore.tools are programs: they are started, not read as attributes.
        for path in re.findall(r"\bmindspore(?:\.[A-Za-z_]\w*)+", text):
            assert hasattr(package.find(path), "value"), path


def test_hints_are_those_of_the_package(tmp_path):
    said = notes(scanned(tmp_path, "import mindspore as ms\nms.nn.Module\nms.nn.Dens\nms.nn.Model\n"))
    assert said["mindspore.nn.Module"] == "it is nn.Cell"
    assert said["mindspore.nn.Dens"] == "Did you mean 'Dense'?"
    assert said["mindspore.nn.Model"] == "it is mindspore.Model"


def test_findings_have_places_and_lines_of_source(tmp_path):
    found = scanned(tmp_path, "\nimport mindspore as ms\n\n   \nx = ms.nn.Module(2, 3)  # a layer\n")
    last = found[-1]
    assert (last.line, last.column, last.source) == (5, 5, "x = ms.nn.Module(2, 3)  # a layer")
    assert last.place == f"{tmp_path / 'script.py'}:5"
    assert json.dumps(last.note)


def test_what_is_nested_deeply_does_not_stop_the_scan(tmp_path):
    many = "+".join(["1"] * 20_000)
    found = scanned(tmp_path, f"import mindspore as ms\nms.Modell\nx = {many}\n")
    assert [one.name for one in found if one.note] == ["mindspore.Modell"]


def test_a_long_line_is_cut(tmp_path):
    path = tmp_path / "long.py"
    path.write_text("x = 1" + ".real" * 9000)
    (problem,) = scan(str(path)).unreadable
    assert len(problem.message) < 150


def test_patterns_compare_with_names_and_capture_others(tmp_path):
    text = """
        import mindspore as ms
        def f(x):
            match x:
                case ms.nn.Never(): pass
                case {"key": ms.never_1}: pass
                case [_, ms.never_2 | ms.never_3] if ms.never_4: pass
        def g(x):
            match x:
                case {"key": 1, **ms}: ms.own
                case [*ms]: ms.own
                case int(real=ms): ms.own
                case str() as ms: ms.own
    """
    wanted = {"mindspore.nn.Never", *(f"mindspore.never_{i}" for i in range(1, 5))}
    assert set(notes(scanned(tmp_path, text))) == wanted


def test_a_script_beside_hides_the_package(tmp_path):
    (tmp_path / "torch.py").write_text("def own(): pass")
    (tmp_path / "run.py").write_text(
        "import torch\nfrom torch import own\ntorch.own()\nimport mindspore\nmindspore.never"
    )
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "other.py").write_text("import torch\ntorch.never")
    assert names(scan(str(tmp_path)).findings) == {"mindspore", "mindspore.never", "torch", "torch.never"}


@pytest.mark.parametrize(
    "cells",
    [
        {"cells": [3, None]},
        {"cells": [{"cell_type": "code", "source": 3}, {"cell_type": "code", "source": ["a", 3]}]},
        {"worksheets": [3]},
        {"worksheets": [{"cells": 3}]},
        {"cells": [{"cell_type": "code", "source": "x\0"}]},
        {"cells": [{"cell_type": "code", "source": "x # \ud800"}]},
    ],
)
def test_a_damaged_notebook_is_told(tmp_path, cells):
    (tmp_path / "damaged.ipynb").write_text(json.dumps(cells))
    assert scan(str(tmp_path)).unreadable


def test_cells_as_ipython_reads_them(tmp_path):
    sources = ["    import mindspore as ms", "%timeit -n 10 ms.never_1()", "%time ms.never_2", "def f(:"]
    cells = [{"cell_type": "code", "source": one} for one in sources]
    (tmp_path / "book.ipynb").write_bytes(b"\xef\xbb\xbf" + json.dumps({"cells": cells}).encode())
    report = scan(str(tmp_path))
    assert {(one.name, one.cell) for one in report.findings} == {
        ("mindspore", 1),
        ("mindspore.never_1", 2),
        ("mindspore.never_2", 3),
    }
    assert [(one.cell, one.message) for one in report.unreadable] == [(4, "invalid syntax: def f(:")]


def test_arguments_of_scan(tmp_path):
    (tmp_path / "a.py").write_text("import mindspore, torch")
    assert names(scan(tmp_path, "torch").findings) == {"torch"}
    with pytest.raises(ValueError, match="'frameworks' must be of .* but got \\['jax'\\]"):
        scan(tmp_path, ("mindspore", "jax"))
    for wrong in (3, None, [3]):
        with pytest.raises(TypeError, match="'paths' must be a path or several"):
            scan(wrong)
