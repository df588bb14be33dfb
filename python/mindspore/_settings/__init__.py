# SPDX-License-Identifier: Apache-2.0
"""One table of everything that can be set: what works, what is harmless here, what is refused.

A name is accepted because it stands in the table; there is no other list. `docs/guide/settings.md` is the
table as a page, and `tests/settings` compare it with what the package really reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mindspore._settings.family import Family, Store


def settings_of_the_process() -> list[Store]:
    """The families whose values belong to the process as a whole."""
    from mindspore._settings import context_keys, parallel_keys

    return [
        context_keys.CONTEXT,
        parallel_keys.AUTO_PARALLEL,
        parallel_keys.PARAMETER_SERVER,
        parallel_keys.OFFLOAD,
        parallel_keys.ALGORITHM,
        parallel_keys.COST_MODEL,
    ]


def families() -> list[Family]:
    """The whole table, family by family, in the order of the page."""
    from mindspore._settings import argument_keys as arguments
    from mindspore._settings import environment, pipeline_keys

    return [
        *settings_of_the_process(),
        arguments.MODEL,
        arguments.RUNNING_A_MODEL,
        arguments.LAYOUTS_OF_A_MODEL,
        arguments.MIXED_PRECISION,
        arguments.OPTIMIZERS,
        arguments.JIT,
        arguments.JIT_CONFIG,
        arguments.PIJIT,
        arguments.DUMP,
        arguments.PROFILER,
        arguments.CHECKPOINTS,
        arguments.CELL,
        arguments.PRIMITIVE,
        arguments.PARAMETER,
        pipeline_keys.PIPELINES,
        pipeline_keys.SETTINGS_FILE,
        arguments.MAP,
        environment.ENVIRONMENT,
    ]
