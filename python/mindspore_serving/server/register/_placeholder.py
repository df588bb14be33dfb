# SPDX-License-Identifier: Apache-2.0
"""What stands for a value while a method is registered."""


class _TensorDef:
    """An input of the method (stage 0), or a result of a stage, counted from 1."""

    def __init__(self, stage, index):
        self.stage = stage
        self.index = index

    def as_pair(self):
        return [self.stage, self.index]


def placeholders(stage, count):
    """A bare one where there is one, else a tuple."""
    made = tuple(_TensorDef(stage, index) for index in range(count))
    return made[0] if count == 1 else made


def sources_of(values, what):
    for value in values:
        if not isinstance(value, _TensorDef):
            raise RuntimeError(
                f"{what} is a placeholder for data and must come from the method inputs or the outputs "
                f"of add_stage, but got {type(value)}"
            )
    return [value.as_pair() for value in values]
