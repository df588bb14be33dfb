# SPDX-License-Identifier: Apache-2.0
"""Methods of a servable: inputs, stages, outputs."""

import inspect

from mindspore_serving._arguments import as_str_tuple, check_int, check_str
from mindspore_serving.server.register._declared import StageFunction, declared
from mindspore_serving.server.register._legacy import LegacyCalls
from mindspore_serving.server.register._placeholder import placeholders, sources_of
from mindspore_serving.server.register.model import Model

_method = None  # that is being registered


class _MethodBeingMade:
    """Stages as they are added while the method's function runs."""

    def __init__(self, name, legacy):
        self.name = name
        self.legacy = legacy
        self.stages = []

    def add_model(self, model, inputs, outputs_count, subgraph=0):
        if model.index is None:
            raise RuntimeError(
                f"Check failed in method '{self.name}', the parameter 'stage' of add_stage must be "
                "function or Model returned by declare_model, and ensure that interface "
                "'declare_model' can take effect when importing servable_config.py by the serving "
                "server"
            )
        counts = (len(inputs), outputs_count)
        if model.counts is None:
            model.counts = counts
        for what, count, old in zip(("inputs", "outputs"), counts, model.counts, strict=True):
            if count != old:
                raise RuntimeError(
                    f"RegisterInputOutputInfo failed, {what} count {count} not match old count {old}, "
                    f"model '{model.model_key}', method '{self.name}'"
                )
        self._add({"model": model.index, "subgraph": subgraph, "tag": "model"}, inputs, outputs_count)

    def add_function(self, function, inputs, outputs_count, batch_size, tag):
        index = self._function_index(function, len(inputs), outputs_count, batch_size is not None)
        # Errors begin with "Call <tag>".
        tag = f"{tag or _title(function)} Failed, method: '{self.name}'"
        self._add({"function": index, "batch_size": batch_size, "tag": tag}, inputs, outputs_count)

    def _add(self, stage, inputs, outputs_count):
        self.stages.append({**stage, "inputs": inputs, "outputs": outputs_count})

    def _function_index(self, function, inputs_count, outputs_count, takes_batches):
        for index, old in enumerate(declared.functions):
            if old.function is not function:
                continue
            for what, count, last in (
                ("inputs", inputs_count, old.inputs_count),
                ("outputs", outputs_count, old.outputs_count),
            ):
                if count != last:
                    raise RuntimeError(
                        f"Stage {_title(function).lower()} {what} count {count} not match last "
                        f"registered count {last}, method name '{self.name}'"
                    )
            if old.takes_batches != takes_batches:
                raise RuntimeError(
                    f"Failed to add stage {_title(function).lower()}: parameter 'batch_size' in "
                    "multiple 'add_stage' should be enabled or disabled consistently"
                )
            return index
        declared.functions.append(StageFunction(function, inputs_count, outputs_count, takes_batches))
        return len(declared.functions) - 1


def _note_reused_inputs(stages, results):
    """Of functions: what follows sees what they write into them."""
    for index, stage in enumerate(stages):
        if "function" in stage:
            later = results + [source for after in stages[index + 1 :] for source in after["inputs"]]
            reused = {place for place, source in enumerate(stage["inputs"]) if source in later}
            declared.functions[stage["function"]].reused |= reused


def _title(function):
    return f"Function '{declared.servable_name}.{function.__name__}'"


def _check_parameters(function, inputs_count):
    count = len(inspect.signature(function).parameters)
    if count != inputs_count:
        raise RuntimeError(
            f"function {function.__name__} input args count {count} not match the count {inputs_count} "
            "registered in method"
        )


def current_method(caller):
    """The method that is being registered; `caller` is the name of what only works there."""
    if _method is None:
        raise RuntimeError(f"'{caller}' works only in a function decorated with register_method")
    return _method


def add_stage(stage, *args, outputs_count, batch_size=None, tag=None):
    """Adds a stage to the method that is being registered.

    Args:
        stage (Union[function, Model]): A Python function, or what :func:`declare_model` returned.
        args: Its inputs: inputs of the method, or outputs of earlier stages. What a function writes into an
            array it is given, later stages see.
        outputs_count (int): How many outputs it has.
        batch_size (int, optional): Of a function. ``None``: it is given the inputs of one instance as
            arguments. Otherwise it is given a tuple of instances, each a tuple of inputs, at most so many
            (``0``: as many as the models take), and yields or returns one result per instance. Default:
            ``None``.
        tag (str, optional): How errors name the stage. Default: ``None``, the function's name.

    Returns:
        A placeholder for the output, or a tuple of them.
    """
    method = current_method("add_stage")
    check_int("outputs_count", outputs_count, 1)
    if tag is not None:
        check_str("tag", tag)
    inputs = sources_of(args, "Each value of parameter *args")
    if isinstance(stage, Model):
        method.add_model(stage, inputs, outputs_count)
    elif inspect.isfunction(stage) or inspect.ismethod(stage) or inspect.isbuiltin(stage):
        if batch_size is None:
            _check_parameters(stage, len(inputs))
        else:
            check_int("batch_size", batch_size, 0)
        method.add_function(stage, inputs, outputs_count, batch_size, tag)
    else:
        raise RuntimeError(
            f"Check failed in method '{method.name}', the parameter 'stage' of add_stage must be "
            f"function or Model returned by declare_model, now is {type(stage)}"
        )
    return placeholders(len(method.stages), outputs_count)


def _input_names(function):
    names = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.KEYWORD_ONLY):
            raise RuntimeError(f"'{function.__name__}' input {name} cannot be {parameter.kind.name} !")
        names.append(name)
    return names


def register_method(output_names):
    """Registers the decorated function as a method of the servable.

    The function's name is the method's, its parameters name the inputs. It runs once, now, with placeholders.

    Args:
        output_names (Union[str, list[str], tuple[str]]): Names of the outputs.
    """
    output_names = as_str_tuple("output_names", output_names)

    def register(function):
        global _method
        name = function.__name__
        inputs = _input_names(function)
        method = _MethodBeingMade(name, LegacyCalls.read(function, len(output_names)))
        _method = method
        try:
            returned = function(*_as_tuple(placeholders(0, len(inputs))))
        finally:
            _method = None
        results = sources_of(_as_tuple(returned), "Each value returned")
        if len(results) != len(output_names):
            raise RuntimeError(
                f"Method return output size {len(results)} not match registered {len(output_names)}, "
                f"method '{name}'"
            )
        if any(old["name"] == name for old in declared.methods):
            raise RuntimeError(f"Method {name} has been registered more than once.")
        _note_reused_inputs(method.stages, results)
        declared.methods.append(
            {
                "name": name,
                "inputs": inputs,
                "outputs": list(output_names),
                "stages": method.stages,
                "results": results,
            }
        )
        return function

    return register


def _as_tuple(values):
    return tuple(values) if isinstance(values, (list, tuple)) else (values,)
