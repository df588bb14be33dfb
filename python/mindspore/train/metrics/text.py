# SPDX-License-Identifier: Apache-2.0
"""How close a translation comes to its references."""

from __future__ import annotations

from collections import Counter

import numpy as np

from mindspore import _checkparam as validator
from mindspore.train.metrics.metric import METRIC, Metric, rearrange_inputs


def _grams(words, longest: int) -> Counter:
    return Counter(tuple(words[i : i + n]) for n in range(1, longest + 1) for i in range(len(words) - n + 1))


@METRIC
class BleuScore(Metric):
    """BLEU: shared n-grams with the references, with a penalty for short candidates.

    Args:
        n_gram (int): The longest n-gram, 1 to 4.
        smooth (bool): Adds one to the counts of n-grams of every length.

    Raises:
        TypeError: An argument has another type.
        ValueError: `n_gram` is not from 1 to 4.
    """

    def __init__(self, n_gram=4, smooth=False):
        super().__init__()
        self.n_gram = validator.check_value_type("n_gram", n_gram, [int], "BleuScore")
        if not 1 <= n_gram <= 4:
            raise ValueError(
                f"For 'BleuScore', the argument 'n_gram' should range from 1 to 4, but got {n_gram}."
            )
        self.smooth = validator.check_value_type("smooth", smooth, [bool], "BleuScore")
        self.clear()

    def clear(self):
        self._matched = np.zeros(self.n_gram)
        self._offered = np.zeros(self.n_gram)
        self._lengths = np.zeros(2)
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs):
        """Counts n-grams.

        Args:
            inputs: A list of candidates (lists of words) and, for each, a list of references.

        Raises:
            ValueError: There are not two inputs, or their lengths differ.
        """
        candidates, references = self._take(inputs, 2, "candidate_corpus, reference_corpus")
        if len(candidates) != len(references):
            raise ValueError(
                "For 'BleuScore.update', candidate_corpus (input[0]) and reference_corpus (input[1]) must "
                f"have the same length, but got {len(candidates)} and {len(references)}."
            )
        for candidate, known in zip(candidates, references, strict=False):
            offered, best = _grams(candidate, self.n_gram), Counter()
            for reference in known:
                best |= _grams(reference, self.n_gram)
            for counts, grams in ((self._offered, offered), (self._matched, offered & best)):
                for gram, count in grams.items():
                    counts[len(gram) - 1] += count
            length = len(candidate)
            self._lengths += (length, min((len(r) for r in known), key=lambda n: abs(n - length)))
        self._is_update = True

    def eval(self):
        """The score."""
        self._require_update(self._is_update)
        if self._matched.min() == 0:
            return np.float64(0.0)
        extra = 1.0 if self.smooth else 0.0
        shares = (self._matched + extra) / (self._offered + extra)
        candidate, reference = self._lengths
        penalty = 1.0 if candidate > reference else np.exp(1 - reference / candidate)
        return penalty * np.exp(np.log(shares).mean())
