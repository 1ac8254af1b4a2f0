"""Training of whether a sentence asks, by its words: those who write question marks teach it for those who don't.

A small speech engine writes no marks, and "how many do we need" asks all the same. Learnt from sentences that
somebody has ended with a mark; none of the features sees the mark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final
from warnings import catch_warnings, simplefilter

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

_MARKS: Final = re.compile(r"[?!.]+")
_STRENGTH: Final = 12.0
_PASSES: Final = 60


def unmarked(texts: Sequence[str]) -> list[str]:
    """The texts without the marks that end sentences."""
    return [_MARKS.sub("", text) for text in texts]


def learn(
    texts: Sequence[str], table: sp.csr_matrix, fold: NDArray[np.int64]
) -> tuple[NDArray[np.float64], LogisticRegression, float]:
    """The log odds that each sentence asks, by weights that had not seen its fold, and the weights of all.

    `table`: the features of the texts without their marks [texts, features]. Last: how well marked sentences
    are told apart (area under the ROC curve).
    """
    ends = np.array([bool(_MARKS.search(text.rstrip()[-1:])) for text in texts])
    asks = np.array(["?" in text for text in texts])

    def fit(use: Any) -> LogisticRegression:
        learnt = LogisticRegression(
            C=_STRENGTH, max_iter=_PASSES, solver="liblinear", dual=True, random_state=1
        )
        with catch_warnings():
            simplefilter("ignore", ConvergenceWarning)
            return learnt.fit(table[use], asks[use])

    held = np.zeros(len(texts))
    for number in sorted(set(fold.tolist())):
        held[fold == number] = fit(ends & (fold != number)).decision_function(table[fold == number])
    return held, fit(ends), float(roc_auc_score(asks[ends], held[ends]))
