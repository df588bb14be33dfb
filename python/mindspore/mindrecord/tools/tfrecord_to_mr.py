# SPDX-License-Identifier: Apache-2.0
"""TFRecord files to MindRecord. TensorFlow is not needed: the files are read here."""

import string
import struct

import numpy as np

from mindspore.mindrecord.tools._convert import check_destination, check_path, deprecated_run, write_set

__all__ = ["TFRecordToMR"]

_TYPES = {"int64": "int64", "int32": "int32", "float32": "float32", "float64": "float64"}
_INVALID = str.maketrans({mark: "_" for mark in string.punctuation + " " if mark != "_"})


class TFRecordToMR:
    """Converts a TFRecord file of examples to MindRecord.

    Args:
        source (str): The TFRecord file.
        destination (str): The file to write.
        feature_dict (dict[str, FixedLenFeature]): What every feature is: anything that has a `shape` (a list,
            empty or [1] for one value) and a `dtype` (int64, float32, string).
        bytes_fields (list[str], optional): String features that become bytes. Default: ``None`` .

    Raises:
        ValueError: An argument cannot be used.

    Examples:
        >>> from types import SimpleNamespace as Feature
        >>> from mindspore.mindrecord import TFRecordToMR
        >>> features = {"label": Feature(shape=[], dtype="int64"), "image": Feature(shape=[], dtype="string")}
        >>> converter = TFRecordToMR("a.tfrecord", "a.mindrecord", features, ["image"])
        >>> status = converter.transform()  # doctest: +SKIP
    """

    def __init__(self, source, destination, feature_dict: dict, bytes_fields=None):
        check_path(source, "source")
        check_destination(destination)
        if bytes_fields is not None and (
            not isinstance(bytes_fields, list) or any(not isinstance(name, str) for name in bytes_fields)
        ):
            raise ValueError("Parameter bytes_fields must be list of str.")
        if not isinstance(feature_dict, dict) or not feature_dict:
            raise ValueError("Parameter feature_dict must be a dict that is not empty.")
        self.source = source
        self.destination = destination
        self.feature_dict = feature_dict
        self.bytes_fields = bytes_fields or []
        self._features = {name: _Feature(name, given) for name, given in feature_dict.items()}
        self.list_set = {name for name, feature in self._features.items() if feature.is_list}
        for name in self.bytes_fields:
            if name not in self._features or self._features[name].type != "string":
                raise ValueError(f"Parameter bytes_fields: '{name}' must be a feature of type string.")
        self.mindrecord_schema = self._schema()

    def tfrecord_iterator(self):
        """Gives the examples of the file one by one.

        Returns:
            Generator of dict: the values by the names of the features.

        Raises:
            ValueError: An example has another number of values than its feature says.
            RuntimeError: The file is damaged.
        """
        for number, record in enumerate(_records(self.source)):
            example = _parse_example(record, f"{self.source}, record {number}")
            row = {}
            for name, feature in self._features.items():
                if name not in example:
                    raise ValueError(f"{self.source}, record {number}: the feature '{name}' is missing.")
                row[name] = feature.value(example[name], name in self.bytes_fields)
            yield row

    def tfrecord_iterator_oldversion(self):
        """The same as :func:`tfrecord_iterator` , for files that old releases of TensorFlow wrote."""
        return self.tfrecord_iterator()

    def transform(self):
        """Writes the file.

        Returns:
            MSRStatus, SUCCESS.

        Raises:
            ValueError: An example does not fit the features.
            RuntimeError: The file cannot be read, or the new one exists already.
        """
        rows = ({_field(name): value for name, value in row.items()} for row in self.tfrecord_iterator())
        return write_set(self.destination, self.mindrecord_schema, rows, description="TFRecord to MindRecord")

    def _schema(self):
        schema = {}
        for name, feature in self._features.items():
            kind = "bytes" if name in self.bytes_fields else feature.type
            schema[_field(name)] = {"type": kind} | ({"shape": feature.shape} if feature.is_list else {})
        return schema

    run = deprecated_run(transform)


def _field(name):
    """A name that MindRecord takes."""
    return name.translate(_INVALID)


