# SPDX-License-Identifier: Apache-2.0
"""Layers."""

from mindspore._later import imported_names as _imported_names
from mindspore._spelling import explains_missing_names as _explains_missing_names
from mindspore.nn.layer.activation import (
    CELU,
    ELU,
    GELU,
    GLU,
    FastGelu,
    Hardtanh,
    HShrink,
    HSigmoid,
    HSwish,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    RReLU,
    SeLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softmax2d,
    Softmin,
    SoftShrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
    get_activation,
)
from mindspore.nn.layer.basic import (
    BiDense,
    ClipByNorm,
    Dense,
    Dropout,
    Dropout1d,
    Dropout2d,
    Dropout3d,
    Flatten,
    Identity,
    Linear,
    OneHot,
    Unflatten,
)
from mindspore.nn.layer.combined import (
    Conv2dBnAct,
    DenseBnAct,
)
from mindspore.nn.layer.container import CellDict, CellList, SequentialCell
from mindspore.nn.layer.conv import (
    Conv1d,
    Conv1dTranspose,
    Conv2d,
    Conv2dTranspose,
    Conv3d,
    Conv3dTranspose,
)
from mindspore.nn.layer.embedding import (
    Embedding,
    EmbeddingLookup,
    MultiFieldEmbeddingLookup,
)
from mindspore.nn.layer.image import (
    MSSSIM,
    PSNR,
    SSIM,
    ImageGradients,
)
from mindspore.nn.layer.math import (
    DiGamma,
    IGamma,
    L1Regularizer,
    LBeta,
    LGamma,
    Moments,
    Norm,
    ReduceLogSumExp,
    Roll,
)
from mindspore.nn.layer.matrices import (
    MatDet,
    MatInverse,
    MatMul,
    MatrixDiag,
    MatrixDiagPart,
    MatrixSetDiag,
    Pad,
    Range,
    Tril,
    Triu,
)
from mindspore.nn.layer.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    GroupNorm,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    LayerNorm,
    SyncBatchNorm,
)
from mindspore.nn.layer.padding import (
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad2d,
)
from mindspore.nn.layer.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    FractionalMaxPool2d,
    FractionalMaxPool3d,
    LPPool1d,
    LPPool2d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
)
from mindspore.nn.layer.rearrangement import (
    LRN,
    CentralCrop,
    ChannelShuffle,
    PixelShuffle,
    PixelUnshuffle,
    ResizeBilinear,
    Unfold,
    Upsample,
)
from mindspore.nn.layer.rnn_cells import GRUCell, LSTMCell, RNNCell
from mindspore.nn.layer.rnns import GRU, LSTM, RNN
from mindspore.nn.layer.sparse import SparseTensorDenseMatmul, SparseToDense
from mindspore.nn.layer.thor_layer import (
    Conv2dThor,
    DenseThor,
    EmbeddingLookupThor,
    EmbeddingThor,
)
from mindspore.nn.layer.time_distributed import (
    TensorArray,
    TimeDistributed,
)
from mindspore.nn.layer.transformer import (
    MultiheadAttention,
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)

__all__ = _imported_names(globals())
__getattr__ = _explains_missing_names(globals())
