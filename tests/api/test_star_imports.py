# SPDX-License-Identifier: Apache-2.0
"""`__all__` of every module that has one in MindSpore: each name is there, and a star imports it."""

import importlib
import pydoc
import subprocess
import sys

import pytest

# Modules whose `__all__` scripts use; those with a folder of their own are packages.
_MODULES = [
    "boost.boost_cell_wrapper",
    "boost.grad_accumulation",
    "boost.grad_freeze",
    "boost.less_batch_normalization",
    "common",
    "common.api",
    "common.dtype",
    "common.generator",
    "common.initializer",
    "common.parameter",
    "common.recompute",
    "common.sparse_tensor",
    "common.symbol",
    "common.tensor",
    "communication",
    "communication.comm_func",
    "communication.management",
    "context",
    "dataset",
    "dataset.engine",
    "dataset.transforms",
    "dataset.vision",
    "experimental",
    "experimental.map_parameter",
    "experimental.optim",
    "experimental.optim.optimizer",
    "hal",
    "log",
    "mindrecord",
    "multiprocessing",
    "nn",
    "nn.cell",
    "nn.layer",
    "nn.layer.activation",
    "nn.layer.basic",
    "nn.layer.combined",
    "nn.layer.container",
    "nn.layer.conv",
    "nn.layer.embedding",
    "nn.layer.image",
    "nn.layer.math",
    "nn.layer.normalization",
    "nn.layer.padding",
    "nn.layer.pooling",
    "nn.layer.rnn_cells",
    "nn.layer.rnns",
    "nn.layer.thor_layer",
    "nn.layer.transformer",
    "nn.loss",
    "nn.metrics",
    "nn.optim",
    "nn.optim.adasum",
    "nn.optim.optimizer",
    "nn.probability.bnn_layers.bnn_cell_wrapper",
    "nn.probability.bnn_layers.layer_distribution",
    "nn.wrap",
    "numpy",
    "ops",
    "ops.composite",
    "ops.function.array_func",
    "ops.function.clip_func",
    "ops.function.grad",
    "ops.function.linalg_func",
    "ops.function.math_func",
    "ops.function.nn_func",
    "ops.function.random_func",
    "ops.functional",
    "ops.operations",
    "parallel",
    "parallel.algo_parameter_config",
    "profiler",
    "run_check",
    "runtime",
    "train",
    "train.amp",
    "train.callback",
    "train.dataset_helper",
    "train.loss_scale_manager",
    "train.metrics",
    "train.model",
    "train.serialization",
    "train.summary",
    "train.train_thor",
]


@pytest.mark.parametrize("name", ["", *_MODULES])
def test_every_listed_name_is_there_and_a_star_gives_it(name):
    module = importlib.import_module(f"mindspore.{name}".rstrip("."))
    listed = module.__all__
    assert listed and len(set(listed)) == len(listed)
    taken: dict = {}
    exec(f"from {module.__name__} import *", taken)
    assert set(listed) <= set(taken)


@pytest.mark.parametrize("name", ["nn", "dataset", "ops", "train"])
def test_help_shows_the_listed_names(name):
    module = importlib.import_module(f"mindspore.{name}")
    text = pydoc.render_doc(module, renderer=pydoc.plaintext)
    assert all(one in text for one in module.__all__[:20])


def test_lists_do_not_open_what_is_opened_late():
    program = (
        "import sys, mindspore, mindspore.nn, mindspore.ops; mindspore.nn.__all__, mindspore.__all__\n"
        "late = ('mindspore.dataset', 'mindspore.train.model', 'mindspore.nn.metrics')\n"
        "print([name for name in late if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
