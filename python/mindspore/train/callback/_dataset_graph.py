# SPDX-License-Identifier: Apache-2.0
"""A data pipeline as a message of lineage files."""

from __future__ import annotations

from mindspore.train import _protobuf as pb

# Fields of the message that holds the arguments of an operation, by the type of the value.
_TEXT, _TEXTS, _TRUTH, _WHOLE, _REAL = range(1, 6)


def _parameters(arguments: dict) -> bytes:
    groups: dict[int, list] = {}
    for name, value in arguments.items():
        if isinstance(value, bool):
            groups.setdefault(_TRUTH, []).append((name, pb.integer(2, value)))
        elif isinstance(value, int) and -(2**31) <= value < 2**31:
            groups.setdefault(_WHOLE, []).append((name, pb.integer(2, value)))
        elif isinstance(value, float):
            groups.setdefault(_REAL, []).append((name, pb.double(2, value)))
        elif isinstance(value, str):
            groups.setdefault(_TEXT, []).append((name, pb.block(2, value)))
        elif isinstance(value, (list, tuple)) and value and all(isinstance(part, str) for part in value):
            texts = b"".join(pb.block(1, part) for part in value)
            groups.setdefault(_TEXTS, []).append((name, pb.block(2, texts)))
    return b"".join(pb.mapping(field, entries) for field, entries in sorted(groups.items()))


def _graph(node: dict) -> bytes:
    arguments = {
        key: value for key, value in node.items() if key not in ("children", "operations", "sampler")
    }
    parts = [pb.block(1, _graph(child)) for child in node.get("children") or ()]
    parts.append(pb.block(2, _parameters(arguments)))
    parts += [pb.block(3, pb.block(1, _parameters(operation))) for operation in node.get("operations") or ()]
    if isinstance(node.get("sampler"), dict):
        parts.append(pb.block(4, pb.block(1, _parameters(node["sampler"]))))
    return b"".join(parts)


class DatasetGraph:
    """Describes data pipelines for lineage files."""

    def package_dataset_graph(self, dataset):
        """The pipeline as a message: its operations, from the last to the sources.

        Args:
            dataset (Dataset): The pipeline.

        Returns:
            bytes, a DatasetGraph message.
        """
        from mindspore.dataset import serialize

        return _graph(serialize(dataset))

    @staticmethod
    def get_dataset_path(dataset) -> str:
        """Folder or first file of the source of a pipeline; empty where there is none.

        Args:
            dataset (Dataset): The pipeline.
        """
        from mindspore.dataset import serialize

        node = serialize(dataset)
        while node.get("children"):
            node = node["children"][0]
        for name in ("dataset_dir", "dataset_file", "dataset_files", "annotation_file"):
            value = node.get(name)
            value = value[0] if isinstance(value, (list, tuple)) and value else value
            if isinstance(value, str):
                return value
        return ""
