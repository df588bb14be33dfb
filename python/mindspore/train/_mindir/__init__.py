# SPDX-License-Identifier: Apache-2.0
"""Networks stored as MindIR files: reading them and running them."""

from mindspore.train._mindir.func_graph import FuncGraph
from mindspore.train._mindir.model_file import load_func_graph

__all__ = ["FuncGraph", "load_func_graph"]
