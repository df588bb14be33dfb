# SPDX-License-Identifier: Apache-2.0
"""Metrics: what a network is worth, counted on the host in double precision."""

from mindspore.train.metrics.classification import (
    F1,
    Accuracy,
    Fbeta,
    Precision,
    Recall,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
)
from mindspore.train.metrics.confusion import ConfusionMatrix, ConfusionMatrixMetric
from mindspore.train.metrics.curve import ROC, auc
from mindspore.train.metrics.error import MAE, MSE, CosineSimilarity, Dice, Loss, Perplexity
from mindspore.train.metrics.metric import EvaluationBase, Metric, rearrange_inputs
from mindspore.train.metrics.occlusion import OcclusionSensitivity
from mindspore.train.metrics.surface import HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance
from mindspore.train.metrics.text import BleuScore

__factory__ = {
    "accuracy": Accuracy,
    "acc": Accuracy,
    "precision": Precision,
    "recall": Recall,
    "F1": F1,
    "dice": Dice,
    "roc": ROC,
    "auc": auc,
    "bleu_score": BleuScore,
    "cosine_similarity": CosineSimilarity,
    "occlusion_sensitivity": OcclusionSensitivity,
    "topk": TopKCategoricalAccuracy,
    "hausdorff_distance": HausdorffDistance,
    "top_1_accuracy": Top1CategoricalAccuracy,
    "top_5_accuracy": Top5CategoricalAccuracy,
    "mae": MAE,
    "mse": MSE,
    "loss": Loss,
    "mean_surface_distance": MeanSurfaceDistance,
    "root_mean_square_distance": RootMeanSquareDistance,
    "perplexity": Perplexity,
    "confusion_matrix": ConfusionMatrix,
    "confusion_matrix_metric": ConfusionMatrixMetric,
}


def names():
    """Names of all metrics.

    Returns:
        list, the names, sorted.
    """
    return sorted(__factory__)


def get_metric_fn(name, *args, **kwargs):
    """A metric by its name.

    Args:
        name (str): One of `names()`.
        args: Arguments of the metric.
        kwargs: Named arguments of the metric.

    Returns:
        Metric, a new one.

    Raises:
        KeyError: There is no such name.

    Examples:
        >>> from mindspore.train import get_metric_fn
        >>> metric = get_metric_fn("precision", eval_type="classification")
    """
    if name not in __factory__:
        raise KeyError(
            f"For 'get_metric_fn', unsupported metric {name}, please refer to 'mindspore.train.names()' for "
            "the supported metrics."
        )
    return __factory__[name](*args, **kwargs)


def get_metrics(metrics):
    """Metrics by name, from what a user may give.

    Args:
        metrics (Union[None, dict, set]): Metrics by a name of the user, or names of metrics.

    Returns:
        Union[None, dict], metrics by name.

    Raises:
        TypeError: `metrics` is something else, or a dict not of str to Metric.
        KeyError: There is no metric of a name.
    """
    if metrics is None:
        return None
    if isinstance(metrics, dict):
        for name, metric in metrics.items():
            if not isinstance(name, str) or not isinstance(metric, Metric):
                raise TypeError(
                    "For 'get_metrics', if 'metrics' is dict, the key in 'metrics' must be string and value "
                    f"in 'metrics' must be Metric, but got key:{type(name)}, value:{type(metric)}."
                    + (f" Call '{metric.__name__}' to make one." if isinstance(metric, type) else "")
                )
        return metrics
    if isinstance(metrics, set):
        # A set has another order in every run of the program; what is printed should not.
        return {name: get_metric_fn(name) for name in sorted(metrics, key=str)}
    raise TypeError(f"For 'get_metrics', the argument 'metrics' must be None, dict or set, but got {metrics}")


__all__ = [
    "Accuracy",
    "BleuScore",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
    "CosineSimilarity",
    "Dice",
    "F1",
    "Fbeta",
    "HausdorffDistance",
    "Loss",
    "MAE",
    "MSE",
    "MeanSurfaceDistance",
    "Metric",
    "OcclusionSensitivity",
    "Perplexity",
    "Precision",
    "ROC",
    "Recall",
    "RootMeanSquareDistance",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "auc",
    "get_metric_fn",
    "names",
    "rearrange_inputs",
]
