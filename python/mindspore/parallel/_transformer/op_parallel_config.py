# SPDX-License-Identifier: Apache-2.0
"""In how many parts operators are cut: numbers that are kept and checked."""

from __future__ import annotations

__all__ = ["MoEParallelConfig", "OpParallelConfig"]


class _Config:
    """Settings that print as a list of themselves."""

    def __str__(self) -> str:
        lines = [f"{name.lstrip('_')}:{value}" for name, value in vars(self).items()]
        return "[ParallelConfig]\n" + "\n".join(lines) + "\n"


class Checked:
    """A setting of a configuration with one type: a positive number, or a yes or no.

    Args:
        kind (type): ``int`` or ``bool``.
    """

    def __init__(self, kind: type):
        self._kind, self._name = kind, ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance, owner=None):
        return self if instance is None else vars(instance)["_" + self._name]

    def __set__(self, instance, value) -> None:
        owner = type(instance).__name__
        if not isinstance(value, self._kind) or (self._kind is int and isinstance(value, bool)):
            raise TypeError(
                f"For '{owner}', the '{self._name}' must be {self._kind.__name__}, but got "
                f"{type(value).__name__}."
            )
        if self._kind is int and value <= 0:
            raise ValueError(f"For '{owner}', the '{self._name}' must be positive, but got {value}.")
        vars(instance)["_" + self._name] = value


class OpParallelConfig(_Config):
    """How batches and weights are cut.

    Args:
        data_parallel (int): Parts of a batch. Default: ``1``.
        model_parallel (int): Parts of a weight. Default: ``1``.
    """

    data_parallel = Checked(int)
    model_parallel = Checked(int)

    def __init__(self, data_parallel=1, model_parallel=1):
        self.data_parallel, self.model_parallel = data_parallel, model_parallel


class MoEParallelConfig(OpParallelConfig):
    """How batches, weights and experts are cut.

    Args:
        data_parallel (int): Parts of a batch. Default: ``1``.
        model_parallel (int): Parts of a weight. Default: ``1``.
        expert_parallel (int): Parts of the experts. Default: ``1``.
    """

    expert_parallel = Checked(int)

    def __init__(self, data_parallel=1, model_parallel=1, expert_parallel=1):
        super().__init__(data_parallel, model_parallel)
        self.expert_parallel = expert_parallel

    @property
    def dpmp(self) -> OpParallelConfig:
        """The settings without those of experts."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)


class _PipeLineConfig(_Config):
    """How a network is cut into stages.

    Args:
        pipeline_stage (int): Stages. Default: ``1``.
        micro_batch_num (int): Parts of a batch. Default: ``1``.
        pipeline_segment (int): Segments of a stage. Default: ``1``.
    """

    pipeline_stage = Checked(int)
    micro_batch_num = Checked(int)
    pipeline_segment = Checked(int)

    def __init__(self, pipeline_stage=1, micro_batch_num=1, pipeline_segment=1):
        self.pipeline_stage, self.micro_batch_num = pipeline_stage, micro_batch_num
        self.pipeline_segment = pipeline_segment


default_dpmp_config = OpParallelConfig()
default_moeparallel_config = MoEParallelConfig()
