# SPDX-License-Identifier: Apache-2.0
"""Layers."""

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
    ClipByNorm,
    Dense,
    Dropout,
    Dropout1d,
    Dropout2d,
    Dropout3d,
    Flatten,
    Identity,
    OneHot,
    Unflatten,
)
from mindspore.nn.layer.container import CellDict, CellList, SequentialCell
from mindspore.nn.layer.conv import Conv1d, Conv2d, Conv2dTranspose
from mindspore.nn.layer.embedding import Embedding, EmbeddingLookup
from mindspore.nn.layer.matrices import MatMul, Pad, Range, Tril, Triu
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
from mindspore.nn.layer.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AvgPool1d,
    AvgPool2d,
    MaxPool1d,
    MaxPool2d,
)
from mindspore.nn.layer.rnn_cells import GRUCell, LSTMCell, RNNCell
from mindspore.nn.layer.rnns import GRU, LSTM, RNN
from mindspore.nn.layer.sparse import SparseTensorDenseMatmul, SparseToDense
