# SPDX-License-Identifier: Apache-2.0
"""Stages by the names they had before add_stage."""

from mindspore_serving.server.register._declared import declared
from mindspore_serving.server.register.method import add_stage, current_method


def _add_function(name, function, args, batch_size, tag):
    outputs_count = current_method(name).legacy.begin(name)
    return add_stage(function, *args, outputs_count=outputs_count, batch_size=batch_size, tag=tag)


def call_preprocess(preprocess_fun, *args):
    """A function before the model, one instance at a time."""
    return _add_function("call_preprocess", preprocess_fun, args, None, "Preprocess")


def call_preprocess_pipeline(preprocess_fun, *args):
    """A function before the model, several instances at a time."""
    return _add_function("call_preprocess_pipeline", preprocess_fun, args, 0, "Preprocess")


def call_postprocess(postprocess_fun, *args):
    """A function after the model, one instance at a time."""
    return _add_function("call_postprocess", postprocess_fun, args, None, "Postprocess")


def call_postprocess_pipeline(postprocess_fun, *args):
    """A function after the model, several instances at a time."""
    return _add_function("call_postprocess_pipeline", postprocess_fun, args, 0, "Postprocess")


def call_servable(*args):
    """The servable's one model."""
    outputs_count = current_method("call_servable").legacy.begin("call_servable")
    if not declared.models:
        raise RuntimeError("There is no model declared, you can use declare_model to declare models.")
    if len(declared.models) > 1:
        raise RuntimeError(
            "There are more than one servable declared when the interface 'call_servable' is used, use "
            "'add_stage' to replace 'call_servable'"
        )
    return add_stage(declared.models[0], *args, outputs_count=outputs_count)
