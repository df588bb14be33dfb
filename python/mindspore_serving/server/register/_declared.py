# SPDX-License-Identifier: Apache-2.0
"""Everything one servable_config.py declares. A process imports one such file."""

from dataclasses import dataclass, field


@dataclass
class StageFunction:
    """A Python function that is a stage of methods."""

    function: object
    inputs_count: int
    outputs_count: int
    takes_batches: bool  # a tuple of instances instead of one
    reused: set = field(default_factory=set)  # places of inputs that are used behind it, too


@dataclass
class Declarations:
    """Models, functions and methods in the order of their declaration."""

    servable_name: str = ""
    models: list = field(default_factory=list)
    functions: list = field(default_factory=list)
    methods: list = field(default_factory=list)  # as the server reads them

    def description(self, folder):
        """What the server has to know of the servable."""
        return {
            "name": self.servable_name,
            "folder": folder,
            "models": [model.description() for model in self.models],
            "functions": [stage.function.__name__ for stage in self.functions],
            "methods": self.methods,
        }


declared = Declarations()
