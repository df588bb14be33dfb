# SPDX-License-Identifier: Apache-2.0
"""Programs that run eagerly in Graph mode, and what the reason given must say."""

from __future__ import annotations

_UNSTEADY = "differ(s|) from call to call"

FALLBACKS = {
    "changed_objects.parameter_gets_another_shape_inside": "the shape of p in every call",
    "corners.hook_stores": "it changes the variable 'seen'",
    "corners.iterator_as_an_argument": "an iterator that can be used up only once",
    "corners.requires_grad_switched_inside": "it changes requires_grad of p in every call",
    "corners.seed_set_inside": "it calls set_seed",
    "corners.warns": "it calls warn",
    "corners.writes_to_stdout": "it calls StringIO.write",
    "effects.outer_list_grows": "it changes the global 'memory'",
    "sources.array_as_an_argument": "NumPy array",
    "sources.iterator_from_outside": "an iterator that can be used up only once",
    "sources.large_values_are_read": "Python reads the values of a tensor of shape",
    "sources.many_values_are_read": "Python reads a value that " + _UNSTEADY,
    "sources.numpy_global_random_numbers": "random numbers from NumPy, which " + _UNSTEADY,
    "sources.numpy_random_numbers": "which gives other numbers in every call",
    "sources.python_random_numbers": "Random.random, whose result " + _UNSTEADY,
    "sources.returns_a_closure": "it returns a function that was made while it ran",
    "sources.time_is_read": "it calls time, whose result " + _UNSTEADY,
    "state.AppendsToItsList": "it changes 'self.seen'",
}