class _Feature:
    """What the user said of a feature."""

    def __init__(self, name, given):
        shape, kind = getattr(given, "shape", None), getattr(given, "dtype", None)
        if kind is None or shape is None:
            raise ValueError(f"Parameter feature_dict: '{name}' needs a 'shape' and a 'dtype'.")
        kind = getattr(kind, "name", None) or getattr(kind, "__name__", None) or str(kind)
        self.name = name
        self.type = {"str": "string", "bytes": "string"}.get(kind, _TYPES.get(kind, kind))
        if self.type != "string" and self.type not in _TYPES:
            raise ValueError(f"Parameter feature_dict: the type {kind} of '{name}' is not supported.")
        self.shape = list(shape) if hasattr(shape, "__iter__") else [int(shape)]
        count = int(np.prod(self.shape)) if self.shape else 1
        self.is_list = bool(self.shape) and self.shape != [1]
        if self.is_list and self.type == "string":
            raise ValueError(
                f"Parameter feature_dict: '{name}' of type string must be one value, not {self.shape}."
            )
        self.count = count

    def value(self, values, as_bytes):
        if len(values) != self.count:
            raise ValueError(
                f"The feature '{self.name}' has {len(values)} values, but {self.count} were expected."
            )
        if self.type == "string":
            if not isinstance(values[0], bytes):
                raise ValueError(f"The feature '{self.name}' holds numbers, but strings were expected.")
            if as_bytes:
                return values[0]
            try:
                return values[0].decode("utf-8")
            except UnicodeDecodeError:
                raise ValueError(
                    f"The feature '{self.name}' holds bytes that are no text: name it in 'bytes_fields'."
                ) from None
        if isinstance(values[0], bytes):
            raise ValueError(f"The feature '{self.name}' holds strings, but numbers were expected.")
        if self.is_list:
            return np.array(values, self.type).reshape(self.shape)
        return int(values[0]) if self.type.startswith("int") else float(values[0])


def _records(path):
    """Payloads of a TFRecord file: length, its check sum, the payload and its check sum."""
    with open(path, "rb") as file:
        file.seek(0, 2)
        end = file.tell()
        file.seek(0)
        while head := file.read(12):
            length = struct.unpack("<Q", head[:8])[0] if len(head) == 12 else end
            if length > end - file.tell() - 4:
                raise RuntimeError(f"The file {path} is cut short at byte {file.tell() - len(head)}.")
            yield file.read(length)
            file.seek(4, 1)


def _fields(message, where):
    """(number, kind, value) of a protocol buffer message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while at < len(message) and shift < 70:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
        raise RuntimeError(f"{where}: a number is cut short at byte {at}.")

    def take(length):
        nonlocal at
        if length > len(message) - at:
            raise RuntimeError(
                f"{where}: {length} bytes were expected at byte {at}, {len(message) - at} are left."
            )
        at += length
        return message[at - length : at]

    while at < len(message):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, kind, varint()
        elif kind == 2:
            yield key >> 3, kind, take(varint())
        elif kind in (1, 5):
            yield key >> 3, kind, take(8 if kind == 1 else 4)
        else:
            raise RuntimeError(f"{where}: a field of kind {kind} is not part of an example.")


def _parse_list(number, message, where):
    """BytesList, FloatList or Int64List, packed or not."""
    values = []
    for _, kind, value in _fields(message, where):
        if number == 1:
            values.append(bytes(value))
        elif number == 2:
            values += struct.unpack(f"<{len(value) // 4}f", value[: len(value) // 4 * 4])
        else:
            packed = [value] if kind == 0 else _varints(value, where)
            values += [whole - (1 << 64) if whole >> 63 else whole for whole in packed]
    return values


def _varints(message, where):
    at = 0
    while at < len(message):
        value = shift = 0
        while True:
            if at >= len(message) or shift > 63:
                raise RuntimeError(f"{where}: a number is cut short.")
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        yield value & (1 << 64) - 1


def _parse_example(record, where):
    """The lists of values of an example by the names of its features."""
    example = {}
    for number, _, features in _fields(record, where):
        if number != 1:
            continue
        for _, _, entry in _fields(features, where):
            parts = {key: value for key, _, value in _fields(entry, where)}
            lists = list(_fields(parts.get(2, b""), where))
            if 1 in parts and lists:
                example[bytes(parts[1]).decode("utf-8")] = _parse_list(lists[0][0], lists[0][2], where)
    return example
