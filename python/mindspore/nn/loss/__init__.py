# SPDX-License-Identifier: Apache-2.0
"""Loss functions."""

from mindspore._later import imported_names as _imported_names
from mindspore.nn.loss.likelihood import CTCLoss, GaussianNLLLoss, PoissonNLLLoss
from mindspore.nn.loss.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    LossBase,
    MAELoss,
    MSELoss,
    NLLLoss,
    RMSELoss,
    SmoothL1Loss,
    SoftMarginLoss,
    SoftmaxCrossEntropyWithLogits,
)
from mindspore.nn.loss.margin import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    MultilabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from mindspore.nn.loss.overlap import DiceLoss, FocalLoss, MultiClassDiceLoss
from mindspore.nn.loss.sampled import SampledSoftmaxLoss

__all__ = _imported_names(globals())
