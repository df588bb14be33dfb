# SPDX-License-Identifier: Apache-2.0
"""Training: models, callbacks, metrics and files. Each is imported when it is first used."""

from mindspore._later import imported_later as _imported_later

# At once: later the module of the same name could take the place of the function.
from mindspore.train.data_sink import data_sink

_LATER = {
    "mindspore.train._checkpoint_resume": "resume_training",
    "mindspore.train.amp": "build_train_network",
    "mindspore.train.callback": (
        "BackupAndRestore Callback CallbackManager CheckpointConfig EarlyStopping FlopsUtilizationCollector "
        "History InternalCallbackParam LambdaCallback LearningRateScheduler LossMonitor MindIOTTPAdapter "
        "ModelCheckpoint OnRequestExit ReduceLROnPlateau RunContext SummaryCollector SummaryLandscape "
        "TimeMonitor"
    ),
    "mindspore.train.dataset_helper": "DatasetHelper connect_network_with_dataset",
    "mindspore.train.loss_scale_manager": "DynamicLossScaleManager FixedLossScaleManager LossScaleManager",
    "mindspore.train.metrics": (
        "Accuracy BleuScore ConfusionMatrix ConfusionMatrixMetric CosineSimilarity Dice F1 Fbeta "
        "HausdorffDistance Loss MAE MSE MeanSurfaceDistance Metric OcclusionSensitivity Perplexity "
        "Precision ROC Recall RootMeanSquareDistance Top1CategoricalAccuracy Top5CategoricalAccuracy "
        "TopKCategoricalAccuracy auc get_metric_fn get_metrics names rearrange_inputs"
    ),
    "mindspore.train.model": "Model",
    "mindspore.train.serialization": "load_checkpoint load_param_into_net save_checkpoint",
    "mindspore.train.summary": "SummaryRecord",
    "mindspore.train.train_thor": "ConvertModelUtils ConvertNetUtils",
}
__all__ = ["data_sink"] + [name for names in _LATER.values() for name in names.split()]
_MODULES = "amp callback dataset_helper loss_scale_manager metrics model serialization summary train_thor"
__getattr__, __dir__ = _imported_later(globals(), _LATER, _MODULES.split())
