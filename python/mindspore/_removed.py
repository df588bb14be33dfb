# SPDX-License-Identifier: Apache-2.0
"""Names and modules that MindSpore had before 2.3 and has no more: what to use instead."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec

_QUANTIZATION = "quantization is in the package mindspore_gs (Golden Stick)"
_QUANTIZED = _QUANTIZATION + "; the layers are nn.Conv2d, nn.Dense and nn.BatchNorm2d"
_TRANSFORMERS = "layers of transformers are in mindspore.parallel._transformer and the package mindformers"
_FEDERATED = "federated learning is in the package mindspore_federated"
_GRAPHS = "graph learning is in the package mindspore_gl"
_MOLECULES = "molecular dynamics is in the package mindsponge"
_QUANTUM = "quantum circuits are in the package mindquantum"
_EXPLAINING = "explanations are in the package mindspore_xai"
_DERIVATIVES = "operators bring their derivatives; one of your own is Cell.bprop, or ops.Custom(bprop=...)"
_METRICS = "metrics are in mindspore.train"
_FUSION = "operators are fused by mindspore.set_context(enable_graph_kernel=True) and by mindspore.jit"
_ORDER = "statements run in their order; ops.depend(value, first) states another"
_PYTHON = "it is isinstance, issubclass, in or len of Python"


def _all_of(names: str, advice: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), advice)


_PACKAGE = {
    **_all_of("set_fl_context get_fl_context FederatedLearningManager", _FEDERATED),
    **_all_of(
        "sparsify SparseFunc ArgType", "sparse operators take mindspore.CSRTensor and mindspore.COOTensor"
    ),
    "MetaTensor": "it is mindspore.Tensor(shape=..., dtype=..., init=...)",
    "issubclass_": "types are compared with ==",
    "monad": _ORDER,
}
_LAYERS = {
    **_all_of(
        "ActQuant Conv2dQuant DenseQuant MulQuant TensorAddQuant LeakyReLUQuant HSigmoidQuant HSwishQuant "
        "Conv2dBnFoldQuant Conv2dBnFoldQuantOneConv Conv2dBnWithoutFoldQuant "
        "FakeQuantWithMinMax FakeQuantWithMinMaxObserver",
        _QUANTIZED,
    ),
    **_all_of(
        "AttentionMask EmbeddingOpParallelConfig FeedForward FixedSparseAttention MoEConfig OpParallelConfig "
        "TransformerOpParallelConfig TransformerRecomputeConfig VocabEmbedding",
        _TRANSFORMERS,
    ),
    "MultiHeadAttention": "it is nn.MultiheadAttention",
    "Conv2d_Thor": "it is nn.Conv2dThor",
    "Dense_Thor": "it is nn.DenseThor",
    "Embedding_Thor": "it is nn.EmbeddingThor",
    "THOR": "it is nn.thor",
    "BatchNorm": "it is nn.BatchNorm1d, nn.BatchNorm2d or nn.BatchNorm3d",
    "GlobalBatchNorm": "it is nn.SyncBatchNorm",
    "DepthwiseConv2d": "it is nn.Conv2d(..., group=in_channels)",
    "LocalResponseNorm": "it is nn.LRN",
    "AdamWeightDecayForBert": "it is nn.AdamWeightDecay",
    "AdamWeightDecayDynamicLR": "it is nn.AdamWeightDecay with a schedule as learning_rate",
    "DataWrapper": "it is mindspore.train.data_sink, or Model.train with dataset_sink_mode",
    "GraphKernel": "it is nn.Cell",
    "LinSpace": "it is ops.linspace",
}
_MOLECULAR_OPERATORS = (
    "AngleAtomEnergy AngleEnergy AngleForce AngleForceWithAtomEnergy BondAtomEnergy BondEnergy BondForce "
    "BondForceWithAtomEnergy BondForceWithAtomVirial CrdToUintCrd Dihedral14CFAtomEnergy Dihedral14CFEnergy "
    "Dihedral14LJAtomEnergy Dihedral14LJCFForceWithAtomEnergy Dihedral14LJEnergy Dihedral14LJForce "
    "Dihedral14LJForceWithDirectCF DihedralAtomEnergy DihedralEnergy DihedralForce "
    "DihedralForceWithAtomEnergy GetCenterOfGeometry LJEnergy LJForce LJForceWithPMEDirectForce "
    "MDIterationLeapFrog MDIterationLeapFrogLiujian MDIterationSetupRandState MDTemperature "
    "NeighborListUpdate PMEEnergy PMEExcludedForce PMEReciprocalForce TransferCrd"
)
_OPERATORS = {
    **_all_of(_MOLECULAR_OPERATORS, _MOLECULES),
    **_all_of("PQC Evolution", _QUANTUM),
    **_all_of("PullWeight PushWeight", _FEDERATED),
    **_all_of(
        "BNTrainingReduce BNTrainingUpdate BatchNormEx FusedBatchNorm FusedBatchNormEx", "it is ops.BatchNorm"
    ),
    **_all_of("ControlDepend control_depend", _ORDER),
    **_all_of("SameTypeShape same_type_shape", "types and shapes are compared with =="),
    **_all_of("IsInstance IsSubClass core isinstance_ in_list sequence_len", _PYTHON),
    **_all_of("Merge GeSwitch", "it is an if statement"),
    **_all_of("FFT3D IFFT3D", "it is ops.FFTWithSize(3, ...)"),
    "AllSwap": "it is ops.AlltoAll",
    "BasicLSTMCell": "it is nn.LSTMCell",
    "CheckBprop": "it is mindspore.set_context(check_bprop=True)",
    "DepthwiseConv2dNative": "it is ops.Conv2D(..., group=channels)",
    "IFMR": _QUANTIZATION,
    "MakeRefKey": "parameters are passed as they are",
    "ReLUV2": "it is ops.ReLU",
    "TensorAddV2": "it is ops.Add",
    "Shard": "it is the method shard of cells and of operators",
    "Sum": "it is ops.ReduceSum",
    "fill_": "it is ops.fill",
    "hypermap": "it is ops.HyperMap()",
    "is_sparse_tensor_": "it is isinstance(x, mindspore.COOTensor)",
    "neg_tensor": "it is ops.neg",
    "pack": "it is ops.stack",
    "random_shuffle": "it is ops.shuffle",
    "sparse_add": "it is ops.coo_add",
    "sparse_concat": "it is ops.coo_concat",
    "unpack": "it is ops.unstack",
    "zeros_like_tensor": "it is ops.zeros_like",
}
_DATA = {
    **_all_of("Graph GraphData InMemoryGraphDataset ArgoverseDataset SamplingStrategy", _GRAPHS),
    "ImageFolderDatasetV2": "it is ImageFolderDataset",
    "RangeDataset": "it is NumpySlicesDataset(list(range(start, stop, step)), column_names)",
}
_FEDERATED_CALLBACK = {"FederatedLearningManager": _FEDERATED}

# By the module that had them.
NAMES: dict[str, dict[str, str]] = {
    "mindspore": _PACKAGE,
    "mindspore.common": _all_of("MetaTensor", _PACKAGE["MetaTensor"]),
    **dict.fromkeys(
        ("mindspore.dataset", "mindspore.dataset.engine", "mindspore.dataset.engine.datasets"), _DATA
    ),
    "mindspore.common.initializer": {"random_normal": "it is initializer(Normal(sigma, mean), shape, dtype)"},
    "mindspore.nn": _LAYERS,
    "mindspore.nn.layer": _LAYERS,
    "mindspore.ops": _OPERATORS,
    "mindspore.train": _FEDERATED_CALLBACK,
    "mindspore.train.callback": _FEDERATED_CALLBACK,
}

# A star stands for the modules of one package.
MODULES = {
    "mindspore.compression": _QUANTIZATION,
    "mindspore.train.quant": _QUANTIZATION,
    "mindspore.nn.layer.quant": _QUANTIZATION,
    "mindspore.explainer": _EXPLAINING,
    "mindspore.nn.transformer": _TRANSFORMERS,
    "mindspore.parallel.nn": _TRANSFORMERS,
    "mindspore.nn.layer.flash_attention": "it is ops.flash_attention_score on the devices that have it",
    "mindspore.nn.layer.lstm": "layers are in mindspore.nn",
    "mindspore.nn.layer.rnn_utils": "layers are in mindspore.nn",
    "mindspore.nn.graph_kernels": _FUSION,
    "mindspore.nn.metrics.*": _METRICS,
    "mindspore.nn.probability.zhusuan": "distributions are in mindspore.nn.probability",
    "mindspore.ops._grad": _DERIVATIVES,
    "mindspore.ops.bprop_mindir": _DERIVATIVES,
    "mindspore.ops._selected_ops": "operators are in mindspore.ops",
    "mindspore.ops._selected_grad_ops": "operators are in mindspore.ops",
    "mindspore.ops.op_selector": _FUSION,
    "mindspore.ops._op_impl": "operators of your own are mindspore.ops.Custom",
    "mindspore.ops.composite.*": "its functions are in mindspore.ops",
    "mindspore.ops.operations.quantum_ops": _QUANTUM,
    "mindspore.ops.operations.sponge_ops": _MOLECULES,
    "mindspore.ops.operations.sponge_update_ops": _MOLECULES,
    "mindspore.dataset.engine.graphdata": _GRAPHS,
    "mindspore.vision": "transforms of images are in mindspore.dataset.vision",
    "mindspore.model_zoo": "networks are in the repository mindspore-ai/models and the package mindcv",
    "mindspore.lite": "it is the package mindspore_lite",
    "mindspore.common.monad": _PACKAGE["monad"],
    "mindspore.train.callback._fl_manager": _FEDERATED,
}


def advice_on_module(name: str) -> str | None:
    """What to use instead of a module that is no more; None for one that never was."""
    return MODULES.get(name) or MODULES.get(name.rpartition(".")[0] + ".*")


class RemovedModules:
    """Stands last among the finders of modules: an import that nobody answered is told what replaces it."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Raises a ModuleNotFoundError with advice; None for modules that are not known here."""
        advice = advice_on_module(name) if name.startswith("mindspore.") else None
        # Whoever only asks whether there is such a module gets an answer, not an error.
        imports = sys._getframe(2).f_code.co_name.startswith("_find_and_load")
        if advice is None or not imports:
            return None
        raise ModuleNotFoundError(f"No module named '{name}'. In MindSpore {advice}.", name=name)
