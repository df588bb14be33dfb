# SPDX-License-Identifier: Apache-2.0
"""Operators as functions and as primitive classes.

The names come from three places: the operator registry, functions whose signature does not follow from it
(`function/`), and primitive classes that do not (`_primitives/`). What belongs to other parts of the
package is looked up there when it is first used.
"""

from mindspore._later import imported_later as _imported_later
from mindspore._later import star_names as _star_names
from mindspore.ops import _primitives, _registry, composite, function, primitive
from mindspore.ops.composite import HyperMap, Map, MultitypeFuncGraph
from mindspore.ops.primitive import (
    Primitive,
    PrimitiveWithCheck,
    PrimitiveWithInfer,
    prim_arg_register,
    prim_attr_register,
)

globals().update({**primitive.primitive_classes(), **_primitives.classes()})
globals().update({**_registry.functions(), **function.functions()})

_LATER = {
    "mindspore._c_expression": "Tensor",
    "mindspore.ops._primitives.arrangement": "Scatter SplitWithSize TensorToScalar _VirtualDataset",
    "mindspore.ops._primitives.attention_caches": (
        "ApplyRotaryPosEmb DecoderKVCache PagedAttention PagedAttentionMask PromptKVCache ReshapeAndCache"
    ),
    "mindspore.ops._primitives.dropout_masks": "DropoutDoMask DropoutGenMask Randperm",
    "mindspore.ops._primitives.elsewhere": (
        "CudnnGRU DSDMatmul FlashAttentionScoreGrad FusedAdaFactor MatmulDDS PsROIPooling Pull Push "
        "Receive Send "
        "TopKRouter inner_comm_irecv_op inner_comm_isend_op"
    ),
    "mindspore.ops._primitives.embedding_caches": "PadAndShift SubAndFilter",
    "mindspore.ops._primitives.experts": "GroupedMatmul MoeFinalizeRouting",
    "mindspore.ops._primitives.fused_attention": "FlashAttentionScore PromptFlashAttention",
    "mindspore.ops._primitives.loops": "ForiLoop Scan WhileLoop",
    "mindspore.ops._primitives.recurrent": "DynamicGRUV2 DynamicRNN LSTM",
    "mindspore.ops._primitives.single_updates": "AdamNoUpdateParam AdamW FusedWeightScaleApplyMomentum",
    "mindspore.ops.function.fused_attention": "flash_attention_score",
    "mindspore.ops.function.fused_layers": "pows rotary_position_embedding swiglu",
    "mindspore.common._derivatives": "derivative jacfwd jacrev jet jvp linearize vjp vmap",
    "mindspore.common._gradient": "GradOperation get_grad grad value_and_grad",
    "mindspore.common.hook": "HookBackward InsertGradientOf",
    "mindspore.ops.primitive": "constexpr",
}
_MODULES = "_primitive_cache auto_generate composite function functional operations primitive"
_find, __dir__ = _imported_later(globals(), _LATER, _MODULES.split())


def __getattr__(name: str):
    """A name that is imported now; `P` is what scripts call `operations`."""
    value = _find("operations" if name == "P" else name)
    if getattr(value, "__module__", "").startswith(("mindspore.ops._primitives.", "mindspore.ops.function.")):
        value = globals()[name] = _primitives.explained(value)
    return value


__all__ = _star_names(__dir__(), _MODULES.split())
