# SPDX-License-Identifier: Apache-2.0
"""Reads the messages of event files: ``Event.FromString(bytes)`` gives an object whose fields are attributes.

A field that is absent is 0, an empty text or an empty message; a repeated one is a list.
"""

from __future__ import annotations

import struct

from mindspore.train._protobuf import fields_of

# By message: number, name, type; a star marks a repeated field, and `p` one whose numbers are packed.
_MESSAGES = {
    "Event": "1 wall_time double, 2 step int, 3 version str, 4 graph_def GraphProto, 5 summary Summary",
    "Summary": "1 value Value*",
    "Value": (
        "1 tag str, 3 scalar_value float, 4 image Image, 8 tensor TensorProto, 9 histogram Histogram, "
        "10 loss_landscape LossLandscape"
    ),
    "Image": "1 height int, 2 width int, 3 colorspace int, 4 encoded_image bytes",
    "Histogram": (
        "1 buckets Bucket*, 2 nan_count int, 3 pos_inf_count int, 4 neg_inf_count int, 5 max double, "
        "6 min double, 7 sum double, 8 count int"
    ),
    "Bucket": "1 left double, 2 width double, 3 count int",
    "TensorProto": "1 dims int*, 2 data_type int, 3 float_data float*p",
    "LossLandscape": (
        "1 landscape Point, 2 loss_path LossPath, 3 metadata Metadata, 4 convergence_point Point"
    ),
    "Point": "1 x TensorProto, 2 y TensorProto, 3 z TensorProto",
    "LossPath": "1 intervals int*, 2 points Point",
    "Metadata": "1 decomposition str, 2 unit str, 3 step_per_epoch int",
    "GraphProto": "1 node NodeProto*, 2 name str, 3 parameters ParameterProto*",
    "NodeProto": "1 input InputProto*, 2 name str, 3 op_type str, 4 scope str, 8 full_name str",
    "InputProto": "1 name str, 2 type int",
    "ParameterProto": "1 name str",
}
_NUMBERS = {
    "int": (0, lambda value: value - (1 << 64) if value >> 63 else value),
    "double": (0.0, lambda value: struct.unpack("<d", value)[0]),
    "float": (0.0, lambda value: struct.unpack("<f", value)[0]),
    "str": ("", lambda value: value.decode()),
    "bytes": (b"", lambda value: value),
}


class Message:
    """A message with its fields as attributes."""

    _fields: dict[int, tuple[str, str]] = {}

    def __init__(self):
        for name, kind in self._fields.values():
            if "*" in kind:
                setattr(self, name, [])
            elif kind in _NUMBERS:
                setattr(self, name, _NUMBERS[kind][0])

    def __getattr__(self, name: str):
        for field, kind in self._fields.values():
            if field == name:
                return globals()[kind]()
        raise AttributeError(f"the message '{type(self).__name__}' has no field '{name}'")

    @classmethod
    def FromString(cls, content: bytes) -> Message:  # noqa: N802
        """The message that the bytes hold.

        Args:
            content (bytes): The bytes.

        Raises:
            ValueError: They are not a message.
        """
        message = cls()
        for number, value in fields_of(content):
            if number in cls._fields:
                message._take(*cls._fields[number], value)
        return message

    def _take(self, name: str, kind: str, value) -> None:
        kind, star, packed = kind.partition("*")
        if packed and isinstance(value, bytes) and len(value) != 4:
            getattr(self, name).extend(struct.unpack(f"<{len(value) // 4}f", value))
            return
        value = _NUMBERS[kind][1](value) if kind in _NUMBERS else globals()[kind].FromString(value)
        if star:
            getattr(self, name).append(value)
        else:
            setattr(self, name, value)


def _define() -> None:
    for name, text in _MESSAGES.items():
        rows = (entry.split() for entry in text.split(","))
        fields = {int(number): (field, kind) for number, field, kind in rows}
        globals()[name] = type(name, (Message,), {"_fields": fields, "__doc__": f"The message '{name}'."})


_define()
