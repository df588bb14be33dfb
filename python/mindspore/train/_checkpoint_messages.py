# SPDX-License-Identifier: Apache-2.0
"""A checkpoint file as messages, and the steps of loading and saving that scripts take one by one."""

from __future__ import annotations

import numpy as np

from mindspore._world import NOT_TOGETHER
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.train._checkpoint_formats import entries_in
from mindspore.train._checkpoint_into_net import _load_with_prefix, _update
from mindspore.train._checkpoint_save import _write_ckpt
from mindspore.train._protobuf import block, fields_of, integer

_STORED = (*mstype.int_type, *mstype.uint_type, mstype.float16, mstype.float32, mstype.float64, mstype.bool_)
tensor_to_ms_type = {str(dtype): dtype for dtype in _STORED} | {
    "str": mstype.string,
    "BFloat16": mstype.bfloat16,
    "Int4": mstype.qint4x2,
}
tensor_to_np_type = {str(dtype): mstype.dtype_to_nptype(dtype) for dtype in _STORED} | {"str": "U"}
np_type_convert = {name: getattr(np, name) for name in ("int32", "float32", "float16", "float64")}


class _Messages(list):
    """Messages in a message; as protocol buffers have it, a new one is made here."""

    def __init__(self, kind: type, messages=()) -> None:
        super().__init__(messages)
        self._kind = kind

    def add(self):
        """A new empty message at the end."""
        self.append(self._kind())
        return self[-1]


class TensorMessage:
    """One array of a file: lengths, name of the type, bytes."""

    def __init__(self, message: bytes = b"") -> None:
        self.dims: list[int] = []
        self.tensor_type, self.tensor_content = "", b""
        for number, content in fields_of(message):
            if number == 1:
                self.dims.append(content)
            elif number == 2:
                self.tensor_type = content.decode()
            elif number == 3:
                self.tensor_content = content

    def _encoded(self) -> bytes:
        lengths = b"".join(integer(1, length) for length in self.dims)
        return lengths + block(2, self.tensor_type) + block(3, self.tensor_content)


class MapTensorMessage:
    """The arrays of a map parameter."""

    def __init__(self, message: bytes = b"") -> None:
        arrays = [TensorMessage(content) for number, content in fields_of(message) if number == 1]
        self.tensor = _Messages(TensorMessage, arrays)

    def _encoded(self) -> bytes:
        return b"".join(block(1, array._encoded()) for array in self.tensor)


class ValueMessage:
    """One record of a file: its name, and a tensor or the arrays of a map parameter."""

    def __init__(self, message: bytes = b"") -> None:
        fields = dict(fields_of(message))
        self.tag = fields.get(1, b"").decode()
        self.tensor = TensorMessage(fields.get(2, b""))
        self.maptensor = MapTensorMessage(fields.get(3, b""))

    def HasField(self, name: str) -> bool:  # noqa: N802  (as messages call it)
        """Whether the record is a ``"tensor"`` or a ``"maptensor"``."""
        return bool({"tensor": self.tensor.tensor_type, "maptensor": self.maptensor.tensor}.get(name))

    def _encoded(self) -> bytes:
        if self.maptensor.tensor:
            return block(1, self.tag) + block(3, self.maptensor._encoded())
        return block(1, self.tag) + block(2, self.tensor._encoded())


class Checkpoint:
    """The records of a checkpoint file: ``value`` lists them."""

    def __init__(self) -> None:
        self.value = _Messages(ValueMessage)

    def ParseFromString(self, content: bytes) -> int:  # noqa: N802
        """Reads records; returns the number of bytes."""
        self.value[:] = [ValueMessage(part) for number, part in fields_of(bytes(content)) if number == 1]
        return len(content)

    def SerializeToString(self) -> bytes:  # noqa: N802
        """The bytes of a checkpoint file with these records."""
        return b"".join(block(1, record._encoded()) for record in self.value)


def _parse_ckpt_proto(ckpt_file_name, dec_key, dec_mode, crc_check) -> Checkpoint:
    """The records of a file.

    Raises:
        ValueError: The file cannot be read, is damaged, or encrypted otherwise.
    """
    records = Checkpoint()
    for name, read in entries_in(ckpt_file_name, "ckpt", dec_key, dec_mode, crc_check):
        records.value.append(_record(name, read()[1]))
    return records


def _record(name: str, value) -> ValueMessage:
    record = ValueMessage()
    record.tag = name
    if isinstance(value, list):
        record.maptensor.tensor.extend(_array_message(array, array.dtype.name) for array in value)
    elif isinstance(value, str):
        record.tensor = _array_message(np.array(value), "str")
    else:
        record.tensor = TensorMessage()
        record.tensor.dims, record.tensor.tensor_type = list(value.shape), str(value.dtype)
        record.tensor.tensor_content = value.get_bytes()
    return record


