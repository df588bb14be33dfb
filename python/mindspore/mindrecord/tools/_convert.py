# SPDX-License-Identifier: Apache-2.0
"""What the converters do alike: rows from somewhere, in batches, to a new set."""

import functools
import itertools
import pickle
import warnings

from mindspore import _c_data
from mindspore.mindrecord.filewriter import FileWriter
from mindspore.mindrecord.shardutils import SUCCESS, check_filename

_BIG_HEADER = 1 << 24
_BIG_PAGE = 1 << 26
_BATCH = 256


def write_set(destination, schema, rows, *, description="", index=None, partitions=None):
    """Writes rows to a new set; returns SUCCESS. Sets in a given number of files have room for big rows."""
    writer = FileWriter(destination, 1 if partitions is None else partitions)
    if partitions is not None:
        writer.set_header_size(_BIG_HEADER)
        writer.set_page_size(_BIG_PAGE)
    writer.add_schema(schema, description)
    if index:
        writer.add_index(index)
    rows = iter(rows)
    while batch := list(itertools.islice(rows, _BATCH)):
        writer.write_raw_data(batch)
    writer.commit()
    return SUCCESS


def check_path(path, name):
    """A string that is not empty."""
    if not isinstance(path, str):
        raise ValueError(f"The parameter {name} must be str.")
    if not path:
        raise ValueError(f"The parameter {name} must not be empty.")


def check_destination(path):
    """What can be the name of a file."""
    check_path(path, "destination")
    check_filename(path)


def check_partitions(number):
    """An integer; its range is the writer's matter."""
    if not isinstance(number, int) or isinstance(number, bool):
        raise ValueError("The parameter partition_number must be int")


def encode_jpeg(image):
    """The picture, height x width x channels, as JPEG of quality 95."""
    return _c_data.encode_jpeg(image, 95).tobytes()


class _ArrayUnpickler(pickle.Unpickler):
    """Takes arrays, and nothing that could run."""

    _ALLOWED = {
        ("numpy.core.multiarray", "_reconstruct"),
        ("numpy._core.multiarray", "_reconstruct"),
        ("numpy", "ndarray"),
        ("numpy", "dtype"),
        ("_codecs", "encode"),
        ("numpy.core.multiarray", "scalar"),
        ("numpy._core.multiarray", "scalar"),
    }

    def find_class(self, module, name):
        if (module, name) not in self._ALLOWED:
            raise pickle.UnpicklingError(f"'{module}.{name}' has no place in a file of pictures.")
        return super().find_class(module, name)


def read_pickle(path):
    """A pickled file of arrays, as the CIFAR sets come. Names are bytes."""
    with open(path, "rb") as file:
        try:
            return _ArrayUnpickler(file, encoding="bytes").load()
        except (pickle.UnpicklingError, EOFError, ValueError, KeyError, IndexError) as error:
            raise RuntimeError(f"The file {path} is not a CIFAR file: {error}") from None


def deprecated_run(transform):
    """`run` , the old name of `transform` ."""

    @functools.wraps(transform)
    def run(self, *args, **kwargs):
        warnings.warn("'run' is the old name of 'transform'.", DeprecationWarning, stacklevel=2)
        return transform(self, *args, **kwargs)

    run.__doc__ = "The old name of `transform` ."
    return run
