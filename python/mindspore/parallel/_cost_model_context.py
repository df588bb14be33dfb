# SPDX-License-Identifier: Apache-2.0
"""Costs that the search for parallel strategies assumes; with one device nothing is searched."""

from __future__ import annotations

from typing import Any

from mindspore._settings.parallel_keys import COST_MODEL as _COST_MODEL


def set_cost_model_context(**kwargs: Any) -> None:
    """Sets costs.

    Args:
        kwargs (dict): Costs by name.

    Raises:
        ValueError: A name is unknown.
        NotImplementedError: Several processes are meant.
    """
    for key, value in kwargs.items():
        _COST_MODEL.set(key, value)


def get_cost_model_context(attr_key: str) -> Any:
    """One of the costs.

    Args:
        attr_key (str): Its name.

    Raises:
        ValueError: The name is unknown.
    """
    return _COST_MODEL.get(attr_key)


def reset_cost_model_context() -> None:
    """All costs get their initial values again."""
    _COST_MODEL.reset()


def _set_multi_subgraphs(multi_subgraph: bool = True) -> None:
    """Sets whether a graph has several parts.

    Args:
        multi_subgraph (bool): Whether it has. Default: ``True``.
    """
    set_cost_model_context(multi_subgraphs=multi_subgraph)


def _get_multi_subgraphs() -> bool:
    """Whether a graph has several parts."""
    return get_cost_model_context("multi_subgraphs")


def _set_rp_matmul_mem_coef(coef: float) -> None:
    """Sets what memory of a product of matrices counts in the search for strategies."""
    set_cost_model_context(rp_matmul_mem_coef=coef)


def _get_rp_matmul_mem_coef() -> float:
    """What memory of a product of matrices counts in the search for strategies."""
    return get_cost_model_context("rp_matmul_mem_coef")
