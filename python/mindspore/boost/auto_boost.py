# SPDX-License-Identifier: Apache-2.0
"""Chooses ways to train with less work."""

from __future__ import annotations

from mindspore.boost._words import BOOST
from mindspore.boost.grad_freeze import GradientFreeze
from mindspore.boost.less_batch_normalization import LessBN
from mindspore.boost.parameter_groups import OptimizerProcess

_LEVELS = {
    "O0": {"less_bn": False, "grad_freeze": False, "adasum": False, "grad_accumulation": False},
    "O1": {"less_bn": True, "grad_freeze": True, "adasum": False, "grad_accumulation": False},
    "O2": {"less_bn": True, "grad_freeze": True, "adasum": True, "grad_accumulation": False},
}


@BOOST
class AutoBoost:
    """Ways to train with less work, chosen by a level.

    Args:
        level (str): ``"O0"`` nothing, ``"O1"`` fewer normalisations and resting layers, ``"O2"`` sums over
            processes too.
        boost_config_dict (dict): Settings: ``{"boost": {...}, "common": {...}, ...}``.

    Raises:
        ValueError: The level is not known.
    """

    def __init__(self, level="O0", boost_config_dict=""):
        if level not in _LEVELS:
            raise ValueError(f"The 'level' should be in : {list(_LEVELS)}, but got {level}.")
        self.level = level
        self.boost_config = {} if boost_config_dict in ("", None) else dict(boost_config_dict)
        self._chosen = {**_LEVELS[level], **self.boost_config.get("boost", {})}

    def _settings(self, name: str) -> dict:
        return self.boost_config.get(name, {})

    def network_auto_process_train(self, network, optimizer) -> tuple:
        """Network and optimizer for training.

        Returns:
            tuple of both.
        """
        if self.level == "O0":
            return network, optimizer
        if self._chosen.get("less_bn"):
            network = LessBN(network, self._settings("less_bn").get("fn_flag", False))
        process = OptimizerProcess(optimizer)
        if self._settings("common").get("gradient_centralization", False):
            process.add_grad_centralization(network)
        optimizer = process.generate_new_optimizer()
        if self._chosen.get("grad_freeze"):
            settings = self._settings("grad_freeze")
            freeze = GradientFreeze(
                settings.get("param_groups", 10),
                settings.get("freeze_type", 1),
                settings.get("freeze_p", 0.7),
                settings.get("total_steps", 1),
            )
            network, optimizer = freeze.freeze_generate(network, optimizer)
        return network, optimizer

    def network_auto_process_eval(self, network):
        """Network for evaluation.

        Returns:
            Cell.
        """
        return LessBN(network) if self._chosen.get("less_bn") and self.level != "O0" else network
