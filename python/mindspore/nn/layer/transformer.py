# SPDX-License-Identifier: Apache-2.0
"""Networks made of attention."""

from __future__ import annotations

import copy

from mindspore.common.initializer import initializer
from mindspore.nn._arguments import DTYPE
from mindspore.nn._description import Argument, takes, with_defaults
from mindspore.nn.cell import Cell
from mindspore.nn.layer.attention import MultiheadAttention
from mindspore.nn.layer.basic import Dense, Dropout
from mindspore.nn.layer.container import CellList
from mindspore.nn.layer.normalization import LayerNorm
from mindspore.ops._registry import op

__all__ = [
    "MultiheadAttention",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]


def _relu(x):
    return op.relu(x)


def _gelu(x):
    return op.gelu(x, "none")


def _activation(activation):
    """An activation from its name; layers and functions are taken as they are."""
    if isinstance(activation, str):
        if activation not in ("relu", "gelu"):
            raise ValueError(f"The activation must be relu/gelu, but get {activation}")
        return _relu if activation == "relu" else _gelu
    if not callable(activation):
        raise ValueError(
            f"The argument 'activation' must be str, callable or Cell instance, but get {activation}."
        )
    return activation


_WIDTH = [
    Argument("d_model", "int", "Features of the input."),
    Argument("nhead", "int", "Number of heads."),
]
_BETWEEN = [
    Argument("dim_feedforward", "int", "Features between the dense layers.", 2048),
    Argument("dropout", "float", "Share that is dropped.", 0.1),
    Argument("activation", "Union[str, callable, Cell]", "Between the dense layers.", "relu"),
]
_ORDER = [
    Argument("layer_norm_eps", "float", "Of the norms.", 1e-5),
    Argument("batch_first", "bool", "(N, L, E) instead of (L, N, E).", False),
    Argument("norm_first", "bool", "Norms before instead of behind.", False),
    DTYPE,
]


class _Layer(Cell):
    """What encoder and decoder layers share: attention, two dense layers and norms."""

    def _add_parts(
        self, norms, d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, dtype
    ) -> None:
        attention = {"dropout": dropout, "batch_first": batch_first, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, **attention)
        if norms == 3:
            self.multihead_attn = MultiheadAttention(d_model, nhead, **attention)
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
        for i in range(1, norms + 1):
            setattr(self, f"norm{i}", LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        for i in range(1, norms + 1):
            setattr(self, f"dropout{i}", Dropout(p=dropout))
        self.activation = _activation(activation)
        self.batch_first = batch_first

    def _looks_at_itself(self, x, attn_mask, key_padding_mask):
        y = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False
        )
        return self.dropout1(y[0])

    def _feeds_forward(self, x, dropout):
        return dropout(self.dense2(self.dropout(self.activation(self.dense1(x)))))


