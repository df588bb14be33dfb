# SPDX-License-Identifier: Apache-2.0
"""Settings of parallel training."""

from mindspore.parallel.algo_parameter_config import (
    get_algo_parameters,
    reset_algo_parameters,
    set_algo_parameters,
)
from mindspore.parallel.shard import Layout, shard

__all__ = ["Layout", "get_algo_parameters", "reset_algo_parameters", "set_algo_parameters", "shard"]
