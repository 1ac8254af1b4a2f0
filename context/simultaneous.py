"""Simultaneous speech, grouped: who began to speak at about the same time (seed 000 §5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.exchanges import OVERLAP_MS
from context.models import Utterance

WINDOW_MS: Final = 2_000
"""The seed's two seconds: utterances that begin within this of the group's first belong together."""


def simultaneous(utterances: Sequence[Utterance], window_ms: int = WINDOW_MS) -> list[tuple[Utterance, ...]]:
    """Groups of two or more utterances by different people, in order of time; nothing for a window of 0.

    Each utterance of a group begins within `window_ms` of its first and overlaps with one of those before it
    by half a second or more: a quick answer is no simultaneous speech, and cutting in on a long
    speech is an interruption. No utterance is in two groups.
    """
    groups: list[tuple[Utterance, ...]] = []
    group: list[Utterance] = []
    for utterance in sorted(utterances, key=lambda u: (u.start_ms, u.id)) if window_ms > 0 else ():
        close = group and utterance.start_ms - group[0].start_ms <= window_ms
        if close and any(_together_ms(other, utterance) >= OVERLAP_MS for other in group):
            group.append(utterance)
            continue
        groups.extend(_kept(group))
        group = [utterance]
    groups.extend(_kept(group))
    return groups


def _together_ms(one: Utterance, other: Utterance) -> int:
    return min(one.end_ms, other.end_ms) - max(one.start_ms, other.start_ms)


def _kept(group: Sequence[Utterance]) -> list[tuple[Utterance, ...]]:
    return [tuple(group)] if len({utterance.speaker_id for utterance in group}) > 1 else []
