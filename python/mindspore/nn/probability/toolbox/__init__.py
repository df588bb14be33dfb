# SPDX-License-Identifier: Apache-2.0
"""Tools built on probability: anomalies and uncertainty."""

from mindspore.nn.probability.toolbox.uncertainty_evaluation import UncertaintyEvaluation
from mindspore.nn.probability.toolbox.vae_anomaly_detection import VAEAnomalyDetection

__all__ = ["UncertaintyEvaluation", "VAEAnomalyDetection"]
