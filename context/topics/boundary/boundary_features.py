"""What a candidate for the beginning of a topic looks like, as a row of numbers (its features).

Two steps: `describe` says what was talked about before and after it, who talked and how much;
`surroundings` says how it stands out among its neighbours, once these are described too.

In the names of features A is after the candidate and B before it, with a number of utterances; `len-1` is of
the utterance before it. `l6_24` is how alike the 6 utterances after it and the 24 before it are by their
words, `s6_24` by the meaning of these, `lw40` and `sw40` likewise for some 40 content words on each side.
In the code `p` is the candidate's place in the lists of `UtteranceWindow`, `a…` an end after it, `b…` a start
before it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from context.topics.boundary.chains import Chains
from context.topics.boundary.talk_likeness import Likeness
from context.topics.boundary.utterance_window import UtteranceWindow

AHEAD_UTTERANCES: Final = 24
"""Utterances heard from a candidate on (itself included) before it is described."""
STEP_UTTERANCES: Final = 2
"""Every second utterance is a candidate: half of the work is done at the others."""
AROUND_UTTERANCES: Final = 8
"""A candidate is compared with those within so many utterances on each side."""
BEHIND_UTTERANCES: Final = 24
"""And with those up to so many utterances before it."""
_SIZES_AFTER: Final = (6, 12, 24)
_SIZES_BEFORE: Final = (6, 12, 24, 48, 120)
"""Lengths, in utterances, of the stretches after and before a candidate."""
_FAR_UTTERANCES: Final = 120
_SHORT_WEIGHT: Final = 40 * 8
_LONG_WEIGHT: Final = 120 * 8
"""Stretches measured by the weight of their words: some 40, 120 and 360 of them."""
_PAIRS: Final = ((6, 6), (6, 24), (12, 12), (12, 48), (24, 24), (24, 48), (24, 120))
"""The stretches that are compared: after the candidate, before it."""
_WORD_PAIRS: Final = (("40", 8, 10), ("120", 9, 11), ("40l", 8, 11), ("120l", 9, 12))
"""Name, and the two stretches by their place among the ends that `describe` lists."""
_COMPARED_SIZES: Final = tuple(
    zip(
        *((_SIZES_AFTER.index(a), len(_SIZES_AFTER) + _SIZES_BEFORE.index(b)) for a, b in _PAIRS),
        *((a, b) for _, a, b in _WORD_PAIRS),
        strict=True,
    )
)
"""Which stretches are compared, one side and the other. Three end after the candidate, five before it;
then, by weight, two after and three before."""
_SPEAKER_SPANS: Final = (6, 12, 24)
"""Utterances on each side whose speakers are compared."""

NAMES: Final = (
    *(f"{kind}{a}_{b}" for kind in "ls" for a, b in _PAIRS),
    *(f"{kind}w{name}" for kind in "ls" for name, _, _ in _WORD_PAIRS),
    *("aw40", "aw120", "bw40", "bw120"),
    *(f"{what}A{k}" for k in _SIZES_AFTER for what in ("fresh", "begun", "ended", "unheard", "adopted")),
    *(f"{what}B{k}" for k in (12, 24, 48) for what in ("fresh", "begun", "ended", "unheard")),
    "adopted_here",
    *(f"len{d}" for d in (-2, -1, 0, 1, 2)),
    *(f"ask{d}" for d in (-1, 0)),
    "askA6",
    "askB6",
    *(f"turn{side}{k}" for k in _SIZES_AFTER for side in "AB"),
    "turn",
    *("maxA3", "maxB3", "maxA6", "maxB6"),
    *("place", "words"),
    *("cue-1", "cue0", "cue1", "weak", "opening", "strong"),
    *(f"voices{k}" for k in _SPEAKER_SPANS),
    *("leadA", "leadB", "new_lead", "voicesA", "voicesB", "opener_leads", "same"),
    *(f"{what}{d}" for d in (0, 1) for what in ("share", "turns", "usual", "away", "opener")),
    *("away3", "openerA4", "openerB3"),
)
"""The names of what `describe` gives, in order."""
CURVES: Final = (
    *("l12_12", "l24_24", "s12_12", "s24_24", "lw40", "lw120", "sw40", "sw120"),
    *("adoptedA24", "unheardA24"),
)
"""Features whose course from candidate to candidate tells something: a beginning is a dip or a peak."""
CURVE_PLACES: Final = tuple(NAMES.index(name) for name in CURVES)
_PEAKS: Final = (8, 9)
"""Places of those that are highest at a beginning (new words); the others, likeness, are lowest there."""
SURROUNDING_FEATURES: Final = tuple(f"{what}_{name}" for what in ("dip", "fall", "rel") for name in CURVES)
"""The names of what `surroundings` gives, in order."""


def describe(at: int, window: UtteranceWindow, likeness: Likeness, chains: Chains) -> list[float]:
    """The features `NAMES` of the candidate at utterance `at`, from what has been heard.

    At most `AHEAD_UTTERANCES` utterances from it on count. All three hold the same utterances, and `at` among
    them.
    """
    first, newest = window.first, window.newest
    p = at - first
    weights = window.weights
    here = weights[p]
    end = min(p + AHEAD_UTTERANCES, newest + 1 - first)
    a6, a12 = min(p + 6, end), min(p + 12, end)
    far = max(0, p - _FAR_UTTERANCES)
    b6, b12, b24, b48 = max(0, p - 6), max(0, p - 12), max(0, p - 24), max(0, p - 48)
    short = max(p + 1, min(bisect_left(weights, here + _SHORT_WEIGHT, p), end))
    long = max(p + 1, min(bisect_left(weights, here + _LONG_WEIGHT, p), end))
    s40 = max(far, bisect_right(weights, here - _SHORT_WEIGHT, 0, p + 1) - 1)
    s120 = max(far, bisect_right(weights, here - _LONG_WEIGHT, 0, p + 1) - 1)
    s360 = max(far, bisect_right(weights, here - 3 * _LONG_WEIGHT, 0, p + 1) - 1)
    ends = (a6, a12, end, b6, b12, b24, b48, far, short, long, s40, s120, s360)
    by_word, by_meaning = likeness.alike(at, [first + x for x in ends], _COMPARED_SIZES)
    count = len(_PAIRS)
    row = [-each for each in by_word[:count] + by_meaning[:count]]
    row += [-each for each in by_word[count:] + by_meaning[count:]]
    row += (short - p, long - p, p - s40, p - s120)
    shift = first - chains.first
    c = p + shift
    kinds = (chains.fresh, chains.begun, chains.ended, chains.unheard, chains.adopted)
    for e in (a6, a12, end):
        total = 1.0 / max(1, weights[e] - here)
        row += [sum(kind[c : e + shift]) * total for kind in kinds]
    for s in (b12, b24, b48):
        total = 1.0 / max(1, here - weights[s])
        row += [sum(kind[s + shift : c]) * total for kind in kinds[:4]]
    row.append(24.0 * max(chains.adopted[max(0, c - 3) : c + 4]) / max(1, weights[end] - here))
    return row + _turns(p, end, window) + _voices(p, end, window)


def _turns(p: int, end: int, window: UtteranceWindow) -> list[float]:
    words, lengths, asks, cues = window.words, window.lengths, window.asks, window.cues
    count = len(lengths)
    row: list[float] = [lengths[x] if 0 <= x < count else 0 for x in range(p - 2, p + 3)]
    row += (asks[p - 1] if p else 0, asks[p], sum(asks[p : p + 6]), sum(asks[max(0, p - 6) : p]))
    for k in _SIZES_AFTER:
        e, s = min(p + k, end), max(0, p - k)
        row += ((words[e] - words[p]) / (e - p), (words[p] - words[s]) / max(1, p - s))
    row.append((words[end] + window.words_before) / (end + window.first - 1))
    row += (
        max(lengths[p : p + 3]),
        max(lengths[max(0, p - 3) : p], default=0),
        max(lengths[p : p + 6]),
        max(lengths[max(0, p - 6) : p], default=0),
    )
    row += (p + window.first, words[p] + window.words_before)
    near = cues[max(0, p - 3) : p + 4]
    row += (cues[p - 1] if p else 0, cues[p], cues[p + 1] if p + 1 < count else 0)
    row += (near.count(1), near.count(2), near.count(3))
    return row


def _voices(p: int, end: int, window: UtteranceWindow) -> list[float]:
    lengths, speakers, known = window.lengths, window.speakers, window.known
    row: list[float] = []
    after: dict[str, int] = {}
    before: dict[str, int] = {}
    done = 0
    for k in _SPEAKER_SPANS:
        for x in range(p + done, min(p + k, end)):
            who = speakers[x]
            after[who] = after.get(who, 0) + lengths[x]
        for x in range(max(0, p - k), max(0, p - done)):
            who = speakers[x]
            before[who] = before.get(who, 0) + lengths[x]
        done = k
        product = sum([spoken * before[who] for who, spoken in after.items() if who in before])
        left = sum([spoken * spoken for spoken in before.values()])
        right = sum([spoken * spoken for spoken in after.values()])
        row.append(product / ((left * right) ** 0.5 + 1e-9))
    most = max(after.values())
    lead = min(who for who, spoken in after.items() if spoken == most)
    total = max(1, sum(before.values()))
    row += (
        most / max(1, sum(after.values())),
        max(before.values(), default=0) / total,
        1.0 - before.get(lead, 0) / total,
        len(after),
        len(before),
        float(lead == window.opener),
        float(p > 0 and speakers[p] == speakers[p - 1]),
    )
    row += known[p]
    row += known[min(p + 1, len(known) - 1)]
    row.append(max([who[3] for who in known[p : p + 4]]))
    row.append(sum([who[4] for who in known[p : p + 4]]))
    row.append(sum([who[4] for who in known[max(0, p - 3) : p]]))
    return row


def surroundings(curves: Sequence[Sequence[float]], here: int, means: Sequence[float]) -> list[float]:
    """The `SURROUNDING_FEATURES` of the candidate at place `here` of `curves`, a row of `CURVES` a candidate.

    Each curve's distance to the lowest (of `_PEAKS` the highest) value near the candidate, its fall from the
    highest (rise from the lowest) value before it, and its distance to its mean so far (`means`).
    """
    own = curves[here]
    near = list(
        zip(
            *curves[
                max(0, here - AROUND_UTTERANCES // STEP_UTTERANCES) : here
                + AROUND_UTTERANCES // STEP_UTTERANCES
                + 1
            ],
            strict=True,
        )
    )
    past = list(zip(*curves[max(0, here - BEHIND_UTTERANCES // STEP_UTTERANCES) : here + 1], strict=True))
    dip = [value - min(column) for value, column in zip(own, near, strict=True)]
    fall = [max(column) - value for value, column in zip(own, past, strict=True)]
    for place in _PEAKS:
        dip[place] = max(near[place]) - own[place]
        fall[place] = own[place] - min(past[place])
    return dip + fall + [value - mean for value, mean in zip(own, means, strict=True)]
