"""Meetings with gold labels: a trial of `tests/data/trials`, with the talk and labels that were added to it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from stt.files.transcripts import TextLine, read_transcript
from worker.errors import InputError

DATA: Final = Path(__file__).parents[2] / "data"
HOME: Final = DATA / "bench_model"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked at the end, and what answers it."""

    text: str
    evidence: tuple[int, ...]
    """The last of them is the one that stands."""
    declined: bool


@dataclass(frozen=True, slots=True)
class Task:
    """Who has to do something, said where."""

    id: int
    owner: str


@dataclass(frozen=True, slots=True)
class GoldMeeting:
    """What was said, and what is right about it."""

    id: str
    language: str
    said: tuple[dict[str, str], ...]
    questions: tuple[Question, ...]
    decisions: tuple[int, ...]
    superseded: tuple[int, ...]
    tasks: tuple[Task, ...]
    topics: tuple[int, ...]
    """The utterances with which one begins."""

    def lines(self) -> list[TextLine]:
        """The lines as a replay plays them: the times come from a speaking rate."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{self.id}.jsonl"
            path.write_text("\n".join(json.dumps(said, ensure_ascii=False) for said in self.said), "utf-8")
            return list(read_transcript(path).lines)


def meetings(names: Sequence[str] = ()) -> list[GoldMeeting]:
    """Those of these names, or all. Raises `InputError` for a name that there is not."""
    known = sorted(path.stem for path in (HOME / "meetings").glob("*.json"))
    if unknown := sorted(set(names) - set(known)):
        raise InputError(f"there is no meeting {unknown[0]!r}: use {', '.join(known)}")
    return [_read(name) for name in names or known]


@cache
def _read(name: str) -> GoldMeeting:
    more = json.loads((HOME / "meetings" / f"{name}.json").read_text("utf-8"))
    base = json.loads((DATA / "trials" / f"{more['base']}.json").read_text("utf-8"))
    left_out = set(more.get("drop_actions", ()))
    tasks = (*(each for each in base["actions"] if each["id"] not in left_out), *more["actions"])
    return GoldMeeting(
        id=name,
        language=base["language"],
        said=(*base["lines"], *more["more"]),
        questions=tuple(_questions(base, more)),
        decisions=(*base["decisions"], *more["decisions"]),
        superseded=(*base["superseded"], *more["superseded"]),
        tasks=tuple(Task(each["id"], each["owner"]) for each in tasks),
        topics=(*base["topics"], *more["topics"]),
    )


def _questions(base: dict[str, Any], more: dict[str, Any]) -> list[Question]:
    """Those of the trial, as what was said later answers them; `null` leaves one out that follows another."""
    changed = more["changed"]
    kept = [
        Question(each["question"], tuple(changed.get(each["question"], each["evidence"])), each["declined"])
        for each in base["asks"]
        if changed.get(each["question"], ()) is not None
    ]
    return [*kept, *(Question(each["question"], tuple(each["evidence"]), False) for each in more["asks"])]
