# SPDX-License-Identifier: Apache-2.0
"""Loops whose number of turns depends on values, as one node each.

For compiled functions: `looks` finds loops that look at values again and again, `exchange` gives their
functions code that tries a loop as a whole first, `whole_loops` is what such code calls, `attempt` records
one turn on all its ways, with variables as in `carried` and `loop_number`; `trial` sees to it that nothing
else comes of that.

For files: `rewriting` makes functions in which loops are calls, `running` makes such a call turn by turn in
Python, `recorder` writes one turn down, with variables as in `variables`.

`names` finds the variables of a loop in the syntax tree, for both.
"""
