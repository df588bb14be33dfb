# SPDX-License-Identifier: Apache-2.0
"""Encoders of transformers: a layer, and a stack of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mindspore import _checkparam as validator
from mindspore import nn
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.ops import operations as P
from mindspore.ops._registry import op
from mindspore.parallel._transformer.attention import FeedForward, MultiHeadAttention
from mindspore.parallel._transformer.layers import (
    _check_input_dtype,
    _check_past_none_input_none,
    _LayerNorm,
)
from mindspore.parallel._transformer.op_parallel_config import default_dpmp_config

_FLOATS = [mstype.float32, mstype.float16]


def _check_no_experts(moe_config, owner: str) -> None:
    if moe_config is not None and moe_config.expert_num > 1:
        raise NotImplementedError(
            f"For '{owner}', layers of experts are not there: 'moe_config.expert_num' must be 1, but got "
            f"{moe_config.expert_num}."
        )


class TransformerEncoderLayer(Cell):
    """Attention and two dense layers, each with a shortcut and a normalization; computed in float16.

    Args:
        batch_size (int): Sequences in a batch; needed with `use_past`.
        hidden_size (int): Features of a place.
        ffn_hidden_size (int): Features between the dense layers.
        num_heads (int): Ways to look.
        seq_length (int): Length of the sequences.
        attention_dropout_rate (float): Share of the looks that are dropped in training. Default: ``0.1``.
        hidden_dropout_rate (float): Share of each output that is dropped. Default: ``0.1``.
        post_layernorm_residual (bool): Normalize after the shortcut, not before. Default: ``False``.
        layernorm_compute_type (:class:`mindspore.dtype`): Default: ``mindspore.float32``.
        softmax_compute_type (:class:`mindspore.dtype`): Default: ``mindspore.float32``.
        param_init_type (:class:`mindspore.dtype`): Type of the parameters. Default: ``mindspore.float32``.
        hidden_act (Union[str, type]): Activation of the dense layers. Default: ``"gelu"``.
        use_past (bool): Whether keys and values of earlier steps are kept. Default: ``False``.
        moe_config (MoEConfig): Must not ask for experts. Default: ``None``.
        parallel_config (OpParallelConfig): How it is cut. Default: not at all.

    Inputs:
        - **x** (Tensor) - (batch, length, hidden_size) or (batch * length, hidden_size).
        - **input_mask** (Tensor) - (batch, length, length), or None.
        - **init_reset** (Tensor) - (1,), bool; with `use_past`: whether what is kept stays.
        - **batch_valid_length** (Tensor) - (batch,), int32; with `use_past`.

    Outputs:
        tuple, the result like `x`, and (keys, values).
    """

    def __init__(
        self,
        batch_size,
        hidden_size,
        ffn_hidden_size,
        num_heads,
        seq_length,
        attention_dropout_rate=0.1,
        hidden_dropout_rate=0.1,
        post_layernorm_residual=False,
        layernorm_compute_type=mstype.float32,
        softmax_compute_type=mstype.float32,
        param_init_type=mstype.float32,
        hidden_act="gelu",
        use_past=False,
        moe_config=None,
        parallel_config=default_dpmp_config,
    ):
        super().__init__()
        _check_no_experts(moe_config, self.cls_name)
        if batch_size or use_past:
            validator.check_positive_int(batch_size, "batch_size", self.cls_name)
        validator.check_bool(post_layernorm_residual, "post_layernorm_residual", self.cls_name)
        _check_input_dtype(layernorm_compute_type, "layernorm_compute_type", _FLOATS, self.cls_name)
        self.batch_size, self.seq_length, self.hidden_size = batch_size, seq_length, hidden_size
        self.use_past, self.post_layernorm_residual = use_past, post_layernorm_residual
        self.dtype = mstype.float16
        self.layernorm1 = _LayerNorm((hidden_size,)).to_float(layernorm_compute_type)
        self.layernorm2 = _LayerNorm((hidden_size,)).to_float(layernorm_compute_type)
        self.attention = MultiHeadAttention(
            batch_size,
            seq_length,
            seq_length,
            hidden_size,
            num_heads,
            hidden_dropout_rate,
            attention_dropout_rate,
            softmax_compute_type=softmax_compute_type,
            param_init_type=param_init_type,
            use_past=use_past,
            parallel_config=parallel_config,
        )
        self.output = FeedForward(
            hidden_size,
            ffn_hidden_size,
            hidden_dropout_rate,
            hidden_act,
            param_init_type=param_init_type,
            parallel_config=parallel_config,
        )
        self.key_past = self.value_past = None
        if use_past:
            features = hidden_size // num_heads
            keys = np.zeros((batch_size, num_heads, features, seq_length))
            values = np.zeros((batch_size, num_heads, seq_length, features))
            self.key_past = Parameter(Tensor(keys, self.dtype), name="key_past")
            self.value_past = Parameter(Tensor(values, self.dtype), name="value_past")
            self.assign = P.Assign()

    def _check_input(self, x, input_mask, init_reset, batch_valid_length) -> None:
        _check_input_dtype(x.dtype, "x", _FLOATS, self.cls_name)
        if input_mask is not None:
            _check_input_dtype(input_mask.dtype, "input_mask", _FLOATS, self.cls_name)
        for name, value, default, kind in (
            ("init_reset", init_reset, True, mstype.bool_),
            ("batch_valid_length", batch_valid_length, None, mstype.int32),
        ):
            is_tensor = isinstance(value, Tensor)
            is_default = not is_tensor and value is default
            _check_past_none_input_none(self.use_past, name, self.cls_name, default, is_tensor, is_default)
            if self.use_past:
                _check_input_dtype(value.dtype, name, [kind], self.cls_name)

    def construct(self, x, input_mask=None, init_reset=True, batch_valid_length=None):
        self._check_input(x, input_mask, init_reset, batch_valid_length)
        shape = x.shape
        length = 1 if self.use_past and not self.attention.is_first_iteration else self.seq_length
        if len(shape) == 3 and shape[1] != length:
            raise ValueError(
                f"For '{self.cls_name}', the sequences must have the length {length}, but got the shape "
                f"{shape}."
            )
        x = op.reshape(x, (-1, shape[-1]))
        given = op.cast(x if self.post_layernorm_residual else self.layernorm1(x), self.dtype)
        if self.use_past:
            for kept in (self.key_past, self.value_past):
                self.assign(kept, op.mul(kept, op.cast(init_reset, self.dtype)))
        attention, present = self.attention(
            given, given, given, input_mask, self.key_past, self.value_past, batch_valid_length
        )
        if self.use_past:
            self.assign(self.key_past, present[0])
            self.assign(self.value_past, present[1])
        x = op.add(given if self.post_layernorm_residual else x, attention)
        normal = op.cast(self.layernorm2(x), self.dtype)
        dense = self.output(normal)
        if self.post_layernorm_residual:
            result = self.layernorm1(op.add(normal, dense))
        else:
            result = op.add(x, dense)
        return op.reshape(result, shape), present


def _get_lambda_func(total_layer: int | None = None) -> Callable:
    """What an encoder does with each layer: stage of a pipeline, group of gradients, recomputation."""

    def configure(network, layer_id, offset, parallel_config, layers) -> None:
        count = total_layer or layers
        stages = parallel_config.pipeline_stage
        if count < stages:
            raise ValueError(f"layers {count} must be larger than pipeline stage {stages}")
        place = layer_id + offset
        network.pipeline_stage = min(place // max(count // stages, 1), stages - 1)
        network.set_comm_fusion(place // max(count // parallel_config.gradient_aggregation_group, 1) + 1)
        recompute = parallel_config.recompute
        if isinstance(recompute, bool):
            if recompute:
                network.recompute()
        elif recompute.recompute:
            network.recompute(
                parallel_optimizer_comm_recompute=recompute.parallel_optimizer_comm_recompute,
                mp_comm_recompute=recompute.mp_comm_recompute,
                recompute_slice_activation=recompute.recompute_slice_activation,
            )

    return configure


class TransformerEncoder(Cell):
    """A stack of :class:`TransformerEncoderLayer`.

    Args:
        batch_size (int): Sequences in a batch; needed with `use_past`.
        num_layers (int): Layers.
        hidden_size, ffn_hidden_size, seq_length, num_heads (int): Of each layer, as are the arguments that
            follow.
        lambda_func (Callable): Called with each layer, ``layer_id``, ``offset``, ``parallel_config`` and
            ``layers``. Default: ``None``, which sets stages and recomputation by `parallel_config`.
        offset (int): Layers before these. Default: ``0``.
        parallel_config (TransformerOpParallelConfig): How it is cut. Default: not at all.

    Inputs:
        - **hidden_states** (Tensor) - (batch, seq_length, hidden_size) or (batch * seq_length, hidden_size).
        - **attention_mask** (Tensor) - (batch, seq_length, seq_length), or None.
        - **init_reset** (Tensor) - (1,), bool; with `use_past`: whether what is kept stays.
        - **batch_valid_length** (Tensor) - (batch,), int32; with `use_past`.

    Outputs:
        tuple, the result like `hidden_states`, and (keys, values) of every layer.
    """

    def __init__(
        self,
        batch_size,
        num_layers,
        hidden_size,
        ffn_hidden_size,
        seq_length,
        num_heads,
        attention_dropout_rate=0.1,
        hidden_dropout_rate=0.1,
        hidden_act="gelu",
        post_layernorm_residual=False,
        layernorm_compute_type=mstype.float32,
        softmax_compute_type=mstype.float32,
        param_init_type=mstype.float32,
        lambda_func=None,
        offset=0,
        use_past=False,
        moe_config=None,
        parallel_config=None,
    ):
        super().__init__()
        _check_no_experts(moe_config, self.cls_name)
        if parallel_config is None:
            from mindspore.parallel._transformer.transformer import default_transformer_config

            parallel_config = default_transformer_config
        if lambda_func is not None and not callable(lambda_func):
            raise TypeError(
                f"For '{self.cls_name}', 'lambda_func' must be a function, but got {lambda_func}."
            )
        configure = lambda_func or _get_lambda_func()
        self.num_layers = validator.check_positive_int(num_layers, "num_layers", self.cls_name)
        validator.check_non_negative_int(offset, "offset", self.cls_name)
        self.blocks = nn.CellList()
        for index in range(num_layers):
            block = TransformerEncoderLayer(
                batch_size,
                hidden_size,
                ffn_hidden_size,
                num_heads,
                seq_length,
                attention_dropout_rate,
                hidden_dropout_rate,
                post_layernorm_residual,
                layernorm_compute_type,
                softmax_compute_type,
                param_init_type,
                hidden_act,
                use_past,
                parallel_config=parallel_config.dp_mp_config,
            )
            configure(
                block, layer_id=index, layers=num_layers, offset=offset, parallel_config=parallel_config
            )
            self.blocks.append(block)

    def construct(self, hidden_states, attention_mask, init_reset=True, batch_valid_length=None):
        presents = ()
        for block in self.blocks:
            hidden_states, present = block(hidden_states, attention_mask, init_reset, batch_valid_length)
            presents = (*presents, present)
        return hidden_states, presents
