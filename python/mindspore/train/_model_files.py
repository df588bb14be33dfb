# SPDX-License-Identifier: Apache-2.0
"""Names for files that hold whole models. Such files are not written or read by this release."""

from __future__ import annotations

import os


def _unavailable(what: str):
    raise NotImplementedError(
        f"'{what}' is not available: this release writes and reads checkpoints (save_checkpoint, "
        "load_checkpoint), but no files of whole models."
    )


def export(net, *inputs, file_name, file_format, **kwargs):
    """Writes a network as a model file; not available.

    Args:
        net (Union[Cell, function]): The network.
        inputs (Union[Tensor, Dataset, List, Tuple, Number, Bool]): Inputs of the network.
        file_name (str): Path of the file.
        file_format (str): ``"MINDIR"``, ``"ONNX"`` or ``"AIR"``.
        kwargs (dict): Options of the format.

    Raises:
        ValueError: `file_format` is unknown.
        NotImplementedError: Always.
    """
    if file_format not in ("AIR", "ONNX", "MINDIR"):
        raise ValueError(
            f"For 'export', 'file_format' must be one of ['AIR', 'ONNX', 'MINDIR'], but got {file_format}."
        )
    _unavailable("export")


def load(file_name, **kwargs):
    """Reads a MindIR file; not available.

    Args:
        file_name (str): Path of the file.
        kwargs (dict): ``dec_key``, ``dec_mode``, ``dec_func``, ``obf_func``.

    Raises:
        ValueError: The name does not end with ".mindir", or there is no such file.
        NotImplementedError: Always.
    """
    if not isinstance(file_name, str):
        raise ValueError(f"For 'load', the argument 'file_name' must be string, but got {type(file_name)}.")
    if not file_name.endswith(".mindir"):
        raise ValueError(
            "For 'load', the argument 'file_name'(MindIR file) should end with '.mindir', "
            "please input the correct 'file_name'."
        )
    if not os.path.exists(file_name):
        raise ValueError(f"For 'load', the file {file_name} does not exist, please check the 'file_name'.")
    _unavailable("load")


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
    """Turns a MindIR file into another format; not available.

    Args:
        mindir_file (str): Path of the MindIR file.
        convert_file (str): Path of the new file.
        file_format (str): ``"ONNX"``.

    Raises:
        NotImplementedError: Always.
    """
    _unavailable("convert_model")


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
