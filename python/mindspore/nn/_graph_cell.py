# SPDX-License-Identifier: Apache-2.0
"""GraphCell: a network loaded from a file, as a Cell."""

from __future__ import annotations

from typing import Any

from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell


class GraphCell(Cell):
    """Runs a network loaded from a MindIR file.

    Args:
        graph (FuncGraph): The network, from :func:`mindspore.load`.
        params_init (dict): Values, by name, that take the place of the file's parameters. Names the network
            does not have are left out. Default: ``None``.
        obf_random_seed (int): Of an obfuscated network, which is not supported. Default: ``None``.

    Inputs:
        - **inputs** - What the network was exported for: shapes and types must be the same.

    Outputs:
        What the network gives.

    Raises:
        TypeError: `graph` is not a FuncGraph, or `params_init` is not a dict of names and tensors.
        ValueError: A value of `params_init` has another shape or type than the parameter.
        NotImplementedError: `obf_random_seed` is given.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> from mindspore import nn, load
        >>> network = nn.GraphCell(load("network.mindir"))  # doctest: +SKIP
    """

    def __init__(self, graph, params_init=None, obf_random_seed=None):
        super().__init__()
        from mindspore.train._mindir import FuncGraph

        if not isinstance(graph, FuncGraph):
            raise TypeError(
                "For 'GraphCell', the argument 'graph' must be a FuncGraph loaded from MindIR, but got type "
                f"{type(graph)}."
            )
        params_init = {} if params_init is None else params_init
        if not isinstance(params_init, dict):
            raise TypeError(
                f"For 'GraphCell', the argument 'params_init' must be a dict, but got {type(params_init)}."
            )
        for name, value in params_init.items():
            if not isinstance(name, str) or not isinstance(value, (Tensor, Parameter)):
                raise TypeError(
                    "For 'GraphCell', the key of the 'params_init' must be str, and the value must be Tensor "
                    f"or Parameter, but got the key type: {type(name)}, and the value type: {type(value)}"
                )
        if obf_random_seed is not None:
            raise NotImplementedError("For 'GraphCell', obfuscated networks are not supported.")
        self.graph = graph
        self.graph_parameters = graph.with_parameters(params_init)

    def construct(self, *inputs) -> Any:
        """Runs the network."""
        return self.graph.run(inputs, self.graph_parameters)
