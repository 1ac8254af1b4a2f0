"""The speakers of a statement's lines.

What several utterances said together, such as a proposal and its yes, stands in a statement's text on a line
each, in order. Here these lines are put together, and found again in the utterances that the statement cites.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from context.evidence.facts import normal
from context.language.questions import sentences
from context.language.spoken_sentences import SpokenSentence
from context.models import Utterance


@dataclass(frozen=True, slots=True)
class Voice:
    """A line of a statement, and the utterance in which it was said."""

    text: str
    said: Utterance


def in_lines(parts: Iterable[SpokenSentence]) -> str:
    """Sentences, in order, as one text: those of one utterance on one line."""
    turns = groupby(parts, key=lambda part: part.utterance.id)
    return "\n".join(" ".join(part.text for part in turn) for _, turn in turns)


def voices(text: str, cited: Sequence[Utterance]) -> tuple[Voice, ...]:
    """The lines of a statement with the utterances that said them; none where one line was not said so.

    `cited`: the utterances that it rests on, in order. A line's own words may have been cut out of a turn.
    """
    found: list[Voice] = []
    for line in text.split("\n"):
        wanted = [normal(sentence.rstrip("…")) for sentence in sentences(line)]
        said = next(
            (u for u in cited if u not in (each.said for each in found) and _holds(u.text, wanted)), None
        )
        if said is None:
            return ()
        found.append(Voice(line, said))
    return tuple(found)


def _holds(said: str, wanted: Sequence[str]) -> bool:
    heard = normal(said)
    return bool(wanted) and all(sentence in heard for sentence in wanted)
