# SPDX-License-Identifier: Apache-2.0
"""The message of a model as functions of the user see it before it is written."""

from __future__ import annotations

_TEXTS = ("ir_version", "producer_name", "producer_version", "domain", "model_version", "doc_string")


class ModelMessage:
    """Head of a model: texts that may be set, and `user_info`, a dictionary of texts.

    Args:
        model (dict): The message.
    """

    def __init__(self, model: dict):
        entries = model.get("user_info", ())
        self.__dict__["_model"] = model
        self.__dict__["user_info"] = {entry["key"]: entry["value"] for entry in entries}

    def __getattr__(self, name: str):
        model = self.__dict__["_model"]
        if name in model:
            return model[name]
        if name in _TEXTS:
            return ""
        raise AttributeError(f"The model has no field '{name}'.")

    def __setattr__(self, name: str, value) -> None:
        if name not in _TEXTS:
            raise AttributeError(f"The field '{name}' cannot be set; {list(_TEXTS)} can.")
        if not isinstance(value, str):
            raise TypeError(f"The field '{name}' must be a str, but got {type(value).__name__}.")
        self._model[name] = value


def changed_by(change, model: dict) -> None:
    """Lets a function of the user change the head of a model.

    Raises:
        TypeError: It put something other than texts in.
    """
    message = ModelMessage(model)
    change(message)
    for key, value in message.user_info.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError(f"Keys and values of 'user_info' must be str, but got {key!r}: {value!r}.")
    if message.user_info:
        model["user_info"] = [{"key": key, "value": value} for key, value in message.user_info.items()]
