# SPDX-License-Identifier: Apache-2.0
"""Models of a servable, and calls of them from Python stages."""

from mindspore_serving import log as logger
from mindspore_serving._arguments import as_int_tuple, as_str_tuple, check_bool, check_int, check_str
from mindspore_serving.server.register._declared import declared
from mindspore_serving.server.register._device_info import (
    AclOptions,
    Context,
    GpuOptions,
)
from mindspore_serving.server.register._values import sendable_instances

# What the names of formats mean here. OM files are Ascend's own; no loader here reads them.
_FORMATS = {"mindir": "MindIR", "mindir_opt": "MindIR", "mindir_lite": "MindIR", "onnx": "ONNX", "om": "OM"}

_channel = None  # to the server, in processes that run stages


def set_channel(channel):
    """What calls of models go through."""
    global _channel
    _channel = channel


class Model:
    """A model of this servable; :func:`declare_model` makes it."""

    def __init__(self, model_key):
        self.model_key = model_key
        self.files = ()
        self.counts = None  # of inputs and outputs, as the first stage says
        self._options = None

    def set_options(self, files, options):
        self.files = files
        self._options = options

    def description(self):
        """What the server has to know."""
        return {"files": list(self.files), **self._options}

    @property
    def index(self):
        """Place among the declared models; None: it was not declared."""
        return next((place for place, model in enumerate(declared.models) if model is self), None)

    def call(self, *args, subgraph=0):
        """Runs the model from inside a Python stage.

        Args:
            args: The inputs of one instance, or one list of instances, each a list or tuple of inputs.
            subgraph (int, optional): Which of the model's files. Default: ``0``.

        Returns:
            Of one instance its output, or a tuple of them where there are several. Of a list a tuple of
            tuples.

        Raises:
            RuntimeError: There are no inputs, they are nested wrongly, or the run failed.
        """
        try:
            return self._call(args, subgraph)
        except RuntimeError as error:
            which = f", subgraph={subgraph}" if subgraph else ""
            raise RuntimeError(f"Model({self.model_key}{which}).call() failed: {error}") from None

    def _call(self, args, subgraph):
        check_int("subgraph", subgraph, 0)
        if self.index is None:
            raise RuntimeError("the model is not declared")
        if subgraph >= len(self.files):
            raise RuntimeError(
                f"The model does not have subgraph of index {subgraph}, the subgraph count of the model "
                f"is {len(self.files)}"
            )
        forms = (
            "the inputs can be call(x1, x2) for single instance or call([[x1, x2], [x1, x2]]) for multi "
            "instances"
        )
        if not args:
            raise RuntimeError(f"no inputs provided, {forms}")
        is_batch = isinstance(args[0], (list, tuple))
        instances = args[0] if is_batch else [args]
        if is_batch and (len(args) != 1 or not all(isinstance(one, (list, tuple)) for one in instances)):
            raise RuntimeError(f"inputs format invalid, {forms}")
        if not instances:
            raise RuntimeError("Input instances count is 0")
        if _channel is None:
            raise RuntimeError(
                "models can be called in the stages of a servable that is running, and nowhere else"
            )
        outcomes = _channel.call_model(self.index, subgraph, sendable_instances(instances))
        for outcome in outcomes:
            if isinstance(outcome, str):
                raise RuntimeError(outcome)
        if is_batch:
            return tuple(outcomes)
        return outcomes[0][0] if len(outcomes[0]) == 1 else outcomes[0]


def declare_model(
    model_file,
    model_format,
    with_batch_dim=True,
    options=None,
    without_batch_dim_inputs=None,
    context=None,
    config_file=None,
):
    """Declares a model in servable_config.py.

    Args:
        model_file (Union[str, list[str], tuple[str]]): Files relative to the version's folder; several are
            sub-graphs of one model.
        model_format (str): "MindIR", "MindIR_Lite" or "ONNX", whatever the case.
        with_batch_dim (bool, optional): The first dimension of inputs and outputs is the batch. Default:
            ``True``.
        options (Union[AclOptions, GpuOptions], optional): Deprecated: see `context`. Default: ``None``.
        without_batch_dim_inputs (Union[int, list[int], tuple[int]], optional): Inputs that have no batch
            although the model has one. Default: ``None``.
        context (Context, optional): How the model is run. Default: ``None``.
        config_file (str, optional): File of mixed precision, absolute or relative to servable_config.py.
            Default: ``None``.

    Returns:
        Model, for :func:`add_stage` and :meth:`Model.call`.

    Raises:
        RuntimeError: A parameter is wrong, or a file belongs to another model already.
    """
    files = as_str_tuple("model_file", model_file)
    check_str("model_format", model_format)
    kind = _FORMATS.get(model_format.lower())
    if kind is None:
        raise RuntimeError(
            f"model format can only be OM, MindIR or MindIR_Lite, case ignored, or ONNX, but got "
            f"'{model_format}'"
        )
    if kind == "OM":
        raise RuntimeError(
            f"model file '{files[0]}' is declared as OM, the form of Ascend 310's own compiler, which "
            "cannot be run here; export the network as MindIR"
        )
    check_bool("with_batch_dim", with_batch_dim)
    if config_file is not None:
        check_str("config_file", config_file)
    indices = (
        ()
        if without_batch_dim_inputs is None
        else as_int_tuple("without_batch_dim_inputs", without_batch_dim_inputs, 0)
    )
    for model in declared.models:
        for file in files:
            if file in model.files:
                raise RuntimeError(f"model file '{file}' has already been used")
    model = Model(",".join(files))
    model.set_options(
        files,
        {
            "format": kind,
            "with_batch_dim": with_batch_dim,
            "without_batch_dim_inputs": list(indices),
            "config_file": config_file or "",
            **_run_options(options, context),
        },
    )
    declared.models.append(model)
    return model


def _run_options(options, context):
    if context is not None:
        if not isinstance(context, Context):
            raise RuntimeError(f"Parameter 'context' should be Context, but gotten {type(context)}")
    elif isinstance(options, (AclOptions, GpuOptions)):
        context = options.context
    elif options is not None:
        raise RuntimeError(
            f"Parameter 'options' should be None, GpuOptions or AclOptions, but gotten {type(options)}"
        )
    if context is None:
        return {}
    settings = context.model_context
    precision = settings.options_of("cpu").get("precision_mode", "origin")
    return {"thread_num": settings.thread_num, "precision_mode": precision}


def declare_servable(
    servable_file, model_format, with_batch_dim=True, options=None, without_batch_dim_inputs=None
):
    """:func:`declare_model` by the name it had before 1.5."""
    logger.warning("'declare_servable' will be deprecated in the future. Please use 'declare_model' instead.")
    return declare_model(servable_file, model_format, with_batch_dim, options, without_batch_dim_inputs)
