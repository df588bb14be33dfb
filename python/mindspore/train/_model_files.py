# SPDX-License-Identifier: Apache-2.0
"""Files that hold whole models: MindIR files are read and written, ONNX files are written."""

from __future__ import annotations

import os

from mindspore.train._checkpoint_save import check_cipher_arguments


def _unavailable(what: str):
    raise NotImplementedError(
        f"'{what}' is not available: this release reads MindIR files (load) and checkpoints "
        "(load_checkpoint), and writes checkpoints (save_checkpoint), MindIR and ONNX files (export)."
    )


def export(net, *inputs, file_name, file_format, **kwargs):
    """Writes a network, as it is after training, as a model file.

    Args:
        net (Union[Cell, function]): The network.
        inputs (Union[Tensor, Dataset, List, Tuple, Number, Bool]): Inputs of the network.
        file_name (str): Path of the file; the format's ending is added where it is missing.
        file_format (str): ``"MINDIR"`` or ``"ONNX"``. ``"AIR"`` is not available.
        kwargs (dict): Options:

            - enc_key (bytes): Key to encrypt the file with.
            - enc_mode (Union[str, function]): ``"AES-GCM"``, ``"AES-CBC"`` or ``"SM4-CBC"`` for MindIR files;
              or a function that gets the bytes of the file and the key and returns what is written.
              Default: ``"AES-GCM"``.
            - custom_func (function): Gets the model before a MindIR file is written, and may set its texts,
              such as ``model.producer_name``, and entries of ``model.user_info``.
            - dataset (Dataset): Its Map operations are kept in a MindIR file.
            - incremental (bool): Accepted for compatibility.

    Note:
        Sizes that are None in a tensor without values, or in what `set_inputs` said, stay open in the file.
        Decisions and loops that depend on computed values are written as such; variables of these loops keep
        their types and shapes.

        Weights of more than 1 GiB are written to files of their own: ``net_graph.mindir`` and the folder
        ``net_variables`` then stand for ``net.mindir``. MindIR files may only be read by their owner. What an
        older export of the same name has left in the other form is removed when the new model is in place.

    Raises:
        ValueError: `file_format` is unknown, `file_name` or an option is not valid, or the network uses a
            parameter that belongs to no cell of it.
        TypeError: `net` is no network, or uses an operator that the format does not have.
        RuntimeError: The network cannot be written as one graph.
        NotImplementedError: The format is not available.

    Examples:
        >>> import numpy as np
        >>> import mindspore as ms
        >>> net = ms.nn.Dense(3, 2)
        >>> ms.export(net, ms.Tensor(np.ones((1, 3), np.float32)), file_name="net", file_format="ONNX")
    """
    from mindspore.train._export import request

    path = request.checked_path(file_name, file_format)
    request.check_network(net)
    if file_format != "MINDIR" and kwargs.get("custom_func") is not None:
        raise ValueError(f"For 'export', 'custom_func' is for MindIR files, but got {file_format}.")
    if file_format == "ONNX":
        from mindspore.train._onnx.files import export_onnx

        export_onnx(net, inputs, path, kwargs)
    elif file_format == "AIR":
        raise NotImplementedError(
            "For 'export', the format 'AIR' is made for devices this release does not know; "
            "write 'MINDIR' instead."
        )
    else:
        from mindspore.train._mindir.export_files import export_mindir

        export_mindir(net, inputs, path, kwargs)


