"""Evidence for a question out of many meetings at once, within one budget.

Each turn is worth what the ranker of evidence expects it to tell, if its meeting is the one that is asked
about, times the chance that it is. So a sure meeting gets the whole budget, and two likely ones share it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from context.models import Utterance
from context.retrieval.evidence import rank
from context.retrieval.lexical import Floats, LexicalIndex

_MEETINGS: Final = 4
_MISSES: Final = 15


def evidence_across(
    question: str,
    chances: Mapping[str, float],
    meetings: Mapping[str, tuple[Sequence[Utterance], LexicalIndex]],
    *,
    budget_tokens: int,
    count: Callable[[str], int],
    close: Callable[[str], Floats | None] = lambda _meeting: None,
) -> dict[str, list[int]]:
    """Places (from 0) of the turns to show, by meeting; each line costs its speaker's name and its text.

    `chances`: of each meeting to be the one; the likeliest four are looked into. `close`: by meeting how
    near each utterance's passage is to the question (`dense.per_utterance`).
    """
    likeliest = sorted(chances, key=lambda meeting: -chances[meeting])[:_MEETINGS]
    offers: list[tuple[float, str, int, int]] = []
    for meeting in likeliest:
        utterances, index = meetings[meeting]
        ranked = rank(question, index, len(utterances), over=True, close=close(meeting))
        sizes = index.sizes(len(utterances))[ranked.places]
        expected = np.exp(ranked.scores - ranked.scores.max()) * sizes
        worth = chances[meeting] * expected / max(1e-9, float(expected.sum()))
        for place, value, size in zip(ranked.places, worth, sizes, strict=True):
            offers.append((float(value) / (float(size) + 2), meeting, int(place), int(size)))
    offers.sort(reverse=True)
    shown: dict[str, list[int]] = {}
    left, misses = budget_tokens, 0
    for _, meeting, place, _ in offers:
        said = meetings[meeting][0][place]
        tokens = count(f"{said.speaker_name}: {said.text}\n")
        if tokens > left:
            misses += 1
            if misses > _MISSES:
                break
            continue
        misses = 0
        left -= tokens
        shown.setdefault(meeting, []).append(place)
    return {meeting: sorted(places) for meeting, places in shown.items()}
