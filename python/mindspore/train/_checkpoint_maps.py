# SPDX-License-Identifier: Apache-2.0
"""Map parameters in checkpoints."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mindspore import log as logger
from mindspore.common import dtype as mstype
from mindspore.experimental._map_rows import Export
from mindspore.experimental.map_parameter import MapParameter


@dataclass(frozen=True)
class StoredMap:
    """A map parameter, and what a file holds of it."""

    parameter: MapParameter
    content: Export

    def snapshot(self) -> StoredMap:
        """The same with arrays that nobody changes."""
        keys, values, states, moment = self.content
        return replace(self, content=Export(keys.copy(), values.copy(), states, moment))

    def arrays(self) -> list[tuple[str, list[int], np.ndarray]]:
        """Type, axes and content of keys, values and states."""
        return [(one.dtype.name, list(one.shape), np.ascontiguousarray(one)) for one in self.content[:3]]

    def note_saved(self) -> None:
        """The file is in place: what comes later is a change."""
        self.parameter._rows.note_exported(self.content.moment)


def with_maps_exported(entries: list[tuple], kind: str, is_incremental: bool) -> list[tuple]:
    """Entries of a file, where map parameters are what is stored of them.

    Raises:
        ValueError: The format cannot hold them.
    """
    result = []
    for name, value in entries:
        if isinstance(value, MapParameter):
            if kind != "ckpt":
                raise ValueError(
                    f"For 'save_checkpoint', the map parameter '{name}' cannot be saved in the format "
                    f"'{kind}': save it in the format 'ckpt', or leave it out with 'choice_func'."
                )
            value = StoredMap(value, value._export(is_incremental))
        result.append((name, value))
    return result


def load_map(parameter: MapParameter, value, name: str, strict_load: bool) -> None:
    """Gives a map parameter what a file holds.

    Raises:
        RuntimeError: That is no map, or has rows of another shape or of other types.
    """
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        raise RuntimeError(
            f"For 'load_param_into_net', {parameter.name} in the argument 'net' is a map parameter, but "
            f"{name} in the argument 'parameter_dict' is {value}. Load a file that was saved with the map."
        )
    keys, values, states = map(np.asarray, value)
    if values.shape[1:] != parameter.value_shape:
        raise RuntimeError(
            f"For 'load_param_into_net', the rows of {parameter.name} in the argument 'net' have shape "
            f"{parameter.value_shape}, but those of {name} in the argument 'parameter_dict' have shape "
            f"{values.shape[1:]}."
        )
    wanted = [np.dtype(mstype.dtype_to_nptype(one)) for one in (parameter.key_dtype, parameter.value_dtype)]
    for what, array, dtype in zip(("keys", "values"), (keys, values), wanted, strict=True):
        if array.dtype == dtype:
            continue
        if strict_load or array.dtype.kind != dtype.kind:
            raise RuntimeError(
                f"For 'load_param_into_net', the {what} of {parameter.name} in the argument 'net' have type "
                f"{dtype}, but those of {name} in the argument 'parameter_dict' have type {array.dtype}."
            )
        _check_range(array, dtype, name, what)
        logger.warning("The %s of %s are converted from %s to %s.", what, name, array.dtype, dtype)
    parameter.import_data((keys, values, states))


def _check_range(array: np.ndarray, dtype: np.dtype, name: str, what: str) -> None:
    if dtype.kind in "iu" and not np.array_equal(array.astype(dtype), array):
        raise RuntimeError(
            f"For 'load_param_into_net', the {what} of {name} in the argument 'parameter_dict' have numbers "
            f"that do not fit the type {dtype}."
        )
