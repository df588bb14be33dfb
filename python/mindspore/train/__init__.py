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
    "mindspore.train.serialization": (
        "async_ckpt_thread_status build_searched_strategy convert_model export load load_checkpoint "
        "load_checkpoint_async load_distributed_checkpoint load_mindir load_param_into_net "
        "merge_pipeline_strategys merge_sliced_parameter obfuscate_model parse_print "
        "rank_list_for_transform restore_group_info_list save_checkpoint save_mindir "
        "transform_checkpoint_by_rank transform_checkpoints"
    ),
    "mindspore.train.summary": "SummaryRecord",
    "mindspore.train.train_thor": "ConvertModelUtils ConvertNetUtils",
}
__all__ = ["data_sink"] + [name for names in _LATER.values() for name in names.split()]
_MODULES = "amp callback dataset_helper loss_scale_manager metrics model serialization summary train_thor"
__getattr__, __dir__ = _imported_later(globals(), _LATER, _MODULES.split())
