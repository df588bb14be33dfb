# SPDX-License-Identifier: Apache-2.0
"""What a servable_config.py declares, found out by a process of its own."""

import json
import os
import subprocess
import sys

_SECONDS = 600


def describe(servable_directory, servable_name, log_file=None):
    """A dict as the server reads it. RuntimeError with what is wrong in the file, whose output is logged."""
    reading, writing = os.pipe()
    command = [
        sys.executable,
        "-m",
        "mindspore_serving.server._describe",
        servable_directory,
        servable_name,
        str(writing),
    ]
    output = subprocess.DEVNULL if log_file is None else open(log_file, "ab")  # noqa: SIM115
    try:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, pass_fds=[writing]
        )
    finally:
        os.close(writing)
        if log_file is not None:
            output.close()
    with os.fdopen(reading, encoding="utf-8") as file:
        answer = file.read()
    try:
        code = child.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        code = child.wait()
    if not answer:
        raise RuntimeError(
            f"import {servable_name}.servable_config failed, the process that did it ended with exit "
            f"status {code}"
        )
    description = json.loads(answer)
    if "error" in description:
        raise RuntimeError(description["error"])
    return description