def _array_message(array: np.ndarray, kind: str) -> TensorMessage:
    message = TensorMessage()
    message.dims, message.tensor_type, message.tensor_content = list(array.shape), kind, array.tobytes()
    return message


def _load_map_parameter(checkpoint_list, element, element_id, map_data_list, map_shape_list, parameter_dict):
    """Takes one record of a map parameter; the last of its records puts the arrays into `parameter_dict`.

    Args:
        checkpoint_list (Checkpoint): All records.
        element (ValueMessage): The one to take.
        element_id (int): Its place among them.
        map_data_list (list[list]): What earlier records held, for each array; grows.
        map_shape_list (list[int]): How many rows that was, for each array; grows.
        parameter_dict (dict): Gets the arrays, by name.
    """
    following = checkpoint_list.value[element_id + 1 : element_id + 2]
    is_last = not following or following[0].tag != element.tag
    arrays = []
    for place, message in enumerate(element.maptensor.tensor):
        content = np.frombuffer(message.tensor_content, np_type_convert.get(message.tensor_type))
        map_data_list[place].append(content)
        if is_last:
            lengths = [message.dims[0] + map_shape_list[place], *message.dims[1:]]
            arrays.append(np.concatenate(map_data_list[place]).reshape(lengths))
        else:
            map_shape_list[place] += message.dims[0]
    if is_last:
        parameter_dict[element.tag] = arrays


def _update_param(param, new_param, strict_load) -> None:
    """Gives one parameter the value of another.

    Raises:
        RuntimeError: Shape or type differ, and may not be converted.
    """
    _update(param, new_param, new_param.name, strict_load)


def _load_dismatch_prefix_params(net, parameter_dict, param_not_load, strict_load) -> None:
    """Loads parameters whose names have more in front in the dict; takes their names out of a list.

    Args:
        net (Cell): The network.
        parameter_dict (dict): Parameters by name.
        param_not_load (list[str]): Names of the network that were not found; what is loaded leaves it.
        strict_load (bool): Types are not converted.
    """
    missing = [parameter for parameter in net.get_parameters() if parameter.name in param_not_load]
    still = _load_with_prefix(missing, parameter_dict, strict_load)
    loaded = {parameter.name for parameter in missing} - {parameter.name for parameter in still}
    param_not_load[:] = [name for name in param_not_load if name not in loaded]


def _exec_save(
    ckpt_file_name, data_list, enc_key=None, enc_mode="AES-GCM", map_param_inc=False, crc_check=False
) -> None:
    """Writes a file from lists of lengths, name of the type, and content, by name.

    Args:
        ckpt_file_name (str): The file.
        data_list (dict): The lists; content is a Tensor, an array, or bytes.
        enc_key (Union[None, bytes]): Key, to encrypt. Default: ``None``.
        enc_mode (str): How to encrypt. Default: ``"AES-GCM"``.
        map_param_inc (bool): Accepted for compatibility: map parameters are saved by
            :func:`mindspore.save_checkpoint`. Default: ``False``.
        crc_check (bool): Adds a checksum. Default: ``False``.

    Raises:
        TypeError: A name has something else.
    """
    entries = [(name, _content(name, *value)) for name, value in data_list.items()]
    _write_ckpt(ckpt_file_name, enc_key or b"", enc_mode, crc_check, entries)


def _content(name: str, dims, kind=None, data=None):
    if kind == "str":
        return str(data if isinstance(data, str) else np.asarray(data).reshape(-1)[0])
    if isinstance(data, bytes) and kind in tensor_to_np_type:
        data = np.frombuffer(data, tensor_to_np_type[kind])
    if not isinstance(data, (Tensor, np.ndarray)):
        raise TypeError(
            f"For '_exec_save', the entry '{name}' must be a list of lengths, type and Tensor or array, but "
            f"got {type(data).__name__}; whole networks are saved by mindspore.save_checkpoint."
        )
    tensor = data if isinstance(data, Tensor) else Tensor(data)
    return tensor.reshape(tuple(dims)) if len(dims) and tuple(dims) != tensor.shape else tensor


def _get_merged_param_data(net, parameter_layout_dict, param_name, param_data, integrated_save):
    """The whole of a parameter that other processes hold slices of; here nobody else holds any.

    Args:
        net (Cell): The network.
        parameter_layout_dict (dict): How parameters are cut, by name.
        param_name (str): The parameter.
        param_data (Tensor): What this process holds.
        integrated_save (bool): Whether slices are to be merged.

    Raises:
        NotImplementedError: The parameter is cut.
    """
    layout = parameter_layout_dict[param_name]
    is_cut = len(layout) >= 8 and (any(axis != -1 for axis in layout[1]) or bool(layout[5]))
    if is_cut and integrated_save:
        raise NotImplementedError(
            f"For '_get_merged_param_data', '{param_name}' is cut over devices, but {NOT_TOGETHER}."
        )
    return param_data
