# SPDX-License-Identifier: Apache-2.0
"""Prints a Markdown table of all operators: names, inputs, attributes, gradients, devices.

Usage: python tools/generate/operator_table.py > operators.md
"""

from __future__ import annotations

from mindspore import _c_expression

_HEAD = (
    "| operator | primitive | function | method | inputs | attributes | gradient | devices |",
    "|---|---|---|---|---|---|---|---|",
)


def names(operator: dict, kind: str) -> str:
    """All spellings of one form of the operator."""
    first = [operator[kind]] if operator[kind] else []
    return ", ".join(first + operator[f"{kind}_aliases"])


def attribute_text(attribute: dict) -> str:
    """`name` or `name=default`."""
    return attribute["name"] if attribute["required"] else f"{attribute['name']}={attribute['default']!r}"


def row(operator: dict) -> str:
    """One line of the table."""
    inputs = [
        ("*" if entry["variadic"] else "") + entry["name"] + ("?" if entry["optional"] else "")
        for entry in operator["inputs"]
    ]
    cells = (
        f"`{operator['name']}`",
        names(operator, "primitive"),
        names(operator, "function"),
        names(operator, "method"),
        ", ".join(inputs),
        ", ".join(map(attribute_text, operator["attributes"])),
        "yes" if operator["differentiable"] else "no",
        ", ".join(operator["platforms"]),
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def main() -> None:
    every = sorted(entry["name"] for entry in _c_expression.operators())
    print(*_HEAD, *(row(_c_expression.describe_operator(name)) for name in every), sep="\n")


if __name__ == "__main__":
    main()
