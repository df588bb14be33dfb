# SPDX-License-Identifier: Apache-2.0
"""Costs that the search for parallel strategies assumes; with one device nothing is searched."""

from __future__ import annotations

_DEFAULTS = {
    "device_memory_capacity": 16.0 * 1024.0 * 1024.0 * 1024.0,
    "costmodel_alpha": 1.0,
    "costmodel_beta": 400.0,
    "costmodel_gamma": 0.001,
    "costmodel_communi_threshold": 2048.0,
    "costmodel_communi_const": 3072.0,
    "costmodel_communi_bias": 1024.0,
    "multi_subgraphs": False,
    "run_phase": 0,
    "costmodel_allreduce_fusion_algorithm": 0,
    "costmodel_allreduce_fusion_times": 0,
    "costmodel_allreduce_fusion_tail_percent": 0.1,
    "costmodel_allreduce_fusion_tail_time": 0.1,
    "costmodel_allreduce_fusion_allreduce_inherent_time": 0.1,
    "costmodel_allreduce_fusion_allreduce_bandwidth": 0.1,
    "costmodel_allreduce_fusion_computation_time_parameter": 0.1,
}
_values = dict(_DEFAULTS)


def set_cost_model_context(**kwargs):
    """Sets costs.

    Args:
        kwargs (dict): Costs by name.

    Raises:
        ValueError: A name is unknown.
    """
    for key, value in kwargs.items():
        if key not in _DEFAULTS:
            raise ValueError(f"Set context keyword {key} is not recognized!")
        _values[key] = value


def get_cost_model_context(attr_key):
    """One of the costs.

    Args:
        attr_key (str): Its name.

    Raises:
        ValueError: The name is unknown.
    """
    if attr_key not in _values:
        raise ValueError(f"Get context keyword {attr_key} is not recognized!")
    return _values[attr_key]


def reset_cost_model_context():
    """All costs get their initial values again."""
    _values.update(_DEFAULTS)


def _set_multi_subgraphs(multi_subgraph=True) -> None:
    """Sets whether a graph has several parts.

    Args:
        multi_subgraph (bool): Whether it has. Default: ``True``.
    """
    set_cost_model_context(multi_subgraphs=multi_subgraph)


def _get_multi_subgraphs() -> bool:
    """Whether a graph has several parts."""
    return get_cost_model_context("multi_subgraphs")
