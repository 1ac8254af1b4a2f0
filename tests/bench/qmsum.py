"""Real meetings with labels, as QMSum has them: gzipped JSON lines, a meeting each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from context.models import Utterance
from tests.bench import splits

_START: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS_PER_WORD: Final = 400


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question, and the places (0-based) of the turns that its answer rests on."""

    text: str
    evidence: frozenset[int]


@dataclass(frozen=True, slots=True)
class LabelledMeeting:
    """One meeting: its turns as utterances (ids from 1), its topics as spans of places, its questions."""

    id: str
    domain: str
    utterances: tuple[Utterance, ...]
    topics: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    questions: tuple[LabelledQuestion, ...]


def meetings_in(directory: Path, split: str) -> list[LabelledMeeting]:
    """The meetings of `split` under `directory` (or its folder `qmsum`). Else `InputError`."""
    return list(splits.rows(splits.demanded(directory, "qmsum", (split,), split), _meeting))


def held_back(directory: Path) -> list[LabelledMeeting]:
    """The meetings to measure on: the test split where there is one, else val, else another one's."""
    return list(splits.rows(splits.demanded(directory, "qmsum", ("test", "val"), "*"), _meeting))


def _meeting(raw: Mapping[str, Any], number: int) -> LabelledMeeting:
    turns = raw["meeting_transcripts"]
    last = len(turns) - 1
    return LabelledMeeting(
        id=str(raw.get("id", number)),
        domain=str(raw.get("domain", "")),
        utterances=tuple(_utterances(turns)),
        topics=tuple(
            (str(topic["topic"]), tuple(_spans(topic["relevant_text_span"], last)))
            for topic in raw.get("topic_list", ())
        ),
        questions=tuple(
            LabelledQuestion(
                str(item["query"]),
                frozenset(
                    place
                    for first, end in _spans(item["relevant_text_span"], last)
                    for place in range(first, end + 1)
                ),
            )
            for item in raw.get("specific_query_list", ())
        ),
    )


def _spans(raw: list[list[str]], last: int) -> Iterator[tuple[int, int]]:
    for first, end in raw:
        yield int(first), min(int(end), last)


def _utterances(turns: list[dict[str, str]]) -> Iterator[Utterance]:
    """With times at a usual pace: QMSum has none."""
    now_ms = 0
    for number, turn in enumerate(turns, 1):
        text = turn["content"]
        took_ms = _MS_PER_WORD * max(1, len(text.split()))
        yield Utterance(
            id=number,
            speaker_id=turn["speaker"],
            speaker_name=turn["speaker"],
            text=text,
            start_ms=now_ms,
            end_ms=now_ms + took_ms,
            absolute_timestamp=_START + timedelta(milliseconds=now_ms),
            source=(number - 1, number - 1),
        )
        now_ms += took_ms
