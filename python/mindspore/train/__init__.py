# SPDX-License-Identifier: Apache-2.0
"""Training: models, callbacks, metrics and files."""

from mindspore.train.amp import build_train_network
from mindspore.train.callback import (
    Callback,
    CallbackManager,
    CheckpointConfig,
    EarlyStopping,
    History,
    InternalCallbackParam,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    ModelCheckpoint,
    ReduceLROnPlateau,
    RunContext,
    TimeMonitor,
)
from mindspore.train.data_sink import data_sink
from mindspore.train.dataset_helper import DatasetHelper, connect_network_with_dataset
from mindspore.train.loss_scale_manager import (
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
)
from mindspore.train.metrics import (
    F1,
    MAE,
    MSE,
    ROC,
    Accuracy,
    BleuScore,
    ConfusionMatrix,
    ConfusionMatrixMetric,
    CosineSimilarity,
    Dice,
    Fbeta,
    HausdorffDistance,
    Loss,
    MeanSurfaceDistance,
    Metric,
    OcclusionSensitivity,
    Perplexity,
    Precision,
    Recall,
    RootMeanSquareDistance,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
    auc,
    get_metric_fn,
    get_metrics,
    names,
    rearrange_inputs,
)
from mindspore.train.model import Model
