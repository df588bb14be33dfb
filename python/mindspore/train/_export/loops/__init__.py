# SPDX-License-Identifier: Apache-2.0
"""Loops whose number of turns depends on values, for files of networks.

`names` finds the variables of a loop in the syntax tree, `rewriting` makes functions in which loops are
calls, `running` makes such a call turn by turn in Python, `recorder` writes one turn down, with variables as
in `variables`.
"""
