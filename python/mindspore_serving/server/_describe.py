# SPDX-License-Identifier: Apache-2.0
"""`python -m mindspore_serving.server._describe DIRECTORY NAME DESCRIPTOR`: imports a servable_config.py and
writes to the descriptor, as JSON, what it declares, or {"error": text}. A process of its own, so that
whatever the file imports is gone again."""

import json
import os
import sys
import traceback

from mindspore_serving.server._config_module import import_config


def main(servable_directory, servable_name, descriptor):
    try:
        declared = import_config(servable_directory, servable_name)
        answer = declared.description(os.path.join(servable_directory, servable_name))
    except RuntimeError as error:
        traceback.print_exc()
        answer = {"error": str(error)}
    with os.fdopen(int(descriptor), "w", encoding="utf-8") as file:
        json.dump(answer, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