def load(file_name, **kwargs):
    """Reads a MindIR file; :class:`mindspore.nn.GraphCell` runs what it gives.

    Args:
        file_name (str): Path of the file, which ends with ".mindir".
        kwargs (dict): Options:

            - dec_key (bytes): Key of an encrypted file.
            - dec_mode (Union[str, function]): How it was encrypted: ``"AES-GCM"``, ``"AES-CBC"`` or
              ``"SM4-CBC"``; or a function that gets the path and the key and returns the plain content.
              Default: ``"AES-GCM"``.

    Returns:
        FuncGraph.

    Raises:
        ValueError: The name does not end with ".mindir", there is no such file, or an option is of the wrong
            type.
        RuntimeError: The file is damaged, encrypted otherwise, or of a form that is not known.
        NotImplementedError: ``obf_func`` is given: obfuscated networks are not supported.

    Examples:
        >>> from mindspore import nn, load
        >>> network = nn.GraphCell(load("network.mindir"))  # doctest: +SKIP
    """
    if not isinstance(file_name, str):
        raise ValueError(f"For 'load', the argument 'file_name' must be string, but got {type(file_name)}.")
    if not file_name.endswith(".mindir"):
        raise ValueError(
            "For 'load', the argument 'file_name'(MindIR file) should end with '.mindir', "
            "please input the correct 'file_name'."
        )
    if not os.path.exists(file_name):
        raise ValueError(
            "For 'load', the argument 'file_name'(MindIR file) does not exist, please check whether the "
            f"'file_name' is correct: {file_name}."
        )
    if kwargs.get("obf_func") is not None:
        raise NotImplementedError("For 'load', 'obf_func' is not supported: networks are not obfuscated.")
    key, mode = kwargs.get("dec_key"), kwargs.get("dec_mode", "AES-GCM")
    check_cipher_arguments(key, "AES-GCM" if callable(mode) else mode, "dec")
    from mindspore.train._mindir import load_func_graph

    return load_func_graph(file_name, key, mode)


def load_mindir(file_name):
    """Reads a MindIR file as a message; not available.

    Args:
        file_name (str): Path of the file.

    Raises:
        NotImplementedError: Always.
    """
    _unavailable("load_mindir")


def save_mindir(model, file_name):
    """Writes a message as a MindIR file; not available.

    Args:
        model (ModelProto): The message.
        file_name (str): Path of the file.

    Raises:
        NotImplementedError: Always.
    """
    _unavailable("save_mindir")


def convert_model(mindir_file, convert_file, file_format):
    """Writes the network of a MindIR file as a file of another format.

    Args:
        mindir_file (str): Path of the MindIR file; its inputs must be tensors of fixed shapes.
        convert_file (str): Path of the new file; the format's ending is added where it is missing.
        file_format (str): ``"ONNX"``.

    Raises:
        ValueError: `file_format` is another one, a file name is not valid, or an input has no fixed shape.
        TypeError: The network uses an operator that the format does not have.
        RuntimeError: The file is damaged, or the network cannot be written as one graph.

    Examples:
        >>> import mindspore as ms
        >>> ms.convert_model("network.mindir", "network.onnx", "ONNX")  # doctest: +SKIP
    """
    if file_format != "ONNX":
        raise ValueError(f"For 'convert_model', 'file_format' must be 'ONNX', but got {file_format}.")
    from mindspore.train._export import request
    from mindspore.train._onnx.files import convert_mindir

    if not isinstance(mindir_file, str) or not os.path.isfile(mindir_file):
        raise ValueError(f"For 'convert_model', the file {mindir_file} does not exist.")
    convert_mindir(mindir_file, request.checked_path(convert_file, "ONNX"))


def export_split_mindir(file_name, device_num=8, rank_id=0, dynamic=True, sapp=True):
    """Splits a MindIR file for several devices; not available.

    Args:
        file_name (str): Path of the MindIR file.
        device_num (int): Number of devices. Default: ``8``.
        rank_id (int): Which part. Default: ``0``.
        dynamic (bool): Whether shapes are dynamic. Default: ``True``.
        sapp (bool): Whether strategies are searched. Default: ``True``.

    Raises:
        NotImplementedError: Always.
    """
    _unavailable("export_split_mindir")


def obfuscate_model(obf_config, **kwargs):
    """Makes a model file hard to read; not available.

    Args:
        obf_config (dict): What to do.
        kwargs (dict): ``enc_key``, ``enc_mode``.

    Raises:
        NotImplementedError: Always.
    """
    _unavailable("obfuscate_model")
