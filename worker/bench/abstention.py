"""Declining: each question asked of its own meeting and of one where the answer cannot be.

English: QMSum's, the other meeting of another kind (academic, product, committee). Korean: questions
written to sittings of a parliament's committee (`tests/data/answers/ko.json`, with `kna` beside the
meetings) and the scripted planning meeting, asked of the other kind. Through the extractive engine, as
`moim replay --ask` uses it.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np
from context.answers import answer

from context.models import Utterance
from context.retrieval.lexical import LexicalIndex
from worker.bench.figures import Figure
from worker.bench.qmsum import LabelledMeeting

_ROOT: Final = Path(__file__).parents[2] / "tests" / "data"
_SEED: Final = 7
_START: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ALWAYS: Final = "an engine that never declines"


@dataclass(frozen=True, slots=True)
class _Meeting:
    utterances: Sequence[Utterance]
    index: LexicalIndex

    def declines(self, question: str) -> bool:
        return answer(question, utterances=self.utterances, index=self.index).declined


def abstention(meetings: Sequence[LabelledMeeting], data: Path) -> list[Figure]:
    """False declines and declines of foreign questions, in English and, where there is `kna`, in Korean."""
    own, foreign = _english(meetings)
    figures = [
        _foreign(f"questions of another kind of meeting that are declined ({len(foreign)})", foreign),
        _own(f"its own questions that are declined ({len(own)})", own),
    ]
    korean = _korean(data)
    if korean is not None:
        own, foreign = korean
        figures += [
            _foreign(f"… Korean, of another kind of meeting ({len(foreign)})", foreign),
            _own(f"… Korean, its own ({len(own)})", own),
        ]
    return figures


def _foreign(name: str, declined: Sequence[bool]) -> Figure:
    return Figure(name, float(np.mean(declined)), "declined", 0.9, _ALWAYS, 0.0, at_least=True)


def _own(name: str, declined: Sequence[bool]) -> Figure:
    return Figure(name, float(np.mean(declined)), "declined", 0.05, _ALWAYS, 0.0)


def _english(meetings: Sequence[LabelledMeeting]) -> tuple[list[bool], list[bool]]:
    chance = random.Random(_SEED)
    known = [_Meeting(each.utterances, LexicalIndex(each.utterances)) for each in meetings]
    own, foreign = [], []
    for place, meeting in enumerate(meetings):
        others = [n for n, other in enumerate(meetings) if other.domain != meeting.domain]
        for question in meeting.questions:
            own.append(known[place].declines(question.text))
            if others:
                foreign.append(known[chance.choice(others)].declines(question.text))
    return own, foreign


def _korean(data: Path) -> tuple[list[bool], list[bool]] | None:
    sittings = _sittings(data)
    if not sittings:
        return None
    scripted = [_scripted(path) for path in sorted((_ROOT / "trials").glob("ko-*.json"))]
    planned = json.loads((_ROOT / "audio" / "ko-release-planning" / "meeting.json").read_text("utf-8"))
    small = [*scripted, _meeting([(line["speaker"], line["text"]) for line in planned["lines"]])]
    asked = json.loads((_ROOT / "answers" / "ko.json").read_text("utf-8"))
    own, foreign = [], []
    for number, item in enumerate(asked):
        own.append(sittings[item["meeting"]].declines(item["question"]))
        foreign.append(small[number % len(small)].declines(item["question"]))
    return own, foreign


def _sittings(data: Path) -> dict[str, _Meeting]:
    for folder in (data, data / "kna", data.parent / "kna"):
        path = folder / "concat_dev.jsonl.gz"
        if path.is_file():
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                return dict(_sitting(json.loads(line)) for line in lines if line.strip())
    return {}


def _sitting(raw: dict[str, Any]) -> tuple[str, _Meeting]:
    spoken = [("가" if number % 2 else "나", text) for number, text in enumerate(raw["utterances"])]
    return str(raw["id"]), _meeting(spoken)


def _scripted(path: Path) -> _Meeting:
    trial = json.loads(path.read_text("utf-8"))
    return _meeting([(line["speaker"], line["text"]) for line in trial["lines"]])


def _meeting(lines: Sequence[tuple[str, str]]) -> _Meeting:
    utterances = tuple(_utterances(lines))
    return _Meeting(utterances, LexicalIndex(utterances))


def _utterances(lines: Sequence[tuple[str, str]]) -> Iterator[Utterance]:
    for number, (speaker, text) in enumerate(lines, 1):
        yield Utterance(
            id=number,
            speaker_id=speaker,
            speaker_name=speaker,
            text=text,
            start_ms=5000 * number,
            end_ms=5000 * number + 4000,
            absolute_timestamp=_START + timedelta(seconds=5 * number),
        )
