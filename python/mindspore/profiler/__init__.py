# SPDX-License-Identifier: Apache-2.0
"""Measures of a run."""

from mindspore.profiler.profiling import EnvProfiler, Profiler, ProfilerLevel

__all__ = ["EnvProfiler", "Profiler", "ProfilerLevel"]