@takes(*_WIDTH, *_BETWEEN, *_ORDER)
class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, then two dense layers; both with a residual connection.

    Inputs:
        - **src** (Tensor) - The sequence.
        - **src_mask** (Tensor, optional) - What does not count of it.
        - **src_key_padding_mask** (Tensor, optional) - What does not count per sample.

    Outputs:
        Tensor, shape of `src`.
    """

    def _set_up(self, norm_first, **options) -> None:
        self._made_of, self.norm_first = {"norm_first": norm_first, **options}, norm_first
        self._add_parts(2, **options)

    def construct(self, src, src_mask=None, src_key_padding_mask=None):
        x = src
        if self.norm_first:
            x = x + self._looks_at_itself(self.norm1(x), src_mask, src_key_padding_mask)
            return x + self._feeds_forward(self.norm2(x), self.dropout2)
        x = self.norm1(x + self._looks_at_itself(x, src_mask, src_key_padding_mask))
        return self.norm2(x + self._feeds_forward(x, self.dropout2))


@takes(*_WIDTH, *_BETWEEN, *_ORDER)
class TransformerDecoderLayer(_Layer):
    """Attention of a sequence to itself and to a memory, then two dense layers.

    Inputs:
        - **tgt** (Tensor) - The sequence.
        - **memory** (Tensor) - What the encoder gave.
        - **tgt_mask**, **memory_mask** (Tensor, optional) - What does not count of them.
        - **tgt_key_padding_mask**, **memory_key_padding_mask** (Tensor, optional) - The same per sample.

    Outputs:
        Tensor, shape of `tgt`.
    """

    def _set_up(self, norm_first, **options) -> None:
        self._made_of, self.norm_first = {"norm_first": norm_first, **options}, norm_first
        self._add_parts(3, **options)

    def _looks_at(self, x, memory, attn_mask, key_padding_mask):
        y = self.multihead_attn(
            x, memory, memory, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False
        )
        return self.dropout2(y[0])

    def construct(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
    ):
        x = tgt
        if self.norm_first:
            x = x + self._looks_at_itself(self.norm1(x), tgt_mask, tgt_key_padding_mask)
            x = x + self._looks_at(self.norm2(x), memory, memory_mask, memory_key_padding_mask)
            return x + self._feeds_forward(self.norm3(x), self.dropout3)
        x = self.norm1(x + self._looks_at_itself(x, tgt_mask, tgt_key_padding_mask))
        x = self.norm2(x + self._looks_at(x, memory, memory_mask, memory_key_padding_mask))
        return self.norm3(x + self._feeds_forward(x, self.dropout3))


_STACK = [
    Argument("num_layers", "int", "How many."),
    Argument("norm", "Cell", "Applied last.", None),
]


class _LayerStack(Cell):
    """Copies of a layer, one after the other."""

    def _add(self, layer: Cell, num_layers: int, norm: Cell | None) -> None:
        # The layer given is a pattern: MindSpore draws new values, which the copies share at first. What is
        # drawn after them depends on that. A layer of the user's own says no way to draw it again.
        if type(layer) in (TransformerEncoderLayer, TransformerDecoderLayer):
            layer = type(layer)(**layer._made_of)
        self.layers = CellList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def _pass_through(self, x, *others):
        for layer in self.layers:
            x = layer(x, *others)
        return x if self.norm is None else self.norm(x)


@takes(
    Argument("encoder_layer", "Cell", "What they are made like; its own parameters are not among theirs."),
    *_STACK,
)
class TransformerEncoder(_LayerStack):
    """Several equal encoder layers, each with parameters of its own.

    Inputs:
        As :class:`TransformerEncoderLayer`.

    Outputs:
        Tensor.
    """

    def _set_up(self, encoder_layer, num_layers, norm) -> None:
        self._add(encoder_layer, num_layers, norm)

    def construct(self, src, src_mask=None, src_key_padding_mask=None):
        return self._pass_through(src, src_mask, src_key_padding_mask)


@takes(
    Argument("decoder_layer", "Cell", "What they are made like; its own parameters are not among theirs."),
    *_STACK,
)
class TransformerDecoder(_LayerStack):
    """Several equal decoder layers, each with parameters of its own.

    Inputs:
        As :class:`TransformerDecoderLayer`.

    Outputs:
        Tensor.
    """

    def _set_up(self, decoder_layer, num_layers, norm) -> None:
        self._add(decoder_layer, num_layers, norm)

    def construct(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
    ):
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return self._pass_through(tgt, memory, *masks)


@takes(
    *with_defaults(_WIDTH, d_model=512, nhead=8),
    Argument("num_encoder_layers", "int", "Layers of the encoder.", 6),
    Argument("num_decoder_layers", "int", "Layers of the decoder.", 6),
    *_BETWEEN,
    Argument("custom_encoder", "Cell", "Instead of the usual encoder.", None),
    Argument("custom_decoder", "Cell", "Instead of the usual decoder.", None),
    *_ORDER,
)
class Transformer(Cell):
    """An encoder and a decoder.

    Inputs:
        - **src** (Tensor) - What the encoder reads.
        - **tgt** (Tensor) - What the decoder reads.
        - **src_mask**, **tgt_mask**, **memory_mask** (Tensor, optional) - What does not count.
        - **src_key_padding_mask**, **tgt_key_padding_mask**, **memory_key_padding_mask** (Tensor, optional) -
          The same per sample.

    Outputs:
        Tensor, shape of `tgt`.

    Raises:
        ValueError: `src` and `tgt` do not have the same batch, or not `d_model` features.
    """

    def _set_up(
        self, num_encoder_layers, num_decoder_layers, custom_encoder, custom_decoder, **options
    ) -> None:
        d_model, nhead, batch_first = (options[name] for name in ("d_model", "nhead", "batch_first"))

        def stacked(stack, layer, count):
            norm = LayerNorm((d_model,), epsilon=options["layer_norm_eps"], dtype=options["dtype"])
            return stack(layer(**options), count, norm)

        self.encoder = custom_encoder or stacked(
            TransformerEncoder, TransformerEncoderLayer, num_encoder_layers
        )
        self.decoder = custom_decoder or stacked(
            TransformerDecoder, TransformerDecoderLayer, num_decoder_layers
        )
        for parameter in self.get_parameters():
            if parameter.ndim > 1:
                parameter.set_data(initializer("xavier_uniform", parameter.shape, parameter.dtype))
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def construct(
        self,
        src,
        tgt,
        src_mask=None,
        tgt_mask=None,
        memory_mask=None,
        src_key_padding_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
    ):
        batch = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[batch] != tgt.shape[batch]:
            raise ValueError(
                "The number of batch size for 'src' and 'tgt' must be equal, but got shapes "
                f"{src.shape} and {tgt.shape}."
            )
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ValueError(
                "The number of features for 'src' and 'tgt' must be equal to `d_model`, "
                f"{self.d_model}, but got shapes {src.shape} and {tgt.shape}."
            )
        memory = self.encoder(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
        )
