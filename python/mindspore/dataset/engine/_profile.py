# SPDX-License-Identifier: Apache-2.0
"""Where a pipeline spends its time."""

from __future__ import annotations

import json
import os
from typing import Any

from mindspore import log as logger

LATE_SECONDS = 25.0  # a row that takes longer is told of while it is awaited
_SLOW_S = 5.0  # a run shorter than this is not worth a warning


def stage_table(stream: Any) -> list[dict[str, Any]]:
    """One entry for every stage: rows, seconds at work over all threads, seconds others waited for it."""
    return [
        {"stage": name, "rows": rows, "busy_s": round(busy, 6), "wait_s": round(wait, 6)}
        for name, rows, busy, wait in stream.report()
    ]


def warn_about_slow_stage(stream: Any, dataset: Any, config: Any) -> None:
    """One warning when the reader waited most of the time."""
    table = stage_table(stream)
    write_autotune_file(table, dataset, config)
    output = table.pop()
    stages = [entry for entry in table if entry["busy_s"] > 0]
    if not stages or output["wait_s"] < _SLOW_S:
        return
    slowest = max(stages, key=lambda entry: entry["busy_s"])
    logger.warning(
        f"The reader waited {output['wait_s']:.1f} s for rows. The slowest stage is {slowest['stage']}: "
        f"{slowest['busy_s']:.1f} s for {slowest['rows']} rows, "
        f"{1e3 * slowest['busy_s'] / max(slowest['rows'], 1):.2f} "
        "ms a row. Give it more workers (num_parallel_workers), use native operations instead of Python "
        "functions there, or store its result (Dataset.save, cache)."
    )


def write_autotune_file(table: list[dict[str, Any]], dataset: Any, config: Any) -> None:
    """The pipeline and its figures as a file, when tuning was asked for; `deserialize` reads it.

    Without a name for the file the figures go to the log.
    """
    prefix = config._settings.autotune_prefix
    if not config.get_enable_autotune():
        return
    if not prefix:
        logger.info(f"Dataset AutoTune, figures of the stages: {json.dumps(table)}")
        return
    rank = os.environ.get("RANK_ID", "0")
    path = f"{prefix}_{rank}.json"
    if os.path.exists(path):
        logger.warning(
            f"File: <{path}> already exists. File will be overwritten with this data pipeline and its "
            "figures."
        )
    from .serializer_deserializer import serialize

    content = {
        "remark": "Written by Dataset AutoTune: figures of a run, and its pipeline as it was given.",
        "summary": table,
        "tree": serialize(dataset),
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=2)
