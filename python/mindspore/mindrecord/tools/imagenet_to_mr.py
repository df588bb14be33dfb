# SPDX-License-Identifier: Apache-2.0
"""ImageNet to MindRecord."""

import os

from mindspore import log
from mindspore.mindrecord.tools._convert import (
    check_destination,
    check_partitions,
    check_path,
    deprecated_run,
    write_set,
)

__all__ = ["ImageNetToMR"]

_SCHEMA = {"label": {"type": "int32"}, "image": {"type": "bytes"}, "file_name": {"type": "string"}}


class ImageNetToMR:
    """Converts ImageNet to MindRecord: fields label, image (the file as it is) and file_name.

    Args:
        map_file (str): A text file with a line for every class: the number and the name of its folder.
        image_dir (str): The folder with the folders of the classes.
        destination (str): The file to write.
        partition_number (int, optional): Number of files. Default: ``1`` .

    Raises:
        ValueError: An argument is of the wrong type, or empty.

    Examples:
        >>> from mindspore.mindrecord import ImageNetToMR
        >>> converter = ImageNetToMR("labels_map.txt", "images", "imagenet.mindrecord")  # doctest: +SKIP
        >>> status = converter.transform()  # doctest: +SKIP
    """

    def __init__(self, map_file, image_dir, destination, partition_number=1):
        check_path(map_file, "map_file")
        check_path(image_dir, "image_dir")
        check_destination(destination)
        check_partitions(partition_number)
        self.map_file = map_file
        self.image_dir = image_dir
        self.destination = destination
        self.partition_number = partition_number

    def transform(self):
        """Writes the files.

        Returns:
            MSRStatus, SUCCESS.

        Raises:
            RuntimeError: The map cannot be read, or the files exist already.
        """
        return write_set(
            self.destination,
            _SCHEMA,
            self._rows(),
            description="img_schema",
            index=["label", "file_name"],
            partitions=self.partition_number,
        )

    def _rows(self):
        for label, folder in self._classes():
            path = os.path.join(self.image_dir, folder)
            if not os.path.isdir(path):
                log.warning("There is no folder %s.", path)
                continue
            for name in sorted(os.listdir(path)):
                file = os.path.join(path, name)
                if not os.path.isfile(file):
                    continue
                with open(file, "rb") as image:
                    yield {"label": label, "image": image.read(), "file_name": name}

    def _classes(self):
        with open(self.map_file, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                words = line.split()
                if not words:
                    continue
                if len(words) < 2 or not words[0].isdecimal():
                    raise RuntimeError(
                        f"{self.map_file}, line {number}: a number and a folder were expected."
                    )
                yield int(words[0]), words[1]

    run = deprecated_run(transform)
